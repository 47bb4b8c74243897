/// Random programs on a service that is killed while they run, and on the service that replaces it. Include
/// `built_paths.hpp` before this header.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/killed/lone_program.hpp"
#include "tests/support/killed/service_process.hpp"
#include "tests/support/random/random_policy.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

class KilledServiceRuns {
 public:
  /// The number of programs that share a service. Starting a service takes longer than running one program.
  static constexpr std::uint64_t kAtOnce = 5;

  /// Runs the programs of `count` seeds at the same time. The service is killed before a random operation of one
  /// program, or at that program's end. A new service replaces it at once. The programs that lost their service run
  /// again on the new one. Returns the problems, one line each.
  std::vector<std::string> execute(std::uint64_t first, std::uint64_t count) {
    if (!service_) service_ = start(first);
    Random random(first * 0xd1b54a32d192ed03ULL + 7);
    const std::uint64_t killer = random.below(static_cast<std::uint32_t>(count));
    const std::size_t last_operation = random.below(75);
    const std::chrono::microseconds pause(chance(random, 50) ? random.below(2000) : 0);
    std::binary_semaphore killed(0);
    std::atomic<bool> done = false;
    const auto kill = [&] {
      if (done.exchange(true)) return;
      if (pause.count() > 0) std::this_thread::sleep_for(pause);
      service_->kill();
      killed.release();
    };
    std::vector<std::unique_ptr<LoneProgram>> programs;
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < count; ++i) programs.push_back(std::make_unique<LoneProgram>(first + i));
    for (std::uint64_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        programs[i]->run(folder(), [&](std::size_t operation) {
          if (i == killer && operation == last_operation) kill();
        });
        if (i == killer) kill();
      });
    }
    killed.acquire();
    service_.reset();
    service_ = start(first + count);
    for (std::thread& thread : threads) thread.join();
    std::vector<std::string> problems;
    for (std::uint64_t i = 0; i < count; ++i) {
      add(problems, first + i, "on the service that was killed", *programs[i]);
      lost_ += programs[i]->lost() ? 1 : 0;
      if (!programs[i]->lost()) continue;
      LoneProgram again(first + i);
      again.run(folder(), [](std::size_t) {});
      add(problems, first + i, "on the next service", again);
      if (again.lost()) problems.push_back("seed " + std::to_string(first + i) + " lost a service that lives");
    }
    return problems;
  }
  /// Returns the number of programs that were running when their service was killed.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  [[nodiscard]] std::string folder() const { return folder_.path("sockets"); }

  std::unique_ptr<ServiceProcess> start(std::uint64_t seed) {
    Random random(seed * 0x9e3779b97f4a7c15ULL + 3);
    policy_ = random_policy(random);
    const std::string accelerators = std::to_string(chance(random, 30) ? 1 + random.below(2) : 0);
    return std::make_unique<ServiceProcess>(folder(), std::vector{policy_, accelerators});
  }
  void add(std::vector<std::string>& problems, std::uint64_t seed, const char* where, const LoneProgram& program) {
    for (const std::string& one : program.problems()) {
      problems.push_back("seed " + std::to_string(seed) + " " + where + " (now " + policy_ + "): " + one);
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<ServiceProcess> service_;
  std::string policy_;
  std::uint64_t lost_ = 0;
};

}  // namespace troupe::tests
