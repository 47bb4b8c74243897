/// Words of LLVM's textual intermediate code.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe::opencl {

/// The text is not what the reader knows. What it says is unknown then, which is no error to anybody else.
struct CodeNotUnderstood : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CodeToken {
  enum class Kind : std::uint8_t {
    end,
    word,       ///< `add`, `i32`, `-1`, `1.0e+00`, `...`
    local,      ///< `%name`, without the sign
    global,     ///< `@name`, without the sign
    attribute,  ///< `#1`, without the sign
    metadata,   ///< `!name`, without the sign
    text,       ///< a quoted string
    sign,       ///< one character
  };
  Kind kind = Kind::end;
  /// Names in quotes are without these, escapes as they stand.
  std::string_view text;

  [[nodiscard]] bool is(char sign) const { return kind == Kind::sign && text[0] == sign; }
  [[nodiscard]] bool is(std::string_view word) const { return kind == Kind::word && text == word; }
};

/// Takes tokens from the front of a text that outlives this. Throws CodeNotUnderstood where an expected one is not
/// there.
class CodeTokens {
 public:
  explicit CodeTokens(std::string_view text) : rest_(text) { next(); }

  [[nodiscard]] const CodeToken& peek() const { return current_; }
  [[nodiscard]] bool at_end() const { return current_.kind == CodeToken::Kind::end; }
  CodeToken take();
  /// True, and taken, where it is the next one.
  bool skip(char sign);
  bool skip(std::string_view word);
  void expect(char sign);
  void expect(std::string_view word);
  [[nodiscard]] std::string_view expect(CodeToken::Kind kind);
  /// The next one is `(`, `[`, `{` or `<`: takes all up to the one that closes it.
  void skip_group();

 private:
  void next();

  std::string_view rest_;
  CodeToken current_;
};

/// The whole word as a number; nothing where it is none, or does not fit.
[[nodiscard]] std::optional<std::int64_t> code_number(std::string_view word);

}  // namespace troupe::opencl
