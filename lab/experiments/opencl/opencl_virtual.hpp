/// Repeats the paper on SOCL in virtual time: programs with independent or repeated kernels, on the paper's machines.
/// Either policies place the kernels, or a fixed rule does, as in programs without SOCL.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/terminal/progress.hpp"
#include "lab/experiments/opencl/paper_machines.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

enum class OpenClProgram {
  /// Figures 3a to 3c, on the machine hannibal: blocks that are computed once.
  black_scholes,
  /// Figure 3d, on the machine averell: the same blocks are computed ten times.
  reuse,
  /// Figure 5, on the machine hannibal: bands of one image, in 20 frames.
  tone_mapping
};

inline constexpr int kReuseIterations = 10;
inline constexpr int kFrames = 20;

/// The problem to compute.
struct OpenClPlace {
  OpenClProgram program = OpenClProgram::black_scholes;
  /// The number of options in a block, or of pixels in a band.
  std::int64_t size = 0;
  int blocks = 0;
  friend auto operator<=>(const OpenClPlace&, const OpenClPlace&) = default;

  /// Returns the number of computed options or pixels, including repetitions.
  [[nodiscard]] double items() const;
  /// Returns the bytes of the necessary copies: each input once to one device, and each result once back to the host. A
  /// result that is written repeatedly is copied only at the end.
  [[nodiscard]] double compulsory_bytes() const;
  /// Returns a name such as "reuse, 25 blocks of 1000000".
  [[nodiscard]] std::string name() const;
};

/// One line of a figure.
struct OpenClSeries {
  enum class Devices { one_gpu, gpus, processors, processors_in_place, all };
  std::string name;
  Devices devices = Devices::all;
  /// True if the blocks go to the devices in turn, regardless of their times; false if the policy places the blocks.
  bool round_robin = false;
  std::string policy = {};
};

/// The names of the lines that occur in claims.
namespace opencl_lines {
inline constexpr const char* kOneGpu = "one GPU";
inline constexpr const char* kRoundRobin = "GPUs in turns";
inline constexpr const char* kProcessors = "processors, in place";
/// Returns the name of a line: `line("all", "heft")` is "all, heft"; "GPUs" stands for the GPUs alone.
[[nodiscard]] std::string line(const char* devices, const std::string& policy);
}  // namespace opencl_lines

struct OpenClOptions {
  /// The sizes of blocks (in options), each with the numbers of blocks of this size.
  std::vector<std::pair<std::int64_t, std::vector<int>>> blocks{
      {1'000'000, {20, 60, 100}}, {5'000'000, {10, 20, 40}}, {25'000'000, {5, 20, 40}}};
  /// The numbers of blocks into which the 25 million options of figure 3d are divided.
  std::vector<int> reuse_blocks{5, 25, 100};
  /// The numbers of bands into which an image is divided.
  std::vector<int> bands{6, 12};
  /// The paper's policies, and the policies that are compared with them.
  std::vector<std::string> policies{"heft", "heft:cp", "heft:shared", "homeward", "dada:alpha=0.5,cp", "eager", "lws"};
  /// The number of runs of each point. Their seeds are `seed`, `seed` + 1, and so on.
  int repeat = 3;
  std::uint64_t seed = 1;
};

/// Returns true if a policy knows where data are. According to the claims, such policies are best if data are used
/// again.
[[nodiscard]] bool knows_data(const std::string& policy);

/// The medians of one line at one place, over the runs.
struct OpenClPoint {
  MedianInterval seconds;
  MedianInterval bytes;
};

class OpenClVirtualResults {
 public:
  /// Points by place, then line.
  using Points = std::map<std::pair<OpenClPlace, std::string>, OpenClPoint>;

  explicit OpenClVirtualResults(Points points, std::vector<std::string> failures = {})
      : points_(std::move(points)), failures_(std::move(failures)) {}
  /// Simulates all points. If a run fails, its point is missing.
  static OpenClVirtualResults measure(const OpenClOptions& options, const OpenClAssumptions& assumptions,
                                      ProgressOptions progress);

  [[nodiscard]] const Points& points() const { return points_; }
  /// Returns a point; null if it was not simulated.
  [[nodiscard]] const OpenClPoint* point(const OpenClPlace& place, const std::string& line) const;
  [[nodiscard]] std::vector<OpenClPlace> places(OpenClProgram program) const;
  /// Returns the runs that failed, with the reasons.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  Points points_;
  std::vector<std::string> failures_;
};

}  // namespace troupe::apps
