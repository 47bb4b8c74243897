/// A program's source as the preprocessor reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::opencl {

/// Returns the lines without comments. Lines that are joined by a backslash count as one line.
[[nodiscard]] std::vector<std::string> logical_lines(const std::string& text);

/// Returns the line with empty texts in place of the texts in quotes.
[[nodiscard]] std::string without_strings(std::string_view line);

/// Returns the identifiers in the order of the text. Letters within numbers are not identifiers.
[[nodiscard]] std::vector<std::string> identifiers(std::string_view text);

/// Returns the tokens: identifiers, numbers, and every other character that is not a blank as a separate token.
[[nodiscard]] std::vector<std::string> tokens(std::string_view text);

/// A directive of the preprocessor. The name is empty if the line is not a directive.
struct Directive {
  std::string name;
  std::string rest;
};
[[nodiscard]] Directive directive_of(const std::string& line);

[[nodiscard]] bool is_blank(const std::string& line);

/// Returns true if the text has a directive of this name, such as `include`.
[[nodiscard]] bool has_directive(const std::string& text, const std::string& name);

}  // namespace troupe::opencl
