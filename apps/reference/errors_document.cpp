#include <fmt/format.h>

#include <sstream>
#include <string_view>

#include "apps/reference/exit_codes.hpp"
#include "apps/reference/reference_documents.hpp"
#include "platform/files/file_text.hpp"

namespace troupe::apps {

namespace {

/// The name of an enumerator and the comment above it.
struct CommentedCode {
  std::string name;
  std::string comment;
};

std::string without_indent(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : line.substr(begin);
}

/// Returns the codes of `ErrorCode`, in their order.
std::vector<CommentedCode> codes_in(const std::string& header) {
  std::vector<CommentedCode> codes;
  std::istringstream lines(header.substr(std::min(header.find("enum class ErrorCode"), header.size())));
  std::string comment;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    line = without_indent(line);
    if (line.starts_with("};")) break;
    if (line.starts_with("///")) {
      comment += line.substr(3);
    } else if (line.ends_with(',')) {
      codes.push_back({line.substr(0, line.size() - 1), without_indent(comment)});
      comment.clear();
    }
  }
  return codes;
}

}  // namespace

Result<ReferenceDocument> errors_document(const std::string& source) {
  const std::string path = source + "/include/troupe/errors.hpp";
  const auto header = platform::read_text(path, Bytes{std::uint64_t{1} << 20U}, "header");
  if (!header) return header.failure();
  std::string text = "# Errors and exit codes\n" + written_by() +
                     "\n## Exit codes\n\nOf every command of `troupe`:\n\n| exit code | meaning |\n|---|---|\n";
  for (const ExitCode& code : kExitCodes) text += fmt::format("| {} | {} |\n", code.code, cell(code.meaning));
  text +=
      "\n## Error codes\n\nOf `troupe::Error::code()`, by the names that traces, logs and the service use. A command "
      "that fails with one ends with the exit code beside it.\n\n"
      "| code | meaning | exit code |\n|---|---|---|\n";
  const std::vector<CommentedCode> codes = codes_in(header.value());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (codes[i].comment.empty() || codes[i].name != to_string(code)) {
      return Failure{ErrorCode::bad_input, fmt::format("{}: '{}' has no comment, or is not called '{}'", path,
                                                       codes[i].name, to_string(code))};
    }
    text += fmt::format("| `{}` | {} | {} |\n", codes[i].name, cell(codes[i].comment), exit_code(code));
  }
  if (codes.empty()) return Failure{ErrorCode::bad_input, path + " has no enum class ErrorCode"};
  return ReferenceDocument{"errors.md", std::move(text)};
}

}  // namespace troupe::apps
