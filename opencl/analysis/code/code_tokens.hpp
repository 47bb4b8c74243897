/// The tokens of LLVM's textual intermediate code.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe::opencl {

/// Thrown for a text that the reader does not understand. The facts about the code are then unknown, which is no error
/// for the program.
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
  /// The token's text. Names in quotes are without the quotes; escapes are not replaced.
  std::string_view text;

  [[nodiscard]] bool is(char sign) const { return kind == Kind::sign && text[0] == sign; }
  [[nodiscard]] bool is(std::string_view word) const { return kind == Kind::word && text == word; }
};

/// Takes tokens from the front of a text, which must outlive this object. Throws CodeNotUnderstood if an expected token
/// is missing.
class CodeTokens {
 public:
  explicit CodeTokens(std::string_view text) : rest_(text) { next(); }

  [[nodiscard]] const CodeToken& peek() const { return current_; }
  [[nodiscard]] bool at_end() const { return current_.kind == CodeToken::Kind::end; }
  CodeToken take();
  /// If this is the next token, takes it and returns true.
  bool skip(char sign);
  bool skip(std::string_view word);
  void expect(char sign);
  void expect(std::string_view word);
  [[nodiscard]] std::string_view expect(CodeToken::Kind kind);
  /// Skips everything from the next token, which must be `(`, `[`, `{` or `<`, up to the one that closes it.
  void skip_group();

 private:
  void next();

  std::string_view rest_;
  CodeToken current_;
};

/// Returns the whole word as a number; nothing if it is none, or does not fit.
[[nodiscard]] std::optional<std::int64_t> code_number(std::string_view word);

}  // namespace troupe::opencl
