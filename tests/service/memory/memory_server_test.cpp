#include "service/memory/memory_server.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <vector>

#include "platform/machine/host_memory.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"

namespace troupe::tests {

namespace memory_socket {

using wire::MemoryError;
using wire::MemoryReply;
using wire::MemoryRequest;
using wire::MemoryRequestKind;

struct Memory {
  static service::ServerOptions options() {
    service::ServerOptions options;
    // This limit is larger than the memory of any machine, so the server has to check the real memory.
    options.limits.memory = {std::uint64_t{1} << 60U};
    options.limits.segments = 3;
    options.connections_per_user = 4;
    return options;
  }
  RunningService service{options()};
  MemoryClient client{service.folder()};
};

}  // namespace memory_socket

BOOST_FIXTURE_TEST_SUITE(memory_socket, Memory)

BOOST_AUTO_TEST_CASE(segments_cannot_change_their_size) {
  client.hello();
  const MappedSegment segment = client.allocate(10'000);
  BOOST_TEST(segment.size() >= 10'000U);
  BOOST_TEST(segment.size() % 4096 == 0U);
  BOOST_TEST(segment.at<char>()[segment.size() - 1] == 0);
  BOOST_TEST(::ftruncate(segment.descriptor(), 0) == -1);
  BOOST_TEST(errno == EPERM);
  BOOST_TEST(::ftruncate(segment.descriptor(), 1 << 20) == -1);
  BOOST_TEST(errno == EPERM);
  BOOST_TEST(::fcntl(segment.descriptor(), F_ADD_SEALS, F_SEAL_WRITE) == -1);
}

BOOST_AUTO_TEST_CASE(a_hole_that_a_client_makes_hurts_nobody) {
  ServiceClient session(service.folder());
  BOOST_REQUIRE(session.hello() > 0U);
  BOOST_TEST(!session.open(0, service.codelets()["fill"]));
  const MappedSegment segment = session.memory().allocate(1 << 20);
  session.register_vector<double>(0, segment, 1 << 17);
  BOOST_REQUIRE(::fallocate(segment.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20) == 0);
  const std::uint64_t task = session.submit(0, {0}, args(4.0));
  BOOST_TEST(session.ended(task).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(segment.at<double>()[1000] == 4.0);
}

BOOST_AUTO_TEST_CASE(more_than_the_machine_has_is_refused) {
  client.hello();
  // The service refuses this request, whatever its configuration allows.
  const std::uint64_t total = platform::read_host_memory().total.count;
  const auto reply = client.ask({.kind = MemoryRequestKind::allocate, .request = 5, .size = total / 8 * 7 + 4096});
  BOOST_REQUIRE(reply.has_value());
  BOOST_TEST((reply->error == MemoryError::limit));
  BOOST_TEST(reply->request == 5U);
  BOOST_TEST(contains(reply->message(), "MiB"));
  BOOST_TEST(client.allocate(4096).size() == 4096U);
}

BOOST_AUTO_TEST_CASE(sizes_and_segments_have_limits) {
  client.hello();
  const auto error = [&](const MemoryRequest& request) {
    const auto reply = client.ask(request);
    return reply ? reply->error : MemoryError::none;
  };
  BOOST_TEST((error({.kind = MemoryRequestKind::allocate, .size = 0}) == MemoryError::invalid_argument));
  BOOST_TEST((error({.kind = MemoryRequestKind::allocate, .size = ~std::uint64_t{0}}) == MemoryError::limit));
  BOOST_TEST((error({.kind = MemoryRequestKind::allocate, .size = (1ULL << 60U) + 1}) == MemoryError::limit));
  BOOST_TEST((error({.kind = MemoryRequestKind::release, .segment = 77}) == MemoryError::invalid_argument));
  BOOST_TEST((error({.kind = static_cast<MemoryRequestKind>(99)}) == MemoryError::invalid_argument));
  std::vector<MappedSegment> segments;
  for (int i = 0; i < 3; ++i) segments.push_back(client.allocate(1));
  BOOST_TEST((error({.kind = MemoryRequestKind::allocate, .size = 1}) == MemoryError::limit));
  const auto released = client.release(segments[0].id());
  BOOST_REQUIRE(released.has_value());
  BOOST_TEST((released->error == MemoryError::none));
  BOOST_TEST(client.allocate(1).size() == 4096U);
}

BOOST_AUTO_TEST_CASE(all_clients_of_a_user_have_so_many_segments_together) {
  service::ServerOptions options;
  options.budgets_per_user[static_cast<std::size_t>(service::Resource::segments)] = 3;
  RunningService other(options);
  MemoryClient first(other.folder());
  MemoryClient second(other.folder());
  first.hello();
  second.hello();
  std::vector<MappedSegment> segments;
  for (int i = 0; i < 3; ++i) segments.push_back(first.allocate(1));
  const auto refused = second.ask({.kind = MemoryRequestKind::allocate, .size = 1});
  BOOST_REQUIRE(refused.has_value());
  BOOST_TEST((refused->error == MemoryError::limit));
  BOOST_TEST(contains(refused->message(), "(limits.segments_per_user)"), refused->message());
  BOOST_REQUIRE(first.release(segments[0].id()).has_value());
  BOOST_TEST(second.allocate(1).size() == 4096U);
}

BOOST_AUTO_TEST_CASE(memory_counts_until_its_last_use) {
  ServiceClient session(service.folder());
  BOOST_REQUIRE(session.hello() > 0U);
  const auto memory = [&] { return service.server().look().sessions.at(0).memory.count; };
  const MappedSegment segment = session.memory().allocate(1 << 20);
  session.register_vector<double>(0, segment, 10);
  BOOST_TEST(!session.wait_all());
  const auto released = session.memory().release(segment.id());
  BOOST_REQUIRE(released.has_value());
  BOOST_TEST(memory() == 1U << 20U);
  BOOST_TEST(!session.reply_to(
      [](v1::Operation& operation, std::uint64_t request) { operation.mutable_release_data()->set_request(request); }));
  BOOST_TEST(memory() == 0U);
}

BOOST_AUTO_TEST_CASE(the_service_keeps_no_descriptor_of_a_segment) {
  const auto descriptors = [] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      count += contains(std::filesystem::read_symlink(entry.path(), gone).string(), "troupe-segment") ? 1 : 0;
    }
    return count;
  };
  client.hello();
  const MappedSegment segment = client.allocate(4096);
  // Service and client are the same process here. The remaining open descriptor is the client's. The service closes its
  // own descriptor after the descriptor has been sent.
  BOOST_TEST(eventually([&] { return descriptors() == 1; }));
}

BOOST_AUTO_TEST_CASE(what_was_released_is_the_system_s_though_the_client_kept_its_mapping) {
  client.hello();
  const MappedSegment segment = client.allocate(1 << 20);
  segment.at<char>()[5] = 'x';
  BOOST_REQUIRE(client.release(segment.id()).has_value());
  BOOST_TEST(segment.at<char>()[5] == 0);
  const MappedSegment other = client.allocate(1 << 20);
  other.at<char>()[5] = 'x';
  client.close();
  BOOST_TEST(eventually([&] { return other.at<volatile char>()[5] == 0; }));
}

BOOST_AUTO_TEST_CASE(a_client_that_outlives_the_service_keeps_its_data) {
  client.hello();
  const MappedSegment segment = client.allocate(1 << 20);
  segment.at<char>()[5] = 'x';
  service.server().drain();
  service.end_service();
  BOOST_TEST(segment.at<char>()[5] == 'x');
}

BOOST_AUTO_TEST_CASE(the_first_packet_is_hello_of_this_version) {
  const auto refused = [&](const MemoryRequest& request, MemoryError error) {
    const MemoryClient other(service.folder());
    const auto reply = other.ask(request);
    return reply && reply->error == error && !other.receive();
  };
  BOOST_TEST(refused({.magic = 1}, MemoryError::version_mismatch));
  BOOST_TEST(refused({.version = 9}, MemoryError::version_mismatch));
  BOOST_TEST(refused({.kind = MemoryRequestKind::allocate, .size = 1}, MemoryError::invalid_argument));
  client.hello();
  const auto again = client.ask({});
  BOOST_REQUIRE(again.has_value());
  BOOST_TEST((again->error == MemoryError::invalid_argument));
  BOOST_TEST(!client.receive());
}

BOOST_AUTO_TEST_CASE(packets_of_another_length_end_the_connection) {
  for (const std::size_t size :
       {std::size_t{1}, sizeof(MemoryRequest) - 1, sizeof(MemoryRequest) + 1, std::size_t{4000}}) {
    const MemoryClient other(service.folder());
    other.hello();
    const std::string bytes(size, 'x');
    other.send_bytes(bytes.data(), bytes.size());
    const auto reply = other.receive();
    BOOST_REQUIRE(reply.has_value());
    BOOST_TEST((reply->error == MemoryError::invalid_argument));
    BOOST_TEST(!other.receive());
  }
}

BOOST_AUTO_TEST_CASE(connections_of_a_user_have_a_limit) {
  client.hello();
  std::vector<std::unique_ptr<MemoryClient>> others;
  for (int i = 0; i < 3; ++i) {
    others.push_back(std::make_unique<MemoryClient>(service.folder()));
    others.back()->hello();
  }
  const MemoryClient fifth(service.folder());
  const auto reply = fifth.receive();
  BOOST_REQUIRE(reply.has_value());
  BOOST_TEST((reply->error == MemoryError::limit));
  others.pop_back();
  BOOST_TEST(eventually([&] {
    const MemoryClient next(service.folder());
    const auto welcome = next.ask({});
    return welcome && welcome->error == MemoryError::none;
  }));
}

BOOST_AUTO_TEST_CASE(texts_are_cut_between_characters) {
  MemoryReply reply;
  std::string text(wire::kMemoryTextSize - 1, 'x');
  text += "\xc3\xa4y";
  reply.set_message(text);
  BOOST_TEST(reply.message() == std::string(wire::kMemoryTextSize - 1, 'x'));
  reply.set_message("short");
  BOOST_TEST(reply.message() == "short");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
