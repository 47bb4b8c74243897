/// What a benchmark measures, before anything has run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

/// A runtime in one of its ways of being used.
struct Contestant {
  std::string runtime;
  /// Empty: the usual one.
  std::string mode;

  [[nodiscard]] std::string label() const { return mode.empty() ? runtime : runtime + "/" + mode; }
  friend bool operator==(const Contestant&, const Contestant&) = default;
};

/// `troupe`, `taskflow/static`.
[[nodiscard]] Contestant contestant_named(const std::string& label);

/// One line of the comparison: what every contestant is told to do.
struct Row {
  /// For people, one per column of `Plan::label_titles`.
  std::vector<std::string> labels;
  std::string case_name;
  /// `key=value`; `cores`, `mode` and the reference are added.
  std::vector<std::string> words;
  /// The runners' names of the figures, in the order of `Plan::figure_titles`. The first is compared.
  std::vector<std::string> keys;
  /// The runners' name of what has to be the same for all contestants and rounds; empty: nothing has.
  std::string same_key = {};
};

/// Measured by the runner `peak` at the beginning of every round, for all contestants of the round.
struct Reference {
  std::string case_name;
  std::vector<std::string> words;
  std::string key;
  /// The parameter in which it is passed on; empty: it is not.
  std::string parameter;
  /// Where set: the first figure as a share of the reference is a further figure of this name.
  std::string share_key;
};

struct Plan {
  std::string benchmark;
  /// What the first figure is, with its unit.
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
