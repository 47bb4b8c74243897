#include "traces/picture/gnuplot.hpp"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "platform/files/atomic_file.hpp"
#include "platform/files/child_process.hpp"

namespace troupe::traces {

namespace {

Result<std::string> run(const std::vector<std::string>& arguments, std::string_view script) {
  constexpr std::chrono::seconds kLimit{120};
  auto ran = platform::run_child(arguments, script, kLimit);
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
  // `-d` makes gnuplot ignore the user's own settings.
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

Result<void> draw_with_gnuplot(const std::string& path, std::string_view script) {
  std::string of_form(script);
  if (path.ends_with(".png")) replace_all(of_form, "set terminal svg ", "set terminal pngcairo ");
  auto picture = run_gnuplot(of_form);
  if (!picture) return picture.failure();
  if (!path.ends_with(".svg")) return platform::write_file(path, picture.value());
  return platform::write_file(path, with_fallback_fonts(std::move(picture).value()));
}

Result<void> check_drawing_path(const std::string& path, std::string_view what) {
  if (!path.ends_with(".svg") && !path.ends_with(".png")) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the {}'s name '{}' has to end in '.svg' or '.png'", what, path)};
  }
  if (const auto file = platform::AtomicFile::create(path); !file) return file.failure();
  return check_gnuplot();
}

std::string with_fallback_fonts(std::string svg) {
  replace_all(svg, "font-family=\"DejaVu Sans:Bold\"", "font-weight=\"bold\" font-family=\"DejaVu Sans\"");
  replace_all(svg, "font-family=\"DejaVu Sans\"", "font-family=\"DejaVu Sans, Verdana, sans-serif\"");
  return svg;
}

}  // namespace troupe::traces
