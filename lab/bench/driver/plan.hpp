/// The plan of a benchmark: what it measures, before anything has run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

/// A runtime in one of its modes.
struct Contestant {
  std::string runtime;
  /// The mode; empty for the usual one.
  std::string mode;

  [[nodiscard]] std::string label() const { return mode.empty() ? runtime : runtime + "/" + mode; }
  friend bool operator==(const Contestant&, const Contestant&) = default;
};

/// Parses a label such as `troupe` or `taskflow/static`.
[[nodiscard]] Contestant contestant_named(const std::string& label);

/// One line of the comparison: the case and parameters of every contestant.
struct Row {
  /// The labels for people, one per column of `Plan::label_titles`.
  std::vector<std::string> labels;
  std::string case_name;
  /// The `key=value` words; `cores`, `mode` and the reference are added.
  std::vector<std::string> words;
  /// The runners' names of the figures, in the order of `Plan::figure_titles`. The first figure is compared.
  std::vector<std::string> keys;
  /// The runners' name of a value that has to be the same for all contestants and rounds; empty if there is none.
  std::string same_key = {};
};

/// A figure that the runner `peak` measures at the beginning of every round, for all contestants of the round.
struct Reference {
  std::string case_name;
  std::vector<std::string> words;
  std::string key;
  /// The runners' parameter that gets the figure; empty if it is not passed on.
  std::string parameter;
  /// If this name is not empty, a further figure has it: the first figure as a share of the reference.
  std::string share_key;
};

struct Plan {
  std::string benchmark;
  /// The meaning of the first figure, with its unit.
  std::string title;
  std::vector<std::string> label_titles;
  std::vector<std::string> figure_titles;
  bool more_is_better = false;
  std::vector<Row> rows;
  std::vector<Contestant> contestants;
  std::optional<Reference> reference;
  int rounds = 9;
  int cores = 1;
};

}  // namespace troupe::bench
