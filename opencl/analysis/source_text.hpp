/// A program's source as the preprocessor reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::opencl {

/// Lines without comments. Those that a backslash continues are one line.
[[nodiscard]] std::vector<std::string> logical_lines(const std::string& text);

/// The line with empty texts in the place of those in quotes.
[[nodiscard]] std::string without_strings(std::string_view line);

/// Identifiers in their order. Letters in numbers make none.
[[nodiscard]] std::vector<std::string> identifiers(std::string_view text);

/// Identifiers and numbers, and every other character that is no blank on its own.
[[nodiscard]] std::vector<std::string> tokens(std::string_view text);

/// A line of the preprocessor. The name is empty where the line is none.
struct Directive {
  std::string name;
  std::string rest;
};
[[nodiscard]] Directive directive_of(const std::string& line);

[[nodiscard]] bool is_blank(const std::string& line);

/// The text has a directive of this name, as `include`.
[[nodiscard]] bool has_directive(const std::string& text, const std::string& name);

}  // namespace troupe::opencl
