// Tests a thread of a C program that holds data and then waits for tasks that need them.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "troupe/troupe.h"

namespace troupe::tests {

namespace c_holds {

int add_one(const troupe_kernel_context* context, void*) {
  ++*static_cast<double*>(troupe_kernel_data(context, 0, nullptr, nullptr, nullptr));
  return 0;
}

/// A program that has acquired `x` and submitted a task that needs `x`.
struct Fixture {
  troupe_runtime* runtime = nullptr;
  std::vector<double> x = std::vector<double>(4);
  troupe_data* data = nullptr;
  troupe_handle handle{};
  troupe_codelet* codelet = nullptr;
  troupe_hold* hold = nullptr;
  troupe_future future{};

  Fixture() {
    troupe_options options{};
    options.size = sizeof options;
    options.cores = 2;
    const char* const more[] = {"oversubscribe=true", "bind=false", nullptr};
    options.more = more;
    BOOST_REQUIRE_MESSAGE(troupe_start_with(&options, &runtime) == TROUPE_OK, troupe_error_message());
    BOOST_REQUIRE(troupe_register(runtime, TROUPE_DOUBLE, x.data(), 4, 1, 4, "x", &data) == TROUPE_OK);
    handle = troupe_data_handle(data);
    const troupe_mode mode = TROUPE_READ_WRITE;
    BOOST_REQUIRE(troupe_codelet_define("add", &mode, 1, nullptr, 0, add_one, nullptr, nullptr, &codelet) == TROUPE_OK);
    acquire_and_submit();
  }
  ~Fixture() {
    troupe_hold_free(hold);
    troupe_runtime_free(runtime);
    troupe_data_free(data);
    troupe_codelet_free(codelet);
  }
  void acquire_and_submit() {
    BOOST_REQUIRE(troupe_acquire(runtime, handle, TROUPE_READ_WRITE, &hold) == TROUPE_OK);
    const troupe_access access{handle, TROUPE_DECLARED};
    BOOST_REQUIRE(troupe_submit(runtime, codelet, &access, 1, nullptr, 0, nullptr, &future) == TROUPE_OK);
  }
  void give_back() {
    troupe_hold_free(hold);
    hold = nullptr;
  }
};

void never_ends(const std::string& call, troupe_error outcome) {
  BOOST_TEST(outcome == TROUPE_INVALID_ARGUMENT, call);
  const std::string message = troupe_error_message();
  for (const char* part : {"this wait would never end", "'x' in mode read_write", "troupe_hold_free"}) {
    BOOST_TEST(message.find(part) != std::string::npos, call << ": " << message);
  }
}

}  // namespace c_holds

BOOST_FIXTURE_TEST_SUITE(c_holds, c_holds::Fixture)

using c_holds::never_ends;

BOOST_AUTO_TEST_CASE(a_thread_that_waits_for_what_it_holds_is_told_so_by_every_call_that_waits) {
  const troupe_block blocks[] = {{0, 0, 2, 1}, {2, 0, 2, 1}};
  troupe_handle parts[2];
  troupe_hold* second = nullptr;
  double matrix = 4;
  troupe_factorization* factors = nullptr;
  never_ends("wait", troupe_wait(runtime));
  never_ends("future_wait", troupe_future_wait(future));
  never_ends("wait_for", troupe_wait_for(runtime, handle));
  never_ends("acquire", troupe_acquire(runtime, handle, TROUPE_READ, &second));
  never_ends("partition", troupe_partition(runtime, handle, blocks, 2, parts));
  never_ends("repartition", troupe_repartition(runtime, handle, blocks, 2, parts));
  never_ends("set_sum", troupe_set_sum(runtime, handle, TROUPE_DOUBLE));
  never_ends("data_free", troupe_data_free(data));
  BOOST_TEST(second == nullptr);
  // A factorization waits for its own tasks only.
  BOOST_TEST(troupe_factorize(runtime, TROUPE_CHOLESKY, TROUPE_DOUBLE, &matrix, 1, 1, 1, 0, &factors) == TROUPE_OK);
  BOOST_TEST(factors != nullptr);
  troupe_factorization_free(factors);
  // The refused calls have changed nothing.
  give_back();
  BOOST_TEST(troupe_future_wait(future) == TROUPE_OK);
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK);
  BOOST_TEST(x[0] == 1);
}

BOOST_AUTO_TEST_CASE(a_hold_that_another_thread_gives_back_is_forgotten) {
  std::thread([this] { give_back(); }).join();
  BOOST_TEST(troupe_future_wait(future) == TROUPE_OK);
  BOOST_TEST(troupe_wait_for(runtime, handle) == TROUPE_OK);
  BOOST_TEST(x[0] == 1);
}

BOOST_AUTO_TEST_CASE(other_threads_may_wait_for_what_this_thread_holds) {
  troupe_error outcome = TROUPE_INTERNAL;
  std::thread waiter([&] { outcome = troupe_future_wait(future); });
  give_back();
  waiter.join();
  BOOST_TEST(outcome == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(a_hold_outlives_its_thread_without_passing_to_a_later_thread) {
  give_back();
  std::thread([this] { acquire_and_submit(); }).join();
  // The system often gives the new thread the id of the one that has ended.
  troupe_error outcome = TROUPE_INTERNAL;
  std::thread waiter([&] { outcome = troupe_future_wait(future); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  give_back();
  waiter.join();
  BOOST_TEST(outcome == TROUPE_OK);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
