#include "traces/picture/gnuplot.hpp"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "traces/picture/child_process.hpp"

namespace troupe::traces {

namespace {

Result<std::string> run(const std::vector<std::string>& arguments, std::string_view script) {
  constexpr std::chrono::seconds kLimit{120};
  auto ran = run_child(arguments, script, kLimit);
  if (!ran) {
    return Failure{ErrorCode::io, fmt::format("{}. Pictures are drawn by gnuplot: install the package gnuplot-nox",
                                              ran.failure().message)};
  }
  auto& [exit_status, output, errors] = ran.value();
  if (exit_status == 0 && !output.empty()) return std::move(output);
  return Failure{ErrorCode::io,
                 fmt::format("gnuplot could not draw the picture (exit status {}): {}", exit_status, errors)};
}

}  // namespace

Result<std::string> run_gnuplot(std::string_view script) {
  // `-d` keeps the user's own settings out of it.
  return run({"gnuplot", "-d"}, script);
}

Result<void> check_gnuplot() {
  if (const auto version = run({"gnuplot", "--version"}, ""); !version) return version.failure();
  return {};
}

void replace_all(std::string& text, std::string_view before, std::string_view after) {
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size())) {
    text.replace(at, before.size(), after);
  }
}

std::string with_fallback_fonts(std::string svg) {
  replace_all(svg, "font-family=\"DejaVu Sans:Bold\"", "font-weight=\"bold\" font-family=\"DejaVu Sans\"");
  replace_all(svg, "font-family=\"DejaVu Sans\"", "font-family=\"DejaVu Sans, Verdana, sans-serif\"");
  return svg;
}

}  // namespace troupe::traces
