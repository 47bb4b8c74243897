/// Scores of the best alignments of all pairs of sequences: many tasks without dependencies, whose sizes differ.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// Aligns each of `n` random sequences with every other one. The list of pairs is halved until there are at most
/// `cutoff` pairs. A gap costs something to open and something for each letter in it.
class Alignment {
 public:
  static constexpr std::int64_t kMostSequences = 1'000;

  explicit Alignment(const RecursionCase& options);

  void prepare();
  template <class Tasks>
  void run(Tasks& tasks) {
    score(tasks, 0, static_cast<std::int64_t>(pairs_.size()));
  }
  /// An alignment has the same score if both sequences change places.
  void check() const { require_right(scores_ == swapped_scores_, Recursion::alignment); }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_of(scores_); }

 private:
  using Pair = std::pair<std::int32_t, std::int32_t>;

  void score_without_tasks(std::int64_t first, std::int64_t last);

  template <class Tasks>
  void score(Tasks& tasks, std::int64_t first, std::int64_t last) {
    if (last - first <= cutoff_) return score_without_tasks(first, last);
    const std::int64_t middle = first + (last - first) / 2;
    typename Tasks::Group group(tasks);
    group.run([this, &tasks, first, middle] { score(tasks, first, middle); });
    score(tasks, middle, last);
    group.wait();
  }

  std::int64_t cutoff_ = 0;
  /// Each letter is the number of an amino acid.
  std::vector<std::string> sequences_;
  std::vector<Pair> pairs_;
  /// The scores are whole numbers.
  std::vector<double> scores_;
  std::vector<double> swapped_scores_;
};

}  // namespace troupe::bench
