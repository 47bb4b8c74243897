#include "lab/experiments/claims/claim_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "troupe/errors.hpp"

namespace troupe::apps {

namespace {

using Kind = ClaimName::Kind;

std::string trimmed(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
  return std::string(text.substr(from, text.find_last_not_of(' ') + 1 - from));
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> all;
  while (true) {
    const std::size_t end = text.find(separator);
    all.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return all;
    text.remove_prefix(end + separator.size());
  }
}

/// Removes the first word of a text and returns it.
std::string take_word(std::string& text) {
  const std::string word = text.substr(0, text.find(' '));
  text = trimmed(std::string_view(text).substr(word.size()));
  return word;
}

void require(bool condition, const std::string& otherwise) {
  if (!condition) throw Error(ErrorCode::bad_input, otherwise);
}

}  // namespace

ClaimTable::ClaimTable(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(' ') && !lines.empty())
      lines.back() += ' ' + trimmed(line);
    else if (!line.empty() && !line.starts_with('#'))
      lines.push_back(trimmed(line));
  }
  for (const std::string& line : lines) {
    try {
      add_line(line);
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, fmt::format("{}, in a line of a table of claims: {}", error.what(), line));
    }
  }
  require(repeats_.empty(), "'end' is missing after 'repeat' in a table of claims");
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    const auto checks = [](const Block& block) {
      const auto check = [](const auto& line) { return line.first == Kind::expression; };
      return std::ranges::any_of(block.lines, check) || std::ranges::any_of(block.last_lines, check);
    };
    require(std::ranges::any_of(blocks_[i], checks) != (claims_[i].rule == "none"),
            fmt::format("the claim {} needs either a 'check' or the rule 'none'", claims_[i].name));
  }
}

ClaimTable ClaimTable::embedded(std::string_view name) {
  const auto files = embedded_claims();
  const auto found = std::ranges::find(files, name, &EmbeddedClaims::name);
  require(found != files.end(), fmt::format("there is no file {}.claims", name));
  return ClaimTable(found->text);
}

void ClaimTable::add_line(const std::string& line) {
  std::string rest = line;
  std::string kind = take_word(rest);
  if (kind == "repeat") {
    repeats_.push_back(split(rest, " | "));
  } else if (kind == "end") {
    const auto repeats = std::exchange(repeats_, {});
    const auto repeated = std::exchange(repeated_, {});
    for (const std::vector<std::string>& fields : repeats) {
      for (std::string copy : repeated) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
          const std::string mark = fmt::format("${}", i + 1);
          for (std::size_t at = 0; (at = copy.find(mark)) != std::string::npos;) copy.replace(at, 2, fields[i]);
        }
        add_line(copy);
      }
    }
  } else if (!repeats_.empty()) {
    repeated_.push_back(line);
  } else if (kind == "claim") {
    const std::vector<std::string> fields = split(rest, " | ");
    require(fields.size() == 4, "a claim has a name, a section, a statement and a rule");
    claims_.push_back({fields[0], fields[1], fields[2], fields[3]});
    blocks_.emplace_back();
  } else if (kind == "each" || kind == "check" || kind == "say" || kind == "finally") {
    require(!claims_.empty(), "there is no claim before");
    std::vector<Block>& blocks = blocks_.back();
    if (kind == "each" || blocks.empty()) blocks.emplace_back();
    if (kind == "each") {
      check_claim_text(Kind::place, rest, names_);
      blocks.back().loops = rest;
      return;
    }
    auto& lines = kind == "finally" ? blocks.back().last_lines : blocks.back().lines;
    if (kind == "finally") kind = take_word(rest);
    lines.emplace_back(kind == "say" ? Kind::text : Kind::expression, rest);
    check_claim_text(lines.back().first, rest, names_);
  } else {
    add_name(kind, rest);
  }
}

void ClaimTable::add_name(const std::string& kind, const std::string& rest) {
  const auto add = [this](const std::string& name, ClaimName meaning) {
    require(names_.emplace(name, std::move(meaning)).second, fmt::format("'{}' has a meaning already", name));
  };
  if (kind == "places" || kind == "names") {
    for (const std::string& name : split(rest, " ")) add(name, {kind == "places" ? Kind::place : Kind::plain});
    return;
  }
  require(kind == "value" || kind == "let" || kind == "text" || kind == "list",
          fmt::format("'{}' begins no line", kind));
  const std::size_t sign = rest.find(" = ");
  require(sign != std::string::npos, "' = ' is missing");
  std::string name = rest.substr(0, sign);
  ClaimName meaning{Kind::value, trimmed(std::string_view(rest).substr(sign + 3))};
  if (kind == "value") {
    meaning.place = take_word(name);
    require(names_.contains(meaning.place), fmt::format("there is no place '{}'", meaning.place));
  } else {
    meaning.kind = kind == "let" ? Kind::expression : kind == "text" ? Kind::text : Kind::list;
    check_claim_text(meaning.kind, meaning.meaning, names_);
  }
  add(name, std::move(meaning));
}

std::vector<Judgement> ClaimTable::judge(const std::vector<ClaimPoint>& points, const ClaimPoint& constants) const {
  const auto check_names = [this](const ClaimPoint& point) {
    for (const auto& [name, value] : point) require(names_.contains(name), fmt::format("there is no name '{}'", name));
  };
  std::ranges::for_each(points, check_names);
  check_names(constants);
  ClaimScope scope(names_, points);
  for (const auto& [name, value] : constants) scope.set(name, value);
  std::vector<Judgement> judgements(claims_.size());
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    try {
      for (const Block& block : blocks_[i]) judge_block(block, scope, judgements[i]);
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, fmt::format("{}, in the claim {}", error.what(), claims_[i].name));
    }
  }
  return judgements;
}

void ClaimTable::judge_block(const Block& block, const ClaimScope& scope, Judgement& judgement) {
  // Adds the checks and texts, unless one of them is missing.
  const auto add = [&](const Block::Lines& lines, const ClaimScope& one) {
    std::vector<std::optional<ClaimValue>> values;
    for (const auto& [kind, line] : lines) {
      values.push_back(kind == Kind::expression ? one.value(line) : one.text(line));
      if (!values.back()) return false;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].first == Kind::expression)
        judgement.check(number_of(*values[i]) != 0);
      else
        judgement.say(std::get<std::string>(*values[i]));
    }
    return true;
  };
  std::vector<ClaimScope> counted;
  scope.for_each(block.loops, [&](const ClaimScope& one) {
    if (add(block.lines, one)) counted.push_back(one);
  });
  ClaimScope whole = scope;
  whole.counted = &counted;
  if (!counted.empty()) add(block.last_lines, whole);
}

}  // namespace troupe::apps
