#include "lab/experiments/claims/claims.hpp"

#include <fmt/format.h>

#include <utility>

#include "traces/text/table.hpp"

namespace troupe::apps {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::holds_in_part: return "holds in part";
    case Verdict::does_not_hold: return "does not hold";
    case Verdict::not_tested: return "not tested";
  }
  return "";
}

Verdict Judgement::verdict() const {
  if (checks == 0) return Verdict::not_tested;
  if (passed == checks) return Verdict::holds;
  return 2 * passed >= checks ? Verdict::holds_in_part : Verdict::does_not_hold;
}

std::string verdict_text(const Judgement& judgement) {
  if (judgement.checks == 0) return to_string(judgement.verdict());
  return fmt::format("{} ({}/{})", to_string(judgement.verdict()), judgement.passed, judgement.checks);
}

std::string claims_text(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns) {
  std::vector<std::string> titles{"section", "claim"};
  for (const VerdictColumn& column : columns) titles.push_back(column.title);
  traces::Table table(std::move(titles));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    std::vector<std::string> cells{claims[i].section, claims[i].statement};
    for (const VerdictColumn& column : columns) cells.push_back(verdict_text((*column.judgements)[i]));
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::string claims_markdown(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns,
                            const std::vector<std::string>& measured, bool rules) {
  std::string text = rules ? "| section | claim | rule |" : "| claim |";
  for (const VerdictColumn& column : columns) text += fmt::format(" {} |", column.title);
  text += rules ? " measured |\n|---|---|---|" : " measured |\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "---|\n";
  for (std::size_t i = 0; i < claims.size(); ++i) {
    text += rules ? fmt::format("| {} | {} | {} |", claims[i].section, claims[i].statement, claims[i].rule)
                  : fmt::format("| {} |", claims[i].statement);
    for (const VerdictColumn& column : columns) text += fmt::format(" {} |", verdict_text((*column.judgements)[i]));
    text += fmt::format(" {} |\n", measured[i]);
  }
  return text;
}

std::string claims_csv(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns) {
  std::string text = "name,section,claim,rule,assumptions,verdict,passed,checks,measured\n";
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (const VerdictColumn& column : columns) {
      const Judgement& judgement = (*column.judgements)[i];
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", claims[i].name, quoted_csv(claims[i].section),
                          quoted_csv(claims[i].statement), quoted_csv(claims[i].rule), quoted_csv(column.title),
                          to_string(judgement.verdict()), judgement.passed, judgement.checks,
                          quoted_csv(judgement.measured));
    }
  }
  return text;
}

Json claims_json(const std::vector<Claim>& claims, const std::vector<VerdictColumn>& columns) {
  Json all = Json::array();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    Json claim{{"name", claims[i].name},
               {"section", claims[i].section},
               {"statement", claims[i].statement},
               {"rule", claims[i].rule}};
    for (const VerdictColumn& column : columns) {
      const Judgement& judgement = (*column.judgements)[i];
      claim["verdicts"].push_back({{"assumptions", column.title},
                                   {"verdict", to_string(judgement.verdict())},
                                   {"checks", judgement.checks},
                                   {"passed", judgement.passed},
                                   {"measured", judgement.measured}});
    }
    all.push_back(std::move(claim));
  }
  return all;
}

std::string quoted_csv(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

}  // namespace troupe::apps
