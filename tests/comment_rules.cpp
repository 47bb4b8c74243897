#include "tests/comment_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace troupe::tests {
namespace {

/// Words with which a comment must not begin, because they only make sense after other words. "The same" is refused
/// because the reader cannot know to what it refers. A small first letter does not help, except for one word alone,
/// which is the name of a parameter.
constexpr std::array<std::string_view, 17> kOpenings{"Of",       "That",  "Whose", "Who",  "Whom",  "Which",
                                                     "The same", "As",    "Those", "Than", "What",  "Whether",
                                                     "How",      "Among", "Nor",   "Such", "Behind"};

bool opens_with(std::string_view text, std::string_view words) {
  const auto small = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  if (text.empty() || small(text[0]) != small(words[0]) || !text.substr(1).starts_with(words.substr(1))) return false;
  if (text.size() == words.size()) return text[0] == words[0];
  return std::isalpha(static_cast<unsigned char>(text[words.size()])) == 0;
}

/// The marks of comments in one kind of file.
struct Notation {
  std::string_view line_mark;   ///< Begins a comment that ends with its line; empty if there is none.
  std::string_view block_mark;  ///< Begins a comment that ends with `block_end`; empty if there is none.
  std::string_view block_end;
  /// The extensions of such files, and the names of those without a telling extension.
  std::vector<std::string_view> names;
};

/// Returns the notation of files with this name, or null if it is not known. A template such as x.py.in has the
/// notation of the file that is made from it. In Python, each text between three quotes counts as a comment, because
/// nearly all such texts are docstrings.
const Notation* notation_of(std::string_view path) {
  static const std::vector<Notation> table{
      {"//", "/*", "*/", {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh", ".cl", ".js", ".proto"}},
      {"", "/*", "*/", {".css", ".map"}},
      {"!", "", "", {".f90"}},
      {"#", "\"\"\"", "\"\"\"", {".py", ".pyi"}},
      {"#", "", "", {"CMakeLists.txt", ".cmake", ".sh", ".awk", ".toml", ".yml", ".yaml"}},
      {"#", "", "", {".service", ".socket", ".sysusers", ".supp", ".lintian-overrides"}},
      {"#", "", "", {"Containerfile", "Doxyfile", ".clang-tidy", ".clangd", ".editorconfig"}}};
  if (path.ends_with(".in")) path.remove_suffix(3);
  const std::filesystem::path name = std::filesystem::path(path).filename();
  const auto is_for = [&](const Notation& notation) {
    return std::ranges::any_of(notation.names, [&](auto one) { return name == one || name.extension() == one; });
  };
  const auto found = std::ranges::find_if(table, is_for);
  return found == table.end() ? nullptr : &*found;
}

bool begins_with(std::string_view text, std::string_view mark) { return !mark.empty() && text.starts_with(mark); }

/// Returns the position of the next comment: a mark that is not in a string. The mark of a line begins the line or
/// follows a blank, unlike the `#` in `$#` and the slashes in a URL. Strings end with their lines here, so an unpaired
/// quote does no harm to later lines.
std::size_t find_comment(std::string_view text, std::size_t from, const Notation& notation) {
  char quote = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char here = text[i];
    const auto before = static_cast<unsigned char>(i == 0 ? '\n' : text[i - 1]);
    if (here == '\n') {
      quote = 0;
    } else if (quote != 0) {
      if (here == quote) quote = 0;
      if (here == '\\') ++i;
    } else if (begins_with(text.substr(i), notation.block_mark) ||
               (std::isspace(before) != 0 && begins_with(text.substr(i), notation.line_mark))) {
      return i;
    } else if (here == '"' || (here == '\'' && std::isalnum(before) == 0)) {
      quote = here;
    }
  }
  return text.size();
}

/// Returns true if only blanks precede the position on its line.
bool is_first_on_line(std::string_view text, std::size_t position) {
  const std::size_t code = text.substr(0, position).find_last_not_of(" \t");
  return code == std::string_view::npos || text[code] == '\n';
}

struct Comment {
  int line;  ///< Counted from 1.
  /// The number of slashes or other characters that begin a comment of one line. Zero if it is a block, or if code
  /// precedes the comment.
  std::size_t marks;
  std::string_view first_line;
};

/// Returns the comments of a file, in order. Consecutive lines with the same mark are one comment. A first line that
/// names an interpreter is no comment.
std::vector<Comment> comments_of(const SourceFile& file) {
  const std::string_view text = file.text;
  const bool is_script = text.starts_with("#!");
  const Notation* notation = notation_of(file.path);
  if (notation == nullptr && is_script) notation = notation_of(".sh");
  std::vector<Comment> comments;
  if (notation == nullptr) return comments;
  int line = 1;
  Comment before{0, 0, {}};
  std::size_t counted = 0;
  std::size_t end = is_script ? text.find('\n') : 0;
  for (std::size_t begin; (begin = find_comment(text, end, *notation)) < text.size();) {
    const bool is_block = begins_with(text.substr(begin), notation->block_mark);
    const std::string_view mark = is_block ? notation->block_mark : notation->line_mark;
    const std::string_view end_mark = is_block ? notation->block_end : "\n";
    std::string_view content = text.substr(begin + mark.size());
    content = content.substr(0, content.find(end_mark));
    end = begin + mark.size() + content.size() + end_mark.size();
    line += static_cast<int>(std::ranges::count(text.substr(counted, begin - counted), '\n'));
    counted = begin;
    Comment comment{line, 0, content.substr(std::min(content.find_first_not_of("#!/*<> \t\n"), content.size()))};
    comment.first_line = comment.first_line.substr(0, comment.first_line.find('\n'));
    if (!is_block && is_first_on_line(text, begin)) {
      comment.marks = mark.size() + std::min(content.find_first_not_of(mark.front()), content.size());
    }
    const bool goes_on = comment.marks != 0 && comment.marks == before.marks && before.line + 1 == line;
    if (!goes_on) comments.push_back(comment);
    before = comment;
  }
  return comments;
}

void check_file(const SourceFile& file, std::vector<Fragment>& fragments) {
  for (const Comment& comment : comments_of(file)) {
    const auto opens = [&](std::string_view words) { return opens_with(comment.first_line, words); };
    if (std::ranges::any_of(kOpenings, opens)) {
      fragments.push_back({file.path, comment.line, std::string(comment.first_line)});
    }
  }
}

}  // namespace

std::vector<SourceFile> read_commented(const std::filesystem::path& root) {
  return read_files(root, [](std::string_view path) {
    return notation_of(path) != nullptr || !std::filesystem::path(path).has_extension();
  });
}

std::vector<Fragment> check_comments(const std::vector<SourceFile>& files) {
  std::vector<Fragment> fragments;
  for (const SourceFile& file : files) check_file(file, fragments);
  return fragments;
}

}  // namespace troupe::tests
