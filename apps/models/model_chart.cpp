#include "apps/models/model_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "apps/models/model_report.hpp"
#include "traces/palette.hpp"
#include "traces/picture/gnuplot.hpp"
#include "traces/picture/gnuplot_text.hpp"
#include "troupe/devices.hpp"

namespace troupe::apps {

namespace {

using scheduler::ExecutionHistory;
using scheduler::KernelHistory;

constexpr std::size_t kColumns = 3;
constexpr int kPanelWidth = 380;
constexpr int kPanelHeight = 280;
constexpr int kTitleHeight = 40;
/// The numbers of characters that fit into the title of a panel, and into a line of its legend.
constexpr std::size_t kTitleLength = 40;
constexpr std::size_t kKeyLength = 36;

/// The names of codelets for commands of OpenCL programs. They contain blanks, unlike the names of kernels.
constexpr std::array<std::string_view, 8> kCommands{"read buffer", "write buffer",    "copy buffer", "fill buffer",
                                                    "map buffer",  "migrate buffers", "marker",      "merge parts"};

/// The key of a panel: the kernel's name, the size of an element, and true if sizes are numbers of operations.
using PanelKey = std::tuple<std::string, std::uint64_t, bool>;
using Panel = std::map<DeviceType, const KernelHistory*>;

bool has_times(const KernelHistory& kernel) {
  for (const auto& [hash, shape] : kernel.shapes()) {
    if (shape.times.count() > 0 && shape.size > 0 && shape.times.mean_s() > 0) return true;
  }
  return false;
}

std::map<PanelKey, Panel> panels_of(const ExecutionHistory& history, const std::vector<std::string>& kernels) {
  std::map<PanelKey, Panel> panels;
  for (const auto& [key, kernel] : history.kernels()) {
    if (!is_chosen(key.name, kernels) || !has_times(kernel)) continue;
    if (kernels.empty() && std::ranges::find(kCommands, key.name) != kCommands.end()) continue;
    panels[{key.name, key.element_bytes, key.in_flops}][key.device] = &kernel;
  }
  return panels;
}

class ModelScript : traces::GnuplotScript {
 public:
  explicit ModelScript(std::map<PanelKey, Panel> panels) : panels_(std::move(panels)) {
    for (const DeviceTraits& row : kDeviceTraits) numbers_.try_emplace(row.kind, numbers_.size());
    for (const auto& [key, panel] : panels_) {
      for (const auto& [type, kernel] : panel) numbers_.try_emplace(type, numbers_.size());
    }
  }

  std::string text() {
    const std::size_t rows = (panels_.size() + kColumns - 1) / kColumns;
    add("set terminal svg size {},{} font 'DejaVu Sans,11' background '#FFFFFF'", kColumns * kPanelWidth,
        kTitleHeight + static_cast<int>(rows) * kPanelHeight);
    add("set encoding utf8");
    std::size_t number = 0;
    for (const auto& [key, panel] : panels_) data(number++, panel);
    add("set multiplot layout {},{} title 'Kernel times: means, deviations and power laws' font ',14'", rows, kColumns);
    add_chart_style();
    add("set logscale xy");
    add("set format x '%.0s%c'");
    add("set format y '%.0s %cs'");
    add("set offsets graph 0.1, graph 0.1, graph 0.1, graph 0.1");
    add("set key top left samplen 2 noenhanced font ',9'");
    number = 0;
    for (const auto& [key, panel] : panels_) draw(number++, key, panel);
    add("unset multiplot");
    return take();
  }

 private:
  void data(std::size_t number, const Panel& panel) {
    for (const auto& [type, kernel] : panel) {
      add("$P{}K{} << EOD", number, numbers_.at(type));
      for (const auto& [hash, shape] : kernel->shapes()) {
        if (shape.times.count() == 0 || shape.size <= 0 || shape.times.mean_s() <= 0) continue;
        const double mean = shape.times.mean_s();
        // The bar must not reach zero, because a logarithmic axis has no zero.
        const double low = std::max(mean - shape.times.deviation_s(), mean / 100);
        add("{:.9g} {:.9g} {:.9g} {:.9g}", shape.size, mean, low, mean + shape.times.deviation_s());
      }
      add("EOD");
      const auto law = scheduler::power_law_through(kernel->law().sums());
      if (!law) continue;
      add("$L{}K{} << EOD", number, numbers_.at(type));
      for (const double size : {law->least_size, law->most_size}) {
        add("{:.9g} {:.9g}", size, law->at(size).value_or(0));
      }
      add("EOD");
    }
  }

  void draw(std::size_t number, const PanelKey& key, const Panel& panel) {
    const auto& [name, element_bytes, in_flops] = key;
    add("set title {} noenhanced",
        traces::gnuplot_string(traces::abbreviated(name, kTitleLength) + ", " + element_name(element_bytes)));
    add("set xlabel '{}' offset 0,0.5", in_flops ? "operations" : "bytes");
    std::string plots;
    for (const auto& [type, kernel] : panel) {
      const std::size_t index = numbers_.at(type);
      const std::string_view colour = traces::kCodeletColours[index % traces::kCodeletColours.size()];
      plots += fmt::format("{}$P{}K{} using 1:2:3:4 with yerrorbars title {} linecolor '{}' pointtype {} pointsize 0.6",
                           plots.empty() ? "" : ", ", number, index,
                           traces::gnuplot_string(traces::abbreviated(to_string(type), kKeyLength)), colour,
                           7 - 2 * static_cast<int>(index > 0));
      if (!scheduler::power_law_through(kernel->law().sums())) continue;
      plots += fmt::format(", $L{}K{} using 1:2 with lines notitle linecolor '{}'", number, index, colour);
    }
    add("plot {}", plots);
  }

  const std::map<PanelKey, Panel> panels_;
  /// The number of the colour of each type of device, the same in all panels. Plain kinds of device have the same
  /// colours in every picture.
  std::map<DeviceType, std::size_t> numbers_;
};

}  // namespace

std::string model_script(const ExecutionHistory& history, const std::vector<std::string>& kernels) {
  auto panels = panels_of(history, kernels);
  return panels.empty() ? std::string() : ModelScript(std::move(panels)).text();
}

Result<void> draw_models(const std::string& path, const ExecutionHistory& history,
                         const std::vector<std::string>& kernels) {
  const std::string script = model_script(history, kernels);
  if (script.empty()) {
    return Failure{ErrorCode::bad_input,
                   "no kernel times of that kind are kept: `troupe model calibrate` measures them"};
  }
  return traces::draw_with_gnuplot(path, script);
}

}  // namespace troupe::apps
