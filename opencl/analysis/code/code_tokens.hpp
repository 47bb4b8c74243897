/// The tokens of LLVM's textual intermediate code.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe::opencl {

/// Thrown for a text that the reader does not understand. Then no facts about the code are known; this is no error of
/// the program.
struct CodeNotUnderstood : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CodeToken {
  enum class Kind : std::uint8_t {
    end,
    word,       ///< For example `add`, `i32`, `-1`, `1.0e+00`, `...`.
    local,      ///< `%name`; `text` is without the `%`.
    global,     ///< `@name`; `text` is without the `@`.
    attribute,  ///< `#1`; `text` is without the `#`.
    metadata,   ///< `!name`; `text` is without the `!`.
    text,       ///< A quoted string.
    sign,       ///< One character.
  };
  Kind kind = Kind::end;
  /// The token's text. Names in quotes are stored without the quotes; escapes are not replaced.
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
  /// If the next token is the given sign or word, takes it and returns true.
  bool skip(char sign);
  bool skip(std::string_view word);
  void expect(char sign);
  void expect(std::string_view word);
  [[nodiscard]] std::string_view expect(CodeToken::Kind kind);
  /// Skips the next token, which must be `(`, `[`, `{` or `<`, and all tokens up to the token that closes it.
  void skip_group();

 private:
  void next();

  std::string_view rest_;
  CodeToken current_;
};

/// Returns the whole word as a number; nothing if the word is not a number, or does not fit.
[[nodiscard]] std::optional<std::int64_t> code_number(std::string_view word);

}  // namespace troupe::opencl
