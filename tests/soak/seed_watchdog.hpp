/// Ends a soak program if a seed hangs, and prints the seed.
#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace troupe::tests {

/// Returns the command that runs this seed again.
inline std::string replay(std::uint64_t seed) {
  return std::string(boost::unit_test::framework::master_test_suite().argv[0]) + " -- 1 " + std::to_string(seed);
}

/// Ends the program with a message if `next` is not called for 5 minutes. On a machine that also builds, a seed may
/// take more than one.
class SeedWatchdog {
 public:
  SeedWatchdog() : thread_([this] { watch(); }) {}
  ~SeedWatchdog() {
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
      const bool moved = condition_.wait_for(lock, std::chrono::minutes(5), [&] { return ended_ || round_ != round; });
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

}  // namespace troupe::tests
