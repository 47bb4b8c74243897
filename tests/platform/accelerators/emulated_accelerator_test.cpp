#include "platform/accelerators/emulated_accelerator.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(emulated_accelerator)

namespace {

using namespace std::chrono_literals;

EmulationOptions small() {
  EmulationOptions options;
  options.memory = {1U << 16U};
  options.latency = Duration::zero();
  options.to_device_bytes_per_s = options.to_host_bytes_per_s = 1e11;
  return options;
}

std::unique_ptr<EmulatedAccelerator> made(int number, const EmulationOptions& options) {
  auto accelerator = EmulatedAccelerator::make(number, options);
  BOOST_TEST_REQUIRE(accelerator.ok());
  return std::move(accelerator).value();
}

/// Tries to make an accelerator with these options, which must fail. Returns the failure.
Failure refused(const EmulationOptions& options) {
  const auto accelerator = EmulatedAccelerator::make(3, options);
  BOOST_TEST_REQUIRE(!accelerator.ok());
  BOOST_TEST(accelerator.failure().message.find("emulated GPU 3") != std::string::npos);
  return accelerator.failure();
}

/// Copies a block and waits until the copy has ended.
Result<void> copy(EmulatedAccelerator& accelerator, CopyDirection direction, const std::byte* from, std::byte* to,
                  std::size_t bytes) {
  std::promise<Result<void>> ended;
  accelerator.copy(direction, {from, bytes, to, bytes, bytes, 1}, 1, false,
                   [&](Result<void> outcome) { ended.set_value(std::move(outcome)); });
  return ended.get_future().get();
}

Result<void> copy_peer(EmulatedAccelerator& to, EmulatedAccelerator& from, std::size_t bytes) {
  std::promise<Result<void>> ended;
  to.copy_from(from, {from.memory(), bytes, to.memory(), bytes, bytes, 1}, 1, false,
               [&](Result<void> outcome) { ended.set_value(std::move(outcome)); });
  return ended.get_future().get();
}

BOOST_AUTO_TEST_CASE(it_says_what_it_is) {
  EmulationOptions options;
  options.memory = {std::uint64_t{8} << 20U};
  options.to_device_bytes_per_s = 1e9;
  options.to_host_bytes_per_s = 2e9;
  options.latency = 5us;
  const auto accelerator = made(2, options);
  BOOST_TEST(accelerator->name() == "emulated GPU 2");
  BOOST_TEST(accelerator->capacity().count == 8U << 20U);
  BOOST_TEST(accelerator->speed(CopyDirection::to_device).bytes_per_s == 1e9);
  BOOST_TEST(accelerator->speed(CopyDirection::to_host).bytes_per_s == 2e9);
  BOOST_TEST((accelerator->speed(CopyDirection::to_host).latency == 5us));
  BOOST_TEST(accelerator->peer_speed().bytes_per_s == 0);
  std::fill_n(accelerator->memory(), options.memory.count, std::byte{1});
}

BOOST_AUTO_TEST_CASE(data_go_there_and_come_back) {
  const auto accelerator = made(0, small());
  std::vector<std::byte> data(1000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i);
  std::vector<std::byte> back(1000);
  BOOST_TEST(copy(*accelerator, CopyDirection::to_device, data.data(), accelerator->memory() + 64, 1000).ok());
  BOOST_TEST(copy(*accelerator, CopyDirection::to_host, accelerator->memory() + 64, back.data(), 1000).ok());
  BOOST_TEST((back == data));
  BOOST_TEST(accelerator->traffic(CopyDirection::to_device).bytes.count == 1000U);
  BOOST_TEST(accelerator->traffic(CopyDirection::to_device).copies == 1U);
  BOOST_TEST(accelerator->traffic(CopyDirection::to_host).bytes.count == 1000U);
  BOOST_TEST(accelerator->peer_traffic().copies == 0U);
}

BOOST_AUTO_TEST_CASE(both_directions_are_under_way_at_once) {
  auto options = small();
  const auto accelerator = made(0, options);
  std::vector<std::byte> data(16);
  std::vector<std::byte> back(16);
  std::promise<void> other_ended;
  std::promise<void> ended;
  // The first callback waits for the second copy. If both directions had the same engine, this would never end.
  accelerator->copy(CopyDirection::to_device, {data.data(), 16, accelerator->memory(), 16, 16, 1}, 1, false,
                    [&](Result<void>) {
                      other_ended.get_future().wait();
                      ended.set_value();
                    });
  accelerator->copy(CopyDirection::to_host, {accelerator->memory() + 64, 16, back.data(), 16, 16, 1}, 2, false,
                    [&](Result<void>) { other_ended.set_value(); });
  ended.get_future().wait();
}

BOOST_AUTO_TEST_CASE(accelerators_reach_one_another_where_both_have_a_rate_for_it) {
  auto with = small();
  with.peer_bytes_per_s = 1e10;
  const auto first = made(0, with);
  const auto second = made(1, with);
  const auto alone = made(2, small());
  BOOST_TEST(first->reaches(*second));
  BOOST_TEST(second->reaches(*first));
  BOOST_TEST(!first->reaches(*first));
  BOOST_TEST(!first->reaches(*alone));
  BOOST_TEST(!alone->reaches(*first));
  std::fill_n(first->memory(), 500, std::byte{7});
  BOOST_TEST(copy_peer(*second, *first, 500).ok());
  BOOST_TEST((second->memory()[499] == std::byte{7}));
  BOOST_TEST(second->peer_traffic().bytes.count == 500U);
  BOOST_TEST(first->peer_traffic().bytes.count == 0U);
}

BOOST_AUTO_TEST_CASE(copies_fail_as_often_as_asked) {
  auto options = small();
  options.faults.copy = 0.5;
  const auto accelerator = made(0, options);
  std::vector<std::byte> data(16);
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    const auto outcome = copy(*accelerator, CopyDirection::to_device, data.data(), accelerator->memory(), 16);
    if (outcome) continue;
    ++failed;
    BOOST_TEST((outcome.failure().code == ErrorCode::transfer_failed));
    BOOST_TEST(outcome.failure().message == "a copy to emulated GPU 0 failed: injected fault");
  }
  // The faults come from a seed, so every run gives the same number.
  BOOST_TEST(failed > 70);
  BOOST_TEST(failed < 130);
}

