/// Claims of papers, the rules by which this project judges them, and tables of the verdicts.
#pragma once

#include <string>
#include <vector>

#include "proto/json/json.hpp"

namespace troupe::apps {

/// A claim holds if all of its checks pass, and holds in part if at least half of them pass. A claim without checks is
/// not tested.
enum class Verdict { holds, holds_in_part, does_not_hold, not_tested };

/// Returns "holds", "holds in part", "does not hold" or "not tested".
[[nodiscard]] const char* to_string(Verdict verdict);

/// A statement in a paper, and the rule by which it is judged.
struct Claim {
  /// A short name, such as "lu-bytes-factor".
  std::string name;
  /// The section of the paper.
  std::string section;
  std::string statement;
  /// The rule, which says what is checked.
  std::string rule;
};

struct Judgement {
  int checks = 0;
  int passed = 0;
  /// The numbers on which the verdict is based.
  std::string measured;

  [[nodiscard]] Verdict verdict() const;

  void check(bool holds) {
    ++checks;
    passed += holds ? 1 : 0;
  }
  /// Appends a text to `measured`.
  void say(const std::string& text) { measured += (measured.empty() ? "" : "; ") + text; }
};

/// Returns the verdict with the number of checks that passed, such as "holds (6/6)", or "not tested".
[[nodiscard]] std::string verdict_text(const Judgement& judgement);

/// One column of a table: the judgements of all claims under one set of assumptions.
struct VerdictColumn {
  std::string title;
  const std::vector<Judgement>* judgements;
};

/// Returns a table for terminals, as text.
[[nodiscard]] std::string claims_text(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns);
/// Returns a Markdown table with one line for each claim and its numbers. If `rules` is true, the table also has the
/// claim's section and rule.
[[nodiscard]] std::string claims_markdown(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns,
                                          const std::vector<std::string>& measured, bool rules);

/// Returns CSV with one line for each claim and column.
[[nodiscard]] std::string claims_csv(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns);

/// Returns an array with one object for each claim, which has a verdict for each column.
[[nodiscard]] Json claims_json(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns);

/// Returns the text as a cell of a CSV file.
[[nodiscard]] std::string quoted_csv(const std::string& text);

}  // namespace troupe::apps
