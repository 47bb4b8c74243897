// Sends random and mutated messages to a service. The service must not crash or hang, must still serve other clients,
// and must release all resources in the end.
//
// Each seed is one client. The environment variable TROUPE_FUZZ_SEEDS sets the number of seeds, TROUPE_FUZZ_FIRST the
// first one.
#include <google/protobuf/message.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>

#include "client/remote/connection/protocol_version.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "proto/random.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"
#include "troupe/devices.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(fuzzed_sessions)

namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// Returns the number of shared segments that this process has mapped. The service runs in this process.
std::size_t mapped_segments() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += contains(line, "troupe-segment") ? 1 : 0;
  return count;
}

/// A session that sends bytes that need not be valid messages. The session reads and ignores everything that the
/// service sends.
class ByteSession final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  ByteSession(const std::shared_ptr<grpc::Channel>& channel, grpc::ClientContext& context) : stub_(channel) {
    stub_.PrepareBidiStreamingCall(&context, "/troupe.v1.Troupe/Session", {}, this);
    AddHold();
    StartRead(&incoming_);
    StartCall();
  }

  /// Sends bytes. Returns false if the session has ended.
  bool write(const grpc::ByteBuffer& message) {
    StartWrite(&message);
    return wait();
  }
  void writes_done() {
    StartWritesDone();
    wait();
  }
  /// Waits until the service has read or refused all bytes and has ended the session.
  void finish() {
    RemoveHold();
    wait();
  }

  void OnReadDone(bool ok) override {
    if (ok) StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override { tell(ok); }
  void OnWritesDoneDone(bool ok) override { tell(ok); }
  void OnDone(const grpc::Status&) override { tell(true); }

 private:
  bool wait() {
    std::unique_lock lock(mutex_);
    told_.wait(lock, [&] { return answer_.has_value(); });
    return *std::exchange(answer_, std::nullopt);
  }
  void tell(bool ok) {
    const std::scoped_lock lock(mutex_);
    answer_ = ok;
    told_.notify_one();
  }

  grpc::GenericStub stub_;
  grpc::ByteBuffer incoming_;
  std::mutex mutex_;
  std::condition_variable told_;
  /// The result of the current operation; nullopt until the operation has ended.
  std::optional<bool> answer_;
};

class Fuzzer {
 public:
  Fuzzer(RunningService& service, std::uint64_t seed) : service_(service), random_(seed), memory_(service.folder()) {}