BOOST_AUTO_TEST_CASE(memory_is_refused_as_often_as_asked) {
  auto options = small();
  const auto never = made(0, options);
  options.faults.allocation = 1;
  const auto always = made(0, options);
  BOOST_TEST(never->allocates());
  BOOST_TEST(!always->allocates());
}

BOOST_AUTO_TEST_CASE(once_lost_it_copies_nothing_more) {
  auto options = small();
  options.peer_bytes_per_s = 1e10;
  const auto accelerator = made(0, options);
  const auto other = made(1, options);
  std::vector<std::byte> data(16);
  BOOST_TEST(!accelerator->lost());
  accelerator->lose();
  accelerator->lose();
  BOOST_TEST(accelerator->lost());
  for (const CopyDirection direction : {CopyDirection::to_device, CopyDirection::to_host}) {
    const bool in = direction == CopyDirection::to_device;
    const auto outcome = copy(*accelerator, direction, in ? data.data() : accelerator->memory(),
                              in ? accelerator->memory() : data.data(), 16);
    BOOST_TEST_REQUIRE(!outcome.ok());
    BOOST_TEST((outcome.failure().code == ErrorCode::device_lost));
    BOOST_TEST(outcome.failure().message == "emulated GPU 0 was lost");
  }
  const auto into = copy_peer(*accelerator, *other, 16);
  BOOST_TEST_REQUIRE(!into.ok());
  BOOST_TEST((into.failure().code == ErrorCode::device_lost));
  // `other` itself still works, so its copy fails without reporting a loss.
  const auto from = copy_peer(*other, *accelerator, 16);
  BOOST_TEST_REQUIRE(!from.ok());
  BOOST_TEST((from.failure().code == ErrorCode::transfer_failed));
  BOOST_TEST(from.failure().message.find("emulated GPU 0") != std::string::npos);
  BOOST_TEST(copy(*other, CopyDirection::to_device, data.data(), other->memory(), 16).ok());
}

BOOST_AUTO_TEST_CASE(copies_from_one_that_has_gone_end) {
  auto options = small();
  options.peer_bytes_per_s = 1e10;
  options.latency = 20ms;
  auto source = made(0, options);
  const auto destination = made(1, options);
  std::fill_n(source->memory(), 500, std::byte{9});
  std::promise<void> ended;
  destination->copy_from(*source, {source->memory(), 500, destination->memory(), 500, 500, 1}, 1, false,
                         [&](Result<void>) { ended.set_value(); });
  source.reset();
  ended.get_future().wait();
  BOOST_TEST((destination->memory()[499] == std::byte{9}));
}

BOOST_AUTO_TEST_CASE(options_that_cannot_be_used_are_named) {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto says = [](const EmulationOptions& options, const std::string& part) {
    const Failure failure = refused(options);
    BOOST_TEST((failure.code == ErrorCode::invalid_argument));
    BOOST_TEST_CONTEXT(failure.message << " should say " << part) {
      BOOST_TEST(failure.message.find(part) != std::string::npos);
    }
  };
  for (const double rate : {0.0, -1.0, infinite, std::numeric_limits<double>::quiet_NaN()}) {
    auto options = small();
    options.to_device_bytes_per_s = rate;
    says(options, "copies to it must be a number of bytes per second above zero");
    options = small();
    options.to_host_bytes_per_s = rate;
    says(options, "copies from it must be a number of bytes per second above zero");
    options = small();
    options.faults.kernel = rate == 0 ? 1.5 : rate;
    says(options, "the probability that kernels fail must be between 0 and 1");
  }
  auto options = small();
  options.peer_bytes_per_s = -3;
  says(options, "between accelerators");
  options = small();
  options.latency = -1us;
  says(options, "latency");
  options = small();
  options.memory = {};
  says(options, "memory must be above zero");
}

BOOST_AUTO_TEST_CASE(memory_that_the_host_does_not_have_is_refused) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 50U, std::numeric_limits<std::uint64_t>::max()}) {
    auto options = small();
    options.memory = {bytes};
    const Failure failure = refused(options);
    BOOST_TEST((failure.code == ErrorCode::out_of_memory));
    BOOST_TEST(failure.message.find("MiB") != std::string::npos);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
