/// Claims of papers, the rules by which they are judged here, and tables of the verdicts.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace troupe::apps {

/// A claim holds if all of its checks pass, and in part if at least half of them do. It is not tested if it has no
/// checks.
enum class Verdict { holds, holds_in_part, does_not_hold, not_tested };

/// Returns "holds", "holds in part", "does not hold" or "not tested".
[[nodiscard]] const char* to_string(Verdict verdict);

/// A statement of a paper, and the comparisons by which it is judged.
struct Claim {
  /// A short name, such as "lu-bytes-factor".
  std::string name;
  /// The section of the paper.
  std::string section;
  std::string statement;
  /// The rule: what is checked.
  std::string rule;
};

struct Judgement {
  int checks = 0;
  int passed = 0;
  /// The numbers on which the judgement rests.
  std::string measured;

  [[nodiscard]] Verdict verdict() const;

  void check(bool holds) {
    ++checks;
    passed += holds ? 1 : 0;
  }
  /// Adds a text to `measured`.
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    measured += measured.empty() ? "" : "; ";
    measured += fmt::format(format, std::forward<Args>(args)...);
  }
};

/// Returns the verdict and the checks, such as "holds (6/6)" or "not tested".
[[nodiscard]] std::string verdict_text(const Judgement& judgement);

/// The judgements of all claims under one set of assumptions.
struct VerdictColumn {
  std::string title;
  const std::vector<Judgement>* judgements;
};

/// Returns a table for terminals.
[[nodiscard]] std::string claims_text(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns);
/// Returns Markdown: a line for each claim, with its numbers; also with its section and rule if `rules` is true.
[[nodiscard]] std::string claims_markdown(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns,
                                          const std::vector<std::string>& measured, bool rules);

/// Returns CSV: a line for each claim and column.
[[nodiscard]] std::string claims_csv(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns);

/// Returns the text as a cell of a CSV file.
[[nodiscard]] std::string quoted_csv(const std::string& text);

}  // namespace troupe::apps
