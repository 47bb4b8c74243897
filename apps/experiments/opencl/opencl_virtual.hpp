/// The rows of the paper on SOCL in virtual time: programs of independent or repeated kernels on its machines, under
/// policies, and as programs without SOCL place them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/experiments/opencl/paper_machines.hpp"
#include "apps/terminal/progress.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

enum class OpenClProgram {
  /// Figures 3a to 3c, on hannibal: blocks that are computed once.
  black_scholes,
  /// Figure 3d, on averell: the same blocks ten times.
  reuse,
  /// Figure 5, on hannibal: bands of one image, in 20 frames.
  tone_mapping
};

inline constexpr int kReuseIterations = 10;
inline constexpr int kFrames = 20;

/// What is computed.
struct OpenClPlace {
  OpenClProgram program = OpenClProgram::black_scholes;
  /// Options in a block, or pixels in a band.
  std::int64_t size = 0;
  int blocks = 0;
  friend auto operator<=>(const OpenClPlace&, const OpenClPlace&) = default;

  /// Options or pixels that are computed, repetitions included.
  [[nodiscard]] double items() const;
  /// What has to be copied where every input is copied once to one device and every result once back: what is written
  /// again and again only at the end.
  [[nodiscard]] double compulsory_bytes() const;
  /// "reuse, 25 blocks of 1000000".
  [[nodiscard]] std::string name() const;
};

/// One line of a figure.
struct OpenClSeries {
  enum class Devices { one_gpu, gpus, processors, processors_in_place, all };
  std::string name;
  Devices devices = Devices::all;
  /// Blocks go to the devices in turns, whatever they take; else as the policy says.
  bool round_robin = false;
  std::string policy = {};
};

/// Names of lines that claims speak of.
namespace opencl_lines {
inline constexpr const char* kOneGpu = "one GPU";
inline constexpr const char* kRoundRobin = "GPUs in turns";
inline constexpr const char* kProcessors = "processors, in place";
/// `line("all", "heft")`: "all, heft"; "GPUs" for the GPUs alone.
[[nodiscard]] std::string line(const char* devices, const std::string& policy);
}  // namespace opencl_lines

struct OpenClOptions {
  /// Options in a block, and how many blocks of that.
  std::vector<std::pair<std::int64_t, std::vector<int>>> blocks{
      {1'000'000, {20, 60, 100}}, {5'000'000, {10, 20, 40}}, {25'000'000, {5, 20, 40}}};
  /// Into how many blocks figure 3d's 25 million options are divided.
  std::vector<int> reuse_blocks{5, 25, 100};
  /// Into how many bands an image is divided.
  std::vector<int> bands{6, 12};
  /// The paper's, which also has data ordered by them, and those that it is compared with.
  std::vector<std::string> policies{"heft", "heft:cp", "heft:shared", "homeward", "dada:alpha=0.5,cp", "eager", "lws"};
  /// Runs of each point, with seeds from `seed` on.
  int repeat = 3;
  std::uint64_t seed = 1;
};

/// Policies that know where data are, of which claims say that they are best where data are used again.
[[nodiscard]] bool knows_data(const std::string& policy);

/// One line at one place: medians.
struct OpenClPoint {
  MedianInterval seconds;
  MedianInterval bytes;
};

class OpenClVirtualResults {
 public:
  /// By place, then line.
  using Points = std::map<std::pair<OpenClPlace, std::string>, OpenClPoint>;

  explicit OpenClVirtualResults(Points points, std::vector<std::string> failures = {})
      : points_(std::move(points)), failures_(std::move(failures)) {}
  /// Simulates all of them. Runs that fail leave no point.
  static OpenClVirtualResults measure(const OpenClOptions& options, const OpenClAssumptions& assumptions,
                                      ProgressOptions progress);

  [[nodiscard]] const Points& points() const { return points_; }
  /// Null where it was not simulated.
  [[nodiscard]] const OpenClPoint* point(const OpenClPlace& place, const std::string& line) const;
  [[nodiscard]] std::vector<OpenClPlace> places(OpenClProgram program) const;
  /// Which runs failed, and why.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  Points points_;
  std::vector<std::string> failures_;
};

}  // namespace troupe::apps
