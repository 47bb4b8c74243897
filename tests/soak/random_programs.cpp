// Random programs on whole runtimes, many of them.
//
//   soak_random_programs -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), from FIRST (default 1) on
//
// Each seed is submitted directly, then recorded and run many times.
// A seed that fails is printed with the command that runs it again; so is one that has not ended after a minute.
#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/random_run_actor.hpp"

namespace troupe::tests {
namespace {

std::string replay(std::uint64_t seed) {
  return std::string(boost::unit_test::framework::master_test_suite().argv[0]) + " -- 1 " + std::to_string(seed);
}

/// Ends the program, loudly, when `next` has not been called for a minute.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    condition_.notify_all();
    thread_.join();
  }
  void next(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    seed_ = seed;
    ++round_;
    condition_.notify_all();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      const std::uint64_t round = round_;
      const bool moved = condition_.wait_for(lock, std::chrono::minutes(1), [&] { return ended_ || round_ != round; });
      if (moved) continue;
      std::fprintf(stderr, "seed %llu hangs; to run it again: %s\n", static_cast<unsigned long long>(seed_),
                   replay(seed_).c_str());
      std::abort();
    }
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  std::uint64_t seed_ = 0;   // guarded by mutex_
  std::uint64_t round_ = 0;  // guarded by mutex_
  bool ended_ = false;       // guarded by mutex_
  std::thread thread_;
};

BOOST_AUTO_TEST_SUITE(random_programs)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  Watchdog watchdog;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    const RandomRun run = random_run(seed);
    const auto report = [&](const std::vector<std::string>& problems, const char* how) {
      for (const std::string& problem : problems) {
        BOOST_ERROR("seed " << seed << " (" << describe(run) << how << "): " << problem
                            << "; to run it again: " << replay(seed));
      }
    };
    report(execute(run), "");
    report(execute_recorded(run), ", recorded");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
