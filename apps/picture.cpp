#include "apps/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "apps/atomic_file.hpp"
#include "apps/child_process.hpp"
#include "apps/picture_script.hpp"
#include "apps/picture_summary.hpp"

namespace troupe::apps {
namespace {

constexpr std::string_view kSvg = ".svg";
constexpr std::string_view kPng = ".png";

Result<PictureFiles> names_of(const std::string& path) {
  const auto stem = path.substr(0, path.size() - std::min(path.size(), kSvg.size()));
  if (!stem.empty() && stem.back() != '/' && (path.ends_with(kSvg) || path.ends_with(kPng))) {
    return PictureFiles{stem + std::string(kSvg), stem + std::string(kPng)};
  }
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("the picture's name '{}' has to end in '.svg' or '.png'; both are written", path)};
}

/// Both files, not in their places yet.
struct OpenFiles {
  AtomicFile svg;
  AtomicFile png;
};

Result<OpenFiles> open_files(const PictureFiles& names) {
  auto svg = AtomicFile::create(names.svg);
  if (!svg) return svg.failure();
  auto png = AtomicFile::create(names.png);
  if (!png) return png.failure();
  return OpenFiles{std::move(svg).value(), std::move(png).value()};
}

/// What gnuplot prints when it runs `script`; `-d` keeps the user's own settings out of it.
Result<std::string> run_gnuplot(const std::vector<std::string>& arguments, std::string_view script) {
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

void replace(std::string& text, std::string_view before, std::string_view after) {
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size())) {
    text.replace(at, before.size(), after);
  }
}

/// What gnuplot's SVG lacks: fonts for machines without the one named, and no blurred seams between rectangles.
std::string finish_svg(std::string svg) {
  replace(svg, "font-family=\"DejaVu Sans:Bold\"", "font-weight=\"bold\" font-family=\"DejaVu Sans\"");
  replace(svg, "font-family=\"DejaVu Sans\"", "font-family=\"DejaVu Sans, Verdana, sans-serif\"");
  replace(svg, "<g id=\"gnuplot_canvas\">", "<g id=\"gnuplot_canvas\" shape-rendering=\"crispEdges\">");
  return svg;
}

Result<void> write_both(OpenFiles& files, std::string_view svg, std::string_view png) {
  if (auto written = files.svg.write(svg); !written) return written;
  if (auto written = files.png.write(png); !written) return written;
  if (auto done = files.svg.commit(); !done) return done;
  return files.png.commit();
}

}  // namespace

Result<PictureFiles> draw_picture(const std::string& path, const Picture& picture) {
  auto names = names_of(path);
  if (!names) return names;
  const auto summary = summarize(picture);
  if (!summary) return summary.failure();
  auto files = open_files(names.value());
  if (!files) return files.failure();
  const PictureScript script(picture, summary.value());
  auto svg = run_gnuplot({"gnuplot", "-d"}, script.svg());
  if (!svg) return svg.failure();
  const auto png = run_gnuplot({"gnuplot", "-d"}, script.png());
  if (!png) return png.failure();
  if (auto written = write_both(files.value(), finish_svg(std::move(svg).value()), png.value()); !written)
    return written.failure();
  return names;
}

Result<void> check_picture_path(const std::string& path) {
  const auto names = names_of(path);
  if (!names) return names.failure();
  if (const auto files = open_files(names.value()); !files) return files.failure();
  if (const auto version = run_gnuplot({"gnuplot", "--version"}, ""); !version) return version.failure();
  return {};
}

}  // namespace troupe::apps
