#include "tests/documents/manual.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace troupe::documents {

namespace {

namespace fs = std::filesystem;

std::string without_indent(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

std::string marker_in(const std::string& line) {
  const std::string text = without_indent(line);
  return text.starts_with("<!-- ") && text.ends_with(" -->") ? text.substr(5, text.size() - 9) : "";
}

}  // namespace

std::string content(const fs::path& path) {
  std::ifstream file(fs::path(TROUPE_SOURCE_DIR) / path);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

Page read_page(const std::string& path) {
  Page page;
  page.path = path;
  std::istringstream text(content(path));
  bool inside = false;
  std::size_t indent = 0;
  for (std::string line; std::getline(text, line);) {
    const bool fence = without_indent(line).starts_with("```");
    if (fence && !inside) {
      indent = line.find('`');
      page.blocks.push_back({static_cast<int>(page.lines.size()) + 2, without_indent(line).substr(3),
                             page.lines.empty() ? "" : marker_in(page.lines.back()), ""});
    } else if (inside && !fence) {
      page.blocks.back().text += line.substr(std::min(indent, line.size())) + "\n";
    }
    page.prose.push_back(fence || inside ? "" : line);
    page.lines.push_back(line);
    inside = inside != fence;
  }
  if (inside) throw std::runtime_error(path + ": a block is not closed");
  return page;
}

const std::vector<Page>& pages() {
  static const std::vector<Page> all = [] {
    std::vector<std::string> paths{"README.md"};
    for (const auto& entry : fs::directory_iterator(fs::path(TROUPE_SOURCE_DIR) / "docs")) {
      if (entry.path().extension() == ".md") paths.push_back("docs/" + entry.path().filename().string());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Page> result;
    for (const std::string& path : paths) result.push_back(read_page(path));
    return result;
  }();
  return all;
}

}  // namespace troupe::documents
