/// The plan of a benchmark: a list of all its measurements, made before any of them runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

/// A runtime in one of its modes.
struct Contestant {
  std::string runtime;
  /// The mode; empty for the runtime's usual mode.
  std::string mode;

  [[nodiscard]] std::string label() const { return mode.empty() ? runtime : runtime + "/" + mode; }
  friend bool operator==(const Contestant&, const Contestant&) = default;
};

/// Parses a label such as `troupe` or `taskflow/static`.
[[nodiscard]] Contestant contestant_named(const std::string& label);

/// One line of the comparison: a case with its parameters, which all contestants run.
struct Row {
  /// The labels for people, one per column of `Plan::label_titles`.
  std::vector<std::string> labels;
  std::string case_name;
  /// The parameters as `key=value` words; `cores`, `mode` and the reference are added later.
  std::vector<std::string> words;
  /// The names of the figures in the runners' output, in the order of `Plan::figure_titles`. The first figure is
  /// compared.
  std::vector<std::string> keys;
  /// The name of a value in the runners' output that must be equal for all contestants and rounds; empty if there is
  /// none.
  std::string same_key = {};
};

/// A figure, such as the peak rate of the cores, that the runner `peak` measures at the beginning of every round. It
/// serves all contestants of the round.
struct Reference {
  std::string case_name;
  std::vector<std::string> words;
  std::string key;
  /// The runners' parameter that gets the figure; empty if the runners do not need it.
  std::string parameter;
  /// The name of an additional figure: the first figure as a fraction of the reference. Empty if there is none.
  std::string fraction_key;
};

struct Plan {
  std::string benchmark;
  /// The meaning of the first figure, with its unit.
  std::string title;
  std::vector<std::string> label_titles;
  std::vector<std::string> figure_titles;
  bool more_is_better = false;
  /// True if the ratios are those of peers to Troupe, not of Troupe to peers, and if the report has their geometric
  /// means over all rows.
  bool peers_over_troupe = false;
  std::vector<Row> rows;
  std::vector<Contestant> contestants;
  std::optional<Reference> reference;
  int rounds = 9;
  int cores = 1;
};

}  // namespace troupe::bench
