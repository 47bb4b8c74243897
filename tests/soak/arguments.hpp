/// The command line of soak programs, and an alarm that ends them if they hang.
#pragma once

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace troupe::tests {

/// Returns the number of seeds to try, which is the first argument after `--`; without arguments, returns `otherwise`.
inline std::uint64_t seeds(std::uint64_t otherwise) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  return suite.argc > 1 ? std::stoull(suite.argv[1]) : otherwise;
}

/// Ends the program if the object lives longer than `limit`. A scope that hangs could not report this itself.
class Alarm {
 public:
  explicit Alarm(std::chrono::seconds limit)
      : thread_([this, limit] {
          const auto deadline = std::chrono::steady_clock::now() + limit;
          while (!done_) {
            if (std::chrono::steady_clock::now() > deadline) {
              std::fputs("hung: out of time\n", stderr);
              std::abort();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace troupe::tests
