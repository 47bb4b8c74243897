/// Tables of claims: each row has the statement of a paper, and what is compared to judge it. The tables are the files
/// `*.claims` of this folder, which become part of the library. README.md describes them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/experiments/claims/claim_expression.hpp"
#include "lab/experiments/claims/claims.hpp"

namespace troupe::apps {

class ClaimTable {
 public:
  /// Parses a table. Throws `bad_input`, with the line, if something is not understood.
  explicit ClaimTable(std::string_view text);
  /// Returns the table in the file `name`.claims, which must exist.
  [[nodiscard]] static ClaimTable embedded(std::string_view name);

  [[nodiscard]] const std::vector<Claim>& claims() const { return claims_; }
  /// Returns a judgement for each claim. Points that are missing do not count: a claim of which all are missing is not
  /// tested. `constants` has values that do not depend on points. Throws `bad_input` if table and points do not fit.
  [[nodiscard]] std::vector<Judgement> judge(const std::vector<ClaimPoint>& points,
                                             const ClaimPoint& constants = {}) const;

 private:
  /// The combinations of some loops, and the lines for each of them, then the lines after them. A line is an expression
  /// to check, or a text.
  struct Block {
    using Lines = std::vector<std::pair<ClaimName::Kind, std::string>>;
    std::string loops;
    Lines lines;
    Lines last_lines;
  };

  void add_line(const std::string& line);
  void add_name(const std::string& kind, const std::string& rest);
  static void judge_block(const Block& block, const ClaimScope& scope, Judgement& judgement);

  ClaimNames names_;
  std::vector<Claim> claims_;
  /// The blocks of each claim.
  std::vector<std::vector<Block>> blocks_;
  // The texts that `repeat` puts in the place of $1, $2, ..., and the lines that are to be repeated.
  std::vector<std::vector<std::string>> repeats_;
  std::vector<std::string> repeated_;
};

struct EmbeddedClaims {
  std::string_view name;
  std::string_view text;
};
/// Returns the files of tables, by name.
[[nodiscard]] std::span<const EmbeddedClaims> embedded_claims();

}  // namespace troupe::apps