  /// Runs one client, from its first message to its end, which may be sudden.
  void run() {
    const std::string token = memory_.hello();
    for (int i = 0; i < 2; ++i) segments_.push_back(allocate(65536));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(2));
    ByteSession session(channel_at(service_.folder()), context);
    v1::ClientMessage message;
    v1::Hello& hello = *message.add_operations()->mutable_hello();
    hello.set_protocol_version(remote::kProtocolVersion);
    hello.set_token(token);
    hello.set_name("fuzzer");
    bool open = session.write(bytes_of(message, below(20) == 0));
    const std::uint32_t messages = 1 + below(60);
    // Most clients send something wrong at some time. The other clients reach deeper parts of the service.
    const bool well_behaved = below(3) == 0;
    for (std::uint32_t i = 0; i < messages && open; ++i) {
      message.Clear();
      const std::uint32_t operations = 1 + below(4);
      for (std::uint32_t j = 0; j < operations; ++j) fill(*message.add_operations());
      const bool goes_wrong = !well_behaved && below(12) == 0;
      if (goes_wrong && below(2) == 0) mutate(message);
      open = session.write(bytes_of(message, goes_wrong && below(2) == 0));
      if (below(15) == 0) send_packet(goes_wrong);
    }
    if (below(2) == 0) session.writes_done();
    if (below(2) == 0) context.TryCancel();
    if (below(2) == 0) memory_.close();
    context.TryCancel();
    session.finish();
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return random_.below(bound); }
  std::uint64_t any_number() {
    static constexpr std::array<std::uint64_t, 12> kNumbers{0,
                                                            1,
                                                            2,
                                                            7,
                                                            8,
                                                            100,
                                                            0x7fff'ffff,
                                                            0x8000'0000,
                                                            0xffff'ffff,
                                                            0x7fff'ffff'ffff'ffff,
                                                            0x8000'0000'0000'0000,
                                                            std::numeric_limits<std::uint64_t>::max()};
    return below(3) == 0 ? (std::uint64_t{below(0xffff'ffffU)} << 32U) + below(0xffff'ffffU)
                         : kNumbers[below(kNumbers.size())];
  }

  static std::shared_ptr<grpc::Channel> channel_at(const std::string& folder) {
    const int socket = connect_to(folder + "/" + std::string(wire::kServiceSocket), SOCK_STREAM).release();
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
    return grpc::CreateInsecureChannelFromFd("troupe", socket);
  }

  grpc::ByteBuffer bytes_of(const v1::ClientMessage& message, bool damaged) {
    std::string bytes = message.SerializePartialAsString();
    if (damaged) {
      const std::uint32_t changes = 1 + below(4);
      for (std::uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
        const std::size_t place = below(static_cast<std::uint32_t>(bytes.size()));
        if (below(8) == 0) {
          bytes.resize(place);
        } else {
          bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
        }
      }
    }
    const grpc::Slice slice(bytes);
    return {&slice, 1};
  }

  /// Changes a random field somewhere in the message.
  void mutate(google::protobuf::Message& message) {
    const auto& descriptor = *message.GetDescriptor();
    const auto& reflection = *message.GetReflection();
    if (descriptor.field_count() == 0) return;
    for (int attempt = 0; attempt < 8; ++attempt) {
      const auto* const field =
          descriptor.field(static_cast<int>(below(static_cast<std::uint32_t>(descriptor.field_count()))));
      const int size = field->is_repeated() ? reflection.FieldSize(message, field) : 0;
      if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
        if (field->is_repeated() && size == 0) continue;
        if (!field->is_repeated() && !reflection.HasField(message, field)) continue;
        const int index = size > 0 ? static_cast<int>(below(static_cast<std::uint32_t>(size))) : 0;
        return mutate(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, index)
                                           : *reflection.MutableMessage(&message, field));
      }
      if (field->is_repeated() && size > 0 && below(2) == 0) return reflection.RemoveLast(&message, field);
      return set(message, *field, size);
    }
  }
  void set(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field, int size) {
    using Type = google::protobuf::FieldDescriptor;
    const auto& reflection = *message.GetReflection();
    const std::uint64_t value = any_number();
    const bool add = field.is_repeated() && (size == 0 || below(3) == 0);
    const int index = size > 0 ? static_cast<int>(below(static_cast<std::uint32_t>(size))) : 0;
    const auto put = [&](auto setter, auto repeated, auto adder, auto content) {
      if (add) {
        (reflection.*adder)(&message, &field, content);
      } else if (field.is_repeated()) {
        (reflection.*repeated)(&message, &field, index, content);
      } else {
        (reflection.*setter)(&message, &field, content);
      }
    };
    using R = google::protobuf::Reflection;
    switch (field.cpp_type()) {
      case Type::CPPTYPE_INT32:
        return put(&R::SetInt32, &R::SetRepeatedInt32, &R::AddInt32, static_cast<std::int32_t>(value));
      case Type::CPPTYPE_INT64:
        return put(&R::SetInt64, &R::SetRepeatedInt64, &R::AddInt64, static_cast<std::int64_t>(value));
      case Type::CPPTYPE_UINT32:
        return put(&R::SetUInt32, &R::SetRepeatedUInt32, &R::AddUInt32, static_cast<std::uint32_t>(value));
      case Type::CPPTYPE_UINT64: return put(&R::SetUInt64, &R::SetRepeatedUInt64, &R::AddUInt64, value);
      case Type::CPPTYPE_BOOL: return put(&R::SetBool, &R::SetRepeatedBool, &R::AddBool, value % 2 == 0);
      case Type::CPPTYPE_ENUM:
        return put(&R::SetEnumValue, &R::SetRepeatedEnumValue, &R::AddEnumValue, static_cast<int>(value % 9));
      case Type::CPPTYPE_STRING:
        return put(&R::SetString, &R::SetRepeatedString, &R::AddString,
                   std::string(below(3) == 0 ? 1000 : below(20), static_cast<char>('a' + below(26))));
      default: return;
    }
  }

  std::uint64_t allocate(std::uint64_t size) {
    platform::FileDescriptor descriptor;
    const auto reply = memory_.ask({.kind = wire::MemoryRequestKind::allocate, .size = size}, &descriptor);
    return reply ? reply->segment : 0;
  }
  void send_packet(bool wrong) {
    if (wrong) {
      std::string bytes(below(2) == 0 ? sizeof(wire::MemoryRequest) : below(300), 'x');
      for (char& byte : bytes) byte = static_cast<char>(below(256));
      memory_.send_bytes(bytes.data(), bytes.size());
      return;
    }
    if (below(2) == 0 || segments_.empty()) {
      segments_.push_back(allocate(below(3) == 0 ? any_number() : 1 + below(100'000)));
    } else {
      static_cast<void>(memory_.release(segments_[below(static_cast<std::uint32_t>(segments_.size()))]));
    }
  }

  /// Makes an operation that is valid, as far as this client remembers its own state.
  void fill(v1::Operation& operation) {
    switch (below(20)) {
      case 0:
      case 1: return open_codelet(*operation.mutable_open_codelet());
      case 2:
      case 3:
      case 4: return register_data(*operation.mutable_register_data());
      case 5: return partition(*operation.mutable_partition());
      case 6:
        operation.mutable_set_reduction()->set_request(++request_);
        operation.mutable_set_reduction()->set_handle(some_handle());
        operation.mutable_set_reduction()->set_name(below(4) == 0 ? "product" : "sum");
        return;
      case 7:
        operation.mutable_release_data()->set_request(below(2) == 0 ? 0 : ++request_);
        operation.mutable_release_data()->set_handle(take_handle());
        return;
      case 8: return acquire(operation);
      case 9:
        // An acquire that is withdrawn may not be given back, so only other requests are withdrawn.
        if (below(3) == 0 && std::ranges::find(held_, request_) == held_.end()) {
          operation.mutable_withdraw()->set_request(request_);
          return;
        }
        operation.mutable_wait_all()->set_request(++request_);
        return;
      case 10: return record(operation);
      case 11: return replay(operation);
      case 12:
        if (below(3) == 0) {
          operation.mutable_cancel_all();
        } else {
          operation.mutable_cancel_task()->set_task(1 + below(static_cast<std::uint32_t>(task_) + 1) %
                                                            std::max<std::uint64_t>(task_, 1));
        }
        return;
      case 13:
        if (below(2) == 0) {
          operation.mutable_discard()->set_handle(some_handle());
          return;
        }
        operation.mutable_set_reuse()->set_handle(some_handle());
        operation.mutable_set_reuse()->set_index(static_cast<std::int64_t>(any_number()));
        return;
      case 14:
        if (!kept_.empty() && below(2) == 0) {
          operation.mutable_let_go()->set_keep(take(kept_));
          return;
        }
        operation.mutable_keep()->set_keep(++keep_);
        kept_.push_back(keep_);
        operation.mutable_keep()->set_handle(some_handle());
        return;
      case 15:
        if (task_ == 0) return tasks(*operation.mutable_tasks());
        operation.mutable_await()->set_task(1 + below(static_cast<std::uint32_t>(task_)));
        return;
      default: return tasks(*operation.mutable_tasks());
    }
  }
  std::uint64_t some_handle() {
    return handles_.empty() ? 0 : handles_[below(static_cast<std::uint32_t>(handles_.size()))];
  }
  std::uint64_t take_handle() { return handles_.empty() ? 0 : take(handles_); }
  /// Removes a random number from the list and returns it.
  std::uint64_t take(std::vector<std::uint64_t>& numbers) {
    const auto place = numbers.begin() + below(static_cast<std::uint32_t>(numbers.size()));
    const std::uint64_t number = *place;
    numbers.erase(place);
    return number;
  }
  void open_codelet(v1::OpenCodelet& open) {
    static constexpr std::array<const char*, 7> kNames{"empty", "fill", "axpy", "sum", "fail", "touch", "nest"};
    const char* const name = kNames[below(kNames.size())];
    ServiceClient::describe(service_.codelets()[name], open);
    if (below(10) == 0) open.set_name("unknown");
    open.set_request(++request_);
    open.set_codelet(static_cast<std::uint32_t>(codelets_.size()));
    codelets_.push_back(name);
  }
  void register_data(v1::RegisterData& data) {
    data.set_handle(++handle_);
    data.set_segment(segments_[below(2)]);
    const std::int64_t rows = below(5) == 0 ? 1 : below(100);
    data.set_rows(rows);
    data.set_cols(below(5) == 0 ? below(10) : 1);
    data.set_ld(std::max<std::int64_t>(rows + below(2), 1));
    if (below(4) == 0) {
      data.set_planes(below(4));
      data.set_plane_stride(data.ld() * data.cols() + below(2));
    }
    data.set_offset(8 * below(1000));
    data.set_element_size(8);
    data.set_element_tag(below(20) == 0 ? 5 : type_tag<double>());
    handles_.push_back(handle_);
  }
  void partition(v1::Partition& partition) {
    partition.set_request(++request_);
    partition.set_whole(some_handle());
    const std::uint32_t blocks = below(4);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      v1::Block& block = *partition.add_blocks();
      block.set_row(i * 10);
      block.set_rows(below(12));
      block.set_cols(1);
      if (below(4) == 0) block.set_planes(below(3));
      if (below(4) == 0) block.set_col_step(1 + below(3));
      if (below(8) == 0) block.set_plane_step(below(3));
      if (below(8) == 0) block.set_plane(below(3));
      partition.add_handles(++handle_);
    }
    partition.set_halos(below(5) == 0);
    // This client never names blocks, so it does not name those that were replaced.
    partition.set_anew(!partition.halos() && below(2) == 0);
    partition.set_at_once(below(3) == 0);
  }
  void acquire(v1::Operation& operation) {
    if (!held_.empty() && below(2) == 0) {
      operation.mutable_give_back()->set_request(take(held_));
      return;
    }
    operation.mutable_acquire()->set_request(++request_);
    held_.push_back(request_);
    operation.mutable_acquire()->set_handle(some_handle());
    operation.mutable_acquire()->set_mode(static_cast<v1::AccessMode>(below(4)));
  }
  void record(v1::Operation& operation) {
    if (recording_ && below(2) == 0) {
      recording_ = false;
      operation.mutable_end_recording()->set_request(++request_);
    } else if (recording_) {
      tasks(*operation.mutable_tasks());
    } else {
      recording_ = true;
      recorded_ = 0;
      operation.mutable_begin_recording()->set_recording(++recording_numbers_);
      recordings_.push_back(recording_numbers_);
    }
  }
  void replay(v1::Operation& operation) {
    if (recording_ || recordings_.empty()) return tasks(*operation.mutable_tasks());
    if (below(4) == 0) return operation.mutable_drop_recording()->set_recording(take(recordings_));
    operation.mutable_replay()->set_task(++task_);
    operation.mutable_replay()->set_recording(recordings_[below(static_cast<std::uint32_t>(recordings_.size()))]);
    if (below(3) != 0) return;
    v1::Rebinding& rebinding = *operation.mutable_replay()->add_rebindings();
    rebinding.set_recorded(some_handle());
    rebinding.set_now(some_handle());
  }
  void tasks(v1::Tasks& tasks) {
    const std::uint32_t count = codelets_.empty() || handles_.empty() ? 0 : below(20);
    std::uint64_t& counter = recording_ ? recorded_ : task_;
    tasks.set_first(counter + 1);
    counter += count;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t number = below(static_cast<std::uint32_t>(codelets_.size()));
      const CodeletDefinition& codelet = service_.codelets()[codelets_[number]].definition();
      const std::size_t accesses = codelet.variadic ? below(4) : codelet.modes.size();
      std::vector<std::uint64_t> handles;
      for (std::size_t j = 0; j < accesses; ++j) {
        handles.push_back(some_handle());
        tasks.mutable_mode()->push_back(
            static_cast<char>(codelet.variadic ? below(5) : static_cast<std::uint32_t>(codelet.modes[j])));
      }
      const bool has_argument = !codelet.argument_types.empty();
      ServiceClient::add_task(tasks, number, handles, has_argument ? args(1.0) : Arguments());
      if (below(5) != 0) continue;
      v1::TaskDetail& detail = *tasks.add_details();
      detail.set_task(i);
      detail.set_awaited(below(2) == 0);
      for (const DeviceTraits& row : kDeviceTraits) {
        if (below(2) == 0) detail.add_devices(row.name);
      }
      if (below(4) == 0) {
        v1::DeviceChoice& choice = *detail.add_choices();
        choice.add_workers(below(4));
        if (below(2) == 0) choice.add_names("nobody");
      }
      detail.set_nested(below(2) == 0);
      for (std::uint32_t j = detail.nested() ? below(3) : 0; j > 0; --j) {
        detail.add_weak(some_handle());
        detail.mutable_weak_mode()->push_back(static_cast<char>(below(5)));
      }
      if (tasks.first() + i > 1) detail.add_after(1 + below(static_cast<std::uint32_t>(tasks.first() + i - 1)));
    }
  }

  RunningService& service_;
  Random random_;
  MemoryClient memory_;
  std::vector<std::uint64_t> segments_;
  std::vector<const char*> codelets_;
  std::vector<std::uint64_t> handles_;
  std::uint64_t handle_ = 0;
  std::uint64_t request_ = 0;
  /// The requests for which data were acquired and not given back.
  std::vector<std::uint64_t> held_;
  std::uint64_t keep_ = 0;
  std::vector<std::uint64_t> kept_;
  std::uint64_t task_ = 0;
  bool recording_ = false;
  std::uint64_t recorded_ = 0;
  std::uint64_t recording_numbers_ = 0;
  std::vector<std::uint64_t> recordings_;
};

