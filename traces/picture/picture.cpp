#include "traces/picture/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "platform/files/atomic_file.hpp"
#include "traces/analysis/kernel_intervals.hpp"
#include "traces/picture/gnuplot.hpp"
#include "traces/picture/picture_script.hpp"
#include "traces/picture/picture_summary.hpp"

namespace troupe::traces {
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

/// The picture's two files. They are temporary until `commit` moves them to their places.
struct OpenFiles {
  platform::AtomicFile svg;
  platform::AtomicFile png;
};

Result<OpenFiles> open_files(const PictureFiles& names) {
  auto svg = platform::AtomicFile::create(names.svg);
  if (!svg) return svg.failure();
  auto png = platform::AtomicFile::create(names.png);
  if (!png) return png.failure();
  return OpenFiles{std::move(svg).value(), std::move(png).value()};
}

/// Adds fallback fonts to the SVG, and turns off smoothing, which would blur the seams between rectangles.
std::string finish_svg(std::string svg) {
  svg = with_fallback_fonts(std::move(svg));
  replace_all(svg, "<g id=\"gnuplot_canvas\">", "<g id=\"gnuplot_canvas\" shape-rendering=\"crispEdges\">");
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
  auto svg = run_gnuplot(script.svg());
  if (!svg) return svg.failure();
  const auto png = run_gnuplot(script.png());
  if (!png) return png.failure();
  if (auto written = write_both(files.value(), finish_svg(std::move(svg).value()), png.value()); !written)
    return written.failure();
  return names;
}

Result<void> check_picture_path(const std::string& path) {
  const auto names = names_of(path);
  if (!names) return names.failure();
  if (const auto files = open_files(names.value()); !files) return files.failure();
  return check_gnuplot();
}

Picture picture_of(const Trace& trace, const TraceDescription& description) {
  Picture picture{description.title, {}, description.workers, {}, {}};
  picture.cores.assign(picture.workers.size(), 1);
  for (const TraceEvent& event : trace.events) {
    const std::size_t worker = event.worker.index();
    const double used = event.team_use().used_fraction().value_or(1);
    for_each_kernel_interval(trace, event, [&](const Interval& interval) {
      picture.spans.push_back({worker, trace.codelet_of(event), seconds(interval.start - description.begin),
                               seconds(interval.end - description.begin), used, interval.start == event.start});
    });
    if (worker < picture.cores.size()) picture.cores[worker] = std::max(picture.cores[worker], event.cores);
  }
  return picture;
}

}  // namespace troupe::traces
