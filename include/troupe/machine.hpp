/// Described machines: the figures of a machine that a simulation needs. `docs/platforms.md` has the format of their
/// files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// A time in microseconds: its mean, and its standard deviation (0 if unknown).
struct KernelTime {
  double mean_us = 0;
  double deviation_us = 0;
};

/// The time of one call of a kernel that all cores of a cluster run together.
struct ClusterTime {
  /// The number of cores, more than one.
  int cores = 0;
  KernelTime time;
};

/// The times of a kernel at one tile edge.
struct TileTimes {
  /// The number of elements along one side of the tile.
  double edge = 0;
  /// The floating-point operations of one call, 0 if not known.
  double flops = 0;
  /// The time on one core; empty if the kernel does not run on cores, or was not measured at this edge.
  std::optional<KernelTime> cpu;
  /// The time on each GPU of the machine; empty if there are no times on GPUs.
  std::vector<KernelTime> gpus;
  /// The times on clusters, at most one for each number of cores. Must be empty if there is no time on one core.
  std::vector<ClusterTime> clusters = {};
};

/// The times of one kernel on one device by tile edge. Between measured edges the rate is interpolated.
class TimeCurve {
 public:
  /// Adds a time. `edge` and `time.mean_us` are positive; an edge is added once.
  void add(double edge, KernelTime time);

  [[nodiscard]] bool empty() const { return points_.empty(); }

  /// Returns the time at an edge. For an edge that was added, it is exactly the time that was added. Between two such
  /// edges, the rate edge^3 / time follows a straight line in the logarithms of rate and edge; below the smallest and
  /// above the largest edge, the nearest edge's rate holds. The ratio of deviation to mean follows a straight line over
  /// the logarithm of the edge; outside, the nearest edge's ratio holds. The curve must not be empty; `edge` must be
  /// positive.
  [[nodiscard]] KernelTime at(double edge) const;

  /// Returns the curve with all times multiplied by `factor`, which is positive.
  [[nodiscard]] TimeCurve scaled(double factor) const;

 private:
  struct Point {
    double edge;
    KernelTime time;
    double log_edge;
    double log_rate;
    /// The standard deviation divided by the mean.
    double relative_deviation;
  };

  /// The points, sorted by edge.
  std::vector<Point> points_;
};

/// The times of one kernel of one application in one precision, at all tiles that were measured.
class KernelTimes {
 public:
  /// `tiles` has each edge once, in any order; each entry has times for all `gpus` GPUs or for none.
  KernelTimes(std::string application, std::string kernel, std::string precision, const std::vector<TileTimes>& tiles,
              std::size_t gpus);

  /// Returns the application, such as "cholesky" or "lu": the same kernel may take different times in different
  /// applications.
  [[nodiscard]] const std::string& application() const { return application_; }
  /// Returns the kernel's name, such as "gemm" or "potrf".
  [[nodiscard]] const std::string& kernel() const { return kernel_; }
  /// Returns the precision, such as "single" or "double".
  [[nodiscard]] const std::string& precision() const { return precision_; }

  /// `on_cpu` returns true if the kernel runs on cores, and `on_gpus` if it runs on GPUs.
  [[nodiscard]] bool on_cpu() const { return !on_cores_.empty(); }
  [[nodiscard]] bool on_gpus() const { return !gpus_.empty(); }
  /// Returns true if times on clusters of cores are known.
  [[nodiscard]] bool on_clusters() const { return on_cores_.size() > 1; }
  /// Returns the numbers of cores for which times were measured, rising.
  [[nodiscard]] std::vector<int> core_counts() const;

  /// Returns the time on one core at a tile edge, any positive number (`TimeCurve::at`). Requires `on_cpu()`.
  [[nodiscard]] KernelTime cpu(double edge) const;
  /// Returns the time on a cluster of `cores` cores. Each number of cores for which times were measured has a curve of
  /// its own. For other numbers of cores, the time follows Amdahl's law, fitted to the times at this edge for the
  /// measured numbers of cores (`fit_amdahl`); the ratio of deviation to mean is that for the next smaller measured
  /// number of cores. Requires `on_clusters()`, or one core.
  [[nodiscard]] KernelTime cluster(int cores, double edge) const;
  /// Returns the time on a GPU. Requires `on_gpus()`.
  [[nodiscard]] KernelTime gpu(std::size_t gpu, double edge) const;

  /// Returns the number of floating-point operations divided by edge^3 (2 for gemm), at the largest tile that records
  /// operations, because terms of lower order matter least there. 0 if no tile records operations.
  [[nodiscard]] double flops_per_cube() const { return flops_per_cube_; }

