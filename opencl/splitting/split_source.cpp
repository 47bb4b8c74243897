#include "opencl/splitting/split_source.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace troupe::opencl {

namespace {

bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A word, or any other character that is not a blank.
struct Token {
  std::string_view text;
  std::size_t begin = 0;
};

/// The tokens of a source, without comments, string literals and preprocessor lines.
class Tokens {
 public:
  explicit Tokens(std::string_view source) : source_(source) {
    while (at_ < source_.size()) step();
  }
  [[nodiscard]] std::vector<Token> take() { return std::move(tokens_); }

 private:
  [[nodiscard]] bool starts(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void step() {
    const char c = source_[at_];
    if (c == '\n') {
      line_begins_ = true;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (starts("//")) {
      skip_line();
    } else if (starts("/*")) {
      const std::size_t end = source_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? source_.size() : end + 2;
    } else if (c == '#' && line_begins_) {
      skip_line();
    } else if (c == '"' || c == '\'') {
      skip_text(c);
    } else {
      add_token();
    }
  }

  /// Skips to the end of the line; after a backslash the line continues.
  void skip_line() {
    while (at_ < source_.size() && source_[at_] != '\n') {
      if (source_[at_] == '\\') ++at_;
      if (starts("\r\n")) ++at_;
      ++at_;
    }
  }

  void skip_text(char quote) {
    line_begins_ = false;
    for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_) {
      if (source_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  void add_token() {
    line_begins_ = false;
    std::size_t end = at_ + 1;
    while (in_word(source_[at_]) && end < source_.size() && in_word(source_[end])) ++end;
    tokens_.push_back({source_.substr(at_, end - at_), at_});
    at_ = end;
  }

  const std::string_view source_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<Token> tokens_;
};

/// The places of a kernel's definition: `)` at the end of the parameter list, and `{` at the beginning of the body.
struct Definition {
  std::size_t list_end = 0;
  std::size_t body = 0;
  bool takes_nothing = false;
};

class DefinitionSearch {
 public:
  explicit DefinitionSearch(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] std::optional<Definition> of(std::string_view name) const {
    std::optional<Definition> found;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is(i, "{")) ++depth;
      if (is(i, "}") && depth > 0) --depth;
      if (depth > 0 || !is(i, name) || !is(i + 1, "(")) continue;
      // A second declaration, such as a prototype, would also have to be changed, so the search fails.
      const std::optional<Definition> here = from(i + 1);
      if (found || !here) return std::nullopt;
      found = here;
    }
    return found;
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }

  /// Returns the index behind the bracket that closes the bracket at `i`; the number of tokens if there is none.
  [[nodiscard]] std::size_t behind(std::size_t i) const {
    std::size_t open = 0;
    for (; i < tokens_.size(); ++i) {
      if (is(i, "(")) ++open;
      if (is(i, ")") && --open == 0) return i + 1;
    }
    return tokens_.size();
  }

  [[nodiscard]] std::optional<Definition> from(std::size_t list) const {
    const std::size_t list_end = behind(list) - 1;
    std::size_t next = list_end + 1;
    while (is(next, "__attribute__")) next = behind(next + 1);
    if (!is(next, "{") || !is(list_end, ")")) return std::nullopt;
    return Definition{tokens_[list_end].begin, tokens_[next].begin, list_end == list + 1};
  }

  const std::vector<Token> tokens_;
};

}  // namespace

std::optional<std::string> source_for_slices(const std::string& source, const std::string& kernel,
                                             std::span<const WrittenParameter> written) {
  const std::optional<Definition> definition = DefinitionSearch(Tokens(source).take()).of(kernel);
  if (!definition || definition->takes_nothing) return std::nullopt;
  std::string parameters;
  std::string moves;
  for (const WrittenParameter& one : written) {
    parameters += fmt::format(", ulong troupe_before_{}", one.index);
    moves += fmt::format(" {0} = (__typeof__({0}))((__global char*){0} - troupe_before_{1});", one.name, one.index);
  }
  std::string changed = source;
  changed.insert(definition->body + 1, moves);
  changed.insert(definition->list_end, parameters);
  return changed;
}

std::string answers_of_whole(const NdRange& whole) {
  const auto by_dimension = [&](const std::array<std::size_t, 3>& values, std::size_t beyond) {
    return fmt::format("((size_t)((d) == 0 ? {}UL : (d) == 1 ? {}UL : (d) == 2 ? {}UL : {}UL))", values[0], values[1],
                       values[2], beyond);
  };
  return fmt::format(
      "#define get_global_size(d) {}\n"
      "#define get_global_offset(d) {}\n"
      "#define get_num_groups(d) ((get_global_size(d) + get_local_size(d) - 1) / get_local_size(d))\n"
      "#define get_group_id(d) ((get_global_id(d) - get_global_offset(d)) / get_local_size(d))\n"
      "#line 1\n",
      by_dimension(whole.global, 1), by_dimension(whole.offset, 0));
}

}  // namespace troupe::opencl
