#include "platform/accelerators/copy_thread.hpp"

#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::platform {

namespace copy_thread {

/// Copies of different sizes. Each copy begins when the test allows it.
struct Fixture {
  CopyThread::Options options() {
    return {
        .name = "test", .what = "copy to the test", .copy = [this](const BlockCopy& copy) { return perform(copy); }};
  }
  Result<void> perform(const BlockCopy& copy) {
    std::unique_lock lock(mutex);
    begun.push_back(copy.column_bytes);
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    if (copy.column_bytes == kBad) return Failure{ErrorCode::transfer_failed, "a bad copy"};
    if (copy.column_bytes == kThrows) throw std::runtime_error("thrown");
    return {};
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  void wait_for_begin() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !begun.empty(); });
  }
  /// Adds a copy of `bytes` bytes. The test identifies the copy by this number.
  std::future<Result<void>> add(CopyThread& thread, std::size_t bytes, bool urgent = false) {
    auto ended = std::make_shared<std::promise<Result<void>>>();
    thread.add({nullptr, bytes, nullptr, bytes, bytes, 1}, bytes, urgent,
               [ended](Result<void> outcome) { ended->set_value(std::move(outcome)); });
    return ended->get_future();
  }

  static constexpr std::size_t kBad = 666;
  static constexpr std::size_t kThrows = 667;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::size_t> begun;
  bool open = false;
};

}  // namespace copy_thread

BOOST_FIXTURE_TEST_SUITE(copy_thread, Fixture)

BOOST_AUTO_TEST_CASE(urgent_copies_go_first_and_others_in_their_order) {
  CopyThread thread(options());
  std::vector<std::future<Result<void>>> ends;
  ends.push_back(add(thread, 1));
  wait_for_begin();
  for (const std::size_t bytes : {2, 3, 4}) ends.push_back(add(thread, bytes));
  ends.push_back(add(thread, 5, true));
  thread.hurry(4);
  thread.hurry(99);
  let_go();
  for (auto& end : ends) BOOST_TEST(end.get().ok());
  BOOST_TEST((begun == std::vector<std::size_t>{1, 5, 4, 2, 3}));
  BOOST_TEST(thread.traffic().copies == 5U);
  BOOST_TEST(thread.traffic().bytes.count == 15U);
}

BOOST_AUTO_TEST_CASE(a_copy_that_fails_or_throws_ends_with_why) {
  CopyThread thread(options());
  let_go();
  const Result<void> bad = add(thread, kBad).get();
  BOOST_TEST_REQUIRE(!bad.ok());
  BOOST_TEST(bad.failure().message == "a bad copy");
  const Result<void> thrown = add(thread, kThrows).get();
  BOOST_TEST_REQUIRE(!thrown.ok());
  BOOST_TEST((thrown.failure().code == ErrorCode::transfer_failed));
  BOOST_TEST(thrown.failure().message == "copy to the test: thrown");
  BOOST_TEST(add(thread, 7).get().ok());
  BOOST_TEST(thread.traffic().copies == 1U);
}

BOOST_AUTO_TEST_CASE(nothing_to_copy_is_copied_by_nobody) {
  CopyThread thread(options());
  BOOST_TEST(add(thread, 0).get().ok());
  BOOST_TEST(begun.empty());
}

BOOST_AUTO_TEST_CASE(stopping_waits_for_the_copy_under_way_and_gives_up_the_others) {
  CopyThread thread(options());
  auto first = add(thread, 1);
  wait_for_begin();
  auto second = add(thread, 2);
  std::thread stopping([&] { thread.stop(); });
  BOOST_TEST((first.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout));
  // If a new copy ends inside the call, with a failure, then `stop` has been called.
  while (true) {
    auto late = add(thread, 3);
    if (late.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) continue;
    BOOST_TEST((late.get().failure().code == ErrorCode::transfer_failed));
    break;
  }
  let_go();
  stopping.join();
  BOOST_TEST(first.get().ok());
  const Result<void> given_up = second.get();
  BOOST_TEST_REQUIRE(!given_up.ok());
  BOOST_TEST((given_up.failure().code == ErrorCode::transfer_failed));
  BOOST_TEST((begun == std::vector<std::size_t>{1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