/// Checks that a client that makes no mistake is served correctly.
void check_good_client(RunningService& service) {
  ServiceClient client(service.folder());
  BOOST_REQUIRE(client.hello("good") > 0U);
  BOOST_TEST(!client.open(0, service.codelets()["fill"]));
  BOOST_TEST(!client.open(1, service.codelets()["axpy"]));
  const MappedSegment segment = client.memory().allocate(1 << 16);
  client.register_vector<double>(0, segment, 100);
  client.register_vector<double>(1, segment, 100, 800);
  client.submit(0, {0}, args(1.0));
  client.submit(0, {1}, args(2.0));
  client.submit(1, {0, 1}, args(3.0));
  BOOST_TEST(!client.wait_all());
  BOOST_TEST(segment.at<double>(800)[99] == 5.0);
}

BOOST_AUTO_TEST_CASE(leave_a_service_that_works_and_holds_nothing) {
  service::ServerOptions options;
  options.limits.tasks = 2000;
  options.limits.handles = 200;
  options.limits.recorded_tasks = 300;
  options.limits.memory = {4U << 20U};
  options.connections_per_second = 10'000;
  RunningService service(options);
  service.gate().open();
  const std::uint64_t first = number_from("TROUPE_FUZZ_FIRST", 1);
  const std::uint64_t seeds = number_from("TROUPE_FUZZ_SEEDS", 300);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    BOOST_TEST_CHECKPOINT("seed " << seed);
    Fuzzer(service, seed).run();
    if (seed % 25 == 0) check_good_client(service);
  }
  check_good_client(service);
  BOOST_TEST(eventually([&] { return service.empty(); }));
  BOOST_TEST(eventually([] { return mapped_segments() == 0; }));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
