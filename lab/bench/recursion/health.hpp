/// A health system simulated in time steps: a tree of villages with very little work for each, in every step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// Somebody who is ill. `steps` counts the steps of waiting in a village; in treatment, those that are left.
struct Patient {
  std::int32_t home = 0;
  std::int32_t steps = 0;
};

struct Village {
  /// The number of levels from this village to its smallest villages, both counted.
  std::int32_t levels = 0;
  /// The villages below are consecutive; the smallest villages have none.
  std::int32_t first_below = 0;
  std::int32_t beds = 0;
  std::int32_t healthy = 0;
  /// The state of the village's random numbers.
  std::uint64_t random = 0;
  std::vector<Patient> waiting;
  std::vector<Patient> treated;
  /// Patients for the village above, which takes them in the same step.
  std::vector<Patient> sent_up;
  std::int64_t cured = 0;
  std::int64_t steps_waited = 0;

  bool operator==(const Village& other) const;
};

/// Simulates `kSteps` steps of `n` levels of villages, of which each has `kBelow` villages below. In each step a
/// village comes after those below: people fall ill, wait for a bed, and are sent up if they wait too long or cannot be
/// treated. Villages with at most `cutoff` levels are simulated without tasks for those below.
class Health {
 public:
  static constexpr std::int32_t kMostLevels = 10;
  static constexpr std::int32_t kBelow = 4;
  static constexpr int kSteps = 300;

  explicit Health(const RecursionCase& options);

  void prepare() { villages_ = original_; }
  template <class Tasks>
  void run(Tasks& tasks) {
    for (int step = 0; step < kSteps; ++step) simulate(tasks, villages_.front());
  }
  /// No patient may get lost, and every village must be as it is without tasks.
  void check() const;
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  [[nodiscard]] std::span<Village> below(const Village& village);
  /// Simulates a step of one village.
  void treat(Village& village);
  /// Simulates a step of a village and of all below.
  void simulate_without_tasks(Village& village);

  template <class Tasks>
  void simulate(Tasks& tasks, Village& village) {
    if (village.levels <= cutoff_) return simulate_without_tasks(village);
    typename Tasks::Group group(tasks);
    for (Village& other : below(village)) {
      group.run([this, &tasks, &other] { simulate(tasks, other); });
    }
    group.wait();
    treat(village);
  }

  std::int64_t cutoff_ = 0;
  std::vector<Village> original_;
  std::vector<Village> expected_;
  std::vector<Village> villages_;
};

}  // namespace troupe::bench
