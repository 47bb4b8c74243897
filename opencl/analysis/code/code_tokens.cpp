#include "opencl/analysis/code/code_tokens.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::opencl {
namespace {

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
         c == '$' || c == '-' || c == '+';
}

CodeToken::Kind kind_of_sign(char sign) {
  switch (sign) {
    case '%': return CodeToken::Kind::local;
    case '@': return CodeToken::Kind::global;
    case '#': return CodeToken::Kind::attribute;
    case '!': return CodeToken::Kind::metadata;
    default: return CodeToken::Kind::sign;
  }
}

/// Returns the length of the string at the front, including both quotes.
std::size_t quoted_length(std::string_view text) {
  const auto end = text.find('"', 1);
  if (end == std::string_view::npos) throw CodeNotUnderstood("a string does not end");
  return end + 1;
}

std::size_t word_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word_character) - text.begin());
}

char closing(char opening) {
  switch (opening) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: throw CodeNotUnderstood("a group was expected");
  }
}

}  // namespace

void CodeTokens::next() {
  rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\n\r")));
  current_ = {};
  if (rest_.empty()) return;
  const char first = rest_.front();
  std::size_t length = 1;
  if (is_word_character(first)) {
    length = word_length(rest_);
    current_ = {CodeToken::Kind::word, rest_.substr(0, length)};
  } else if (first == '"') {
    length = quoted_length(rest_);
    current_ = {CodeToken::Kind::text, rest_.substr(1, length - 2)};
  } else if (const auto kind = kind_of_sign(first); kind == CodeToken::Kind::sign) {
    current_ = {kind, rest_.substr(0, 1)};
  } else if (rest_.size() > 1 && rest_[1] == '"') {
    length = 1 + quoted_length(rest_.substr(1));
    current_ = {kind, rest_.substr(2, length - 3)};
  } else {
    length = 1 + word_length(rest_.substr(1));
    current_ = {kind, rest_.substr(1, length - 1)};
  }
  rest_.remove_prefix(length);
}

CodeToken CodeTokens::take() {
  const CodeToken token = current_;
  if (token.kind == CodeToken::Kind::end) throw CodeNotUnderstood("the text ends too early");
  next();
  return token;
}

bool CodeTokens::skip(char sign) {
  const bool found = current_.is(sign);
  if (found) next();
  return found;
}

bool CodeTokens::skip(std::string_view word) {
  const bool found = current_.is(word);
  if (found) next();
  return found;
}

void CodeTokens::expect(char sign) {
  if (!skip(sign)) throw CodeNotUnderstood(std::string("expected ") + sign);
}

void CodeTokens::expect(std::string_view word) {
  if (!skip(word)) throw CodeNotUnderstood("expected " + std::string(word));
}

std::string_view CodeTokens::expect(CodeToken::Kind kind) {
  if (current_.kind != kind) throw CodeNotUnderstood("another kind of word was expected");
  return take().text;
}

void CodeTokens::skip_group() {
  if (current_.kind != CodeToken::Kind::sign) throw CodeNotUnderstood("a group was expected");
  std::string open;
  do {
    const CodeToken token = take();
    if (token.kind != CodeToken::Kind::sign) continue;
    const char sign = token.text[0];
    if (sign == '(' || sign == '[' || sign == '{' || sign == '<') {
      open += closing(sign);
    } else if (!open.empty() && sign == open.back()) {
      open.pop_back();
    } else if (sign == ')' || sign == ']' || sign == '}' || sign == '>') {
      throw CodeNotUnderstood("groups do not match");
    }
  } while (!open.empty());
}

std::optional<std::int64_t> code_number(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace troupe::opencl