  /// Returns the edge of a square tile on which a call has `flops` operations; the largest edge that was measured if
  /// `flops` is 0 or the kernel's tiles record no operations.
  [[nodiscard]] double edge_with(double flops) const;

  /// Returns a kernel that does `factor` times as many operations at the same rate; `factor` is positive.
  [[nodiscard]] KernelTimes scaled(std::string application, std::string kernel, double factor) const;

  /// Returns the tile edges that were measured, rising.
  [[nodiscard]] std::vector<double> edges() const { return edges_; }

 private:
  /// Returns the curve for a number of cores, and makes the curve if there is none.
  TimeCurve& curve_on(int cores);

  std::string application_;
  std::string kernel_;
  std::string precision_;
  /// The numbers of cores for which times were measured, rising, from one on, each with its curve.
  std::vector<std::pair<int, TimeCurve>> on_cores_;
  /// The curves by GPU; empty if the kernel does not run there.
  std::vector<TimeCurve> gpus_;
  double flops_per_cube_ = 0;
  std::vector<double> edges_;
};

struct DescribedGpu {
  std::string model;
  Bytes memory;
  /// The cores of the nearest socket, rising; empty if the file does not name them.
  std::vector<int> near_cores;
  /// The time from handing a task to the idle GPU until its kernel begins (`launch`), and the time from a kernel's end
  /// until the host notices the end (`notice`). Zero if the file has no such time.
  Duration launch{0};
  Duration notice{0};
};

/// A link that copies share: its capacity is for all copies that cross it at the same time.
struct DescribedLink {
  std::string name;
  /// The bandwidth in 10^6 bytes per second.
  double bandwidth_mb_per_s = 0;
  /// The latency as recorded. The latencies of the routes already include it.
  Duration latency{0};
};

/// The way from one memory node to another.
struct DescribedRoute {
  /// The indices of the machine's links, each once, in the order in which a copy crosses them.
  std::vector<std::uint32_t> links;
  /// The rate of one copy alone, in 10^6 bytes per second. This is the measured rate, or the bandwidth of the narrowest
  /// link if that is less.
  double bandwidth_mb_per_s = 0;
  /// The time from the start of a copy to its first byte.
  Duration latency{0};
};

/// The description of a machine. Memory nodes are numbered: 0 is host memory, k + 1 is the memory of GPU k.
struct MachineDescription {
  std::string name;
  std::string description;
  /// The origin of the figures.
  std::string source;
  std::string cpu_model;
  int cores = 0;
  int sockets = 0;
  std::vector<DescribedGpu> gpus;
  std::vector<DescribedLink> links;
  /// The route from node `from` to node `to` is at `from * node_count() + to`; the diagonal is not used.
  std::vector<DescribedRoute> routes;
  /// The kernels in the order of the file.
  std::vector<KernelTimes> kernels;

  [[nodiscard]] std::size_t node_count() const { return gpus.size() + 1; }

  /// Returns the route; `from` and `to` are different nodes of this machine.
  [[nodiscard]] const DescribedRoute& route(std::size_t from, std::size_t to) const;

  /// Returns the kernel; null if the machine has no kernel of this name. Searches all kernels, so call it once and keep
  /// the pointer.
  [[nodiscard]] const KernelTimes* find_kernel(std::string_view application, std::string_view kernel,
                                               std::string_view precision) const;
};

/// Reads a description. Error messages call the text `origin`, which is a file's path or a machine's name. Fails with
/// `bad_input`; the message names the origin, the field and the expected value.
Result<MachineDescription> parse_machine(std::string_view json, const std::string& origin);

/// Loads a machine that comes with Troupe, by its name, or a machine from a file: a text that contains '/' or ends in
/// ".json" is the path of a file. Fails like `parse_machine`; with `invalid_argument` if no machine has this name, with
/// `io` if the file cannot be opened or read.
Result<MachineDescription> load_machine(const std::string& name_or_path);

/// Returns the names of the machines that come with Troupe, sorted.
[[nodiscard]] std::vector<std::string> known_machines();

struct PlainMachine {
  /// The number of cores. Each GPU in use occupies one core.
  int cores = 1;
  int gpus = 0;
  /// The memory of each GPU.
  Bytes gpu_memory{std::uint64_t{16} << 30U};
  /// The bandwidth between each GPU and the host, in each direction; GPUs copy from one another over both links.
  double bandwidth_mb_per_s = 12000;
  Duration latency = std::chrono::microseconds(10);
};

/// Makes a description without kernel times. Throws `Error` (`invalid_argument`) if a number is out of range.
[[nodiscard]] MachineDescription plain_machine(const PlainMachine& machine);

}  // namespace troupe::platform
