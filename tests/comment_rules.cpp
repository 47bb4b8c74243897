#include "tests/comment_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>

namespace troupe::tests {
namespace {

/// Words with which a comment must not begin, because they only make sense after other words. "The same" is refused
/// because the reader cannot know to what it refers.
constexpr std::array<std::string_view, 17> kOpenings{"Of",       "That",  "Whose", "Who",  "Whom",  "Which",
                                                     "The same", "As",    "Those", "Than", "What",  "Whether",
                                                     "How",      "Among", "Nor",   "Such", "Behind"};

bool opens_with(std::string_view text, std::string_view words) {
  if (!text.starts_with(words)) return false;
  if (text.size() == words.size()) return true;
  const char next = text[words.size()];
  return !((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'));
}

/// A line of a source file, with its comment if there is one.
struct Line {
  bool only_comment = false;
  /// The number of slashes with which the comment begins, two or three.
  std::size_t slashes = 0;
  std::string_view text;
};

/// Returns the position at which a comment begins: two slashes that are neither in a string nor in an address such as a
/// URL.
std::size_t comment_in(std::string_view line) {
  bool in_text = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (in_text && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      in_text = !in_text;
    } else if (!in_text && line[i] == '/' && line[i + 1] == '/') {
      return i;
    }
  }
  return std::string_view::npos;
}

std::optional<Line> comment_of(std::string_view line) {
  const std::size_t begin = comment_in(line);
  if (begin == std::string_view::npos) return std::nullopt;
  Line found;
  found.only_comment = line.substr(0, begin).find_first_not_of(" \t") == std::string_view::npos;
  std::size_t end = begin;
  while (end < line.size() && line[end] == '/') ++end;
  found.slashes = end - begin;
  if (end < line.size() && line[end] == '<') ++end;
  const std::size_t text = line.find_first_not_of(' ', end);
  if (text != std::string_view::npos) found.text = line.substr(text);
  return found;
}

void check_file(const SourceFile& file, std::vector<Fragment>& fragments) {
  std::istringstream lines(file.text);
  std::optional<Line> before;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::optional<Line> comment = comment_of(line);
    const bool goes_on = comment && before && comment->only_comment && before->slashes == comment->slashes;
    if (comment && !goes_on) {
      const auto opens = [&](std::string_view words) { return opens_with(comment->text, words); };
      if (std::ranges::any_of(kOpenings, opens)) fragments.push_back({file.path, number, std::string(comment->text)});
    }
    before = comment ? std::optional(Line{comment->only_comment, comment->slashes, {}}) : std::nullopt;
  }
}

}  // namespace

std::vector<Fragment> check_comments(const std::vector<SourceFile>& files) {
  std::vector<Fragment> fragments;
  for (const SourceFile& file : files) check_file(file, fragments);
  return fragments;
}

}  // namespace troupe::tests
