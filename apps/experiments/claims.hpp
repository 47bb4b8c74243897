/// What papers say, by which rules it is judged here, and tables of the verdicts.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace troupe::apps {

/// All of a claim's checks pass; at least half of them do; fewer do; there are none.
enum class Verdict { holds, holds_in_part, does_not_hold, not_tested };

/// "holds", "holds in part", "does not hold", "not tested".
[[nodiscard]] const char* to_string(Verdict verdict);

/// A statement, and the comparisons that it comes to.
struct Claim {
  /// "lu-bytes-factor".
  std::string name;
  /// Of the paper.
  std::string section;
  std::string statement;
  /// What is checked.
  std::string rule;
};

struct Judgement {
  int checks = 0;
  int passed = 0;
  /// The numbers on which it rests.
  std::string measured;

  [[nodiscard]] Verdict verdict() const;

  void check(bool holds) {
    ++checks;
    passed += holds ? 1 : 0;
  }
  /// Adds to the numbers.
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    measured += measured.empty() ? "" : "; ";
    measured += fmt::format(format, std::forward<Args>(args)...);
  }
};

/// "holds (6/6)", "not tested".
[[nodiscard]] std::string verdict_text(const Judgement& judgement);

/// Judgements under one set of assumptions: one for each claim.
struct VerdictColumn {
  std::string title;
  const std::vector<Judgement>* judgements;
};

/// For terminals.
[[nodiscard]] std::string claims_text(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns);
/// As Markdown, a line for each claim, with its numbers; and with section and rule, or without.
[[nodiscard]] std::string claims_markdown(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns,
                                          const std::vector<std::string>& measured, bool rules);

/// As CSV: a line for each claim and column.
[[nodiscard]] std::string claims_csv(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns);

/// A cell of a CSV file.
[[nodiscard]] std::string quoted_csv(const std::string& text);

}  // namespace troupe::apps
