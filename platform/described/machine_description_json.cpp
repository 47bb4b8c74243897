#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "platform/described/description_keys.hpp"
#include "platform/described/plausible_times.hpp"
#include "platform/files/json_field.hpp"
#include "troupe/machine.hpp"

namespace troupe::platform {
namespace {

/// The range of valid times and bandwidths. Values beyond it are mistakes, and their products would leave the range of
/// a double or of a `Duration`.
constexpr NumberRange kPositive{1e-6, 1e12};
/// The range of latencies and deviations, which may be 0.
constexpr NumberRange kNotNegative{0, 1e12};
constexpr NumberRange kFlops{1e-6, 1e30};
constexpr std::uint64_t kMostCores = 1U << 20U;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60U;
constexpr double kMostEdge = 1e6;
/// The largest valid standard deviation, divided by the mean; in the machines that come with Troupe it is at most 0.36.
constexpr double kMostDeviation = 10;

constexpr const char* kBandwidth = "a bandwidth in 10^6 bytes per second, a number above 0";
constexpr const char* kHostTime = "a time in microseconds, a number of at least 0";
constexpr const char* kLatency = "a latency in microseconds, a number of at least 0";
constexpr const char* kTime = "a time in microseconds, a number above 0";

Duration microseconds(double us) { return Duration(std::llround(us * 1e3)); }

std::string node_name(std::size_t node) { return node == 0 ? "host" : fmt::format("gpu{}", node - 1); }

/// One number for every pair of nodes. The row is the source node of a copy, the column is the target node.
using Matrix = std::vector<std::vector<double>>;

std::vector<double> read_row(const JsonField& field, std::size_t nodes, std::optional<std::size_t> diagonal,
                             NumberRange range, const char* expected) {
  const std::string row = fmt::format("an array of {} numbers: host memory and {} GPU(s)", nodes, nodes - 1);
  if (field.size(row) != nodes) field.refuse(row);
  std::vector<double> values(nodes, 0.0);
  for (std::size_t to = 0; to < nodes; ++to) {
    if (diagonal != to) values[to] = field.element(to).number(range, expected);
  }
  return values;
}

Matrix read_matrix(const JsonField& field, std::size_t nodes, NumberRange range, const char* expected) {
  const std::string rows = fmt::format("an array of {} rows: host memory and {} GPU(s)", nodes, nodes - 1);
  if (field.size(rows) != nodes) field.refuse(rows);
  Matrix matrix;
  for (std::size_t from = 0; from < nodes; ++from) {
    matrix.push_back(read_row(field.element(from), nodes, from, range, expected));
  }
  return matrix;
}

/// Reads one file, field by field, into the description.
class Reader {
 public:
  explicit Reader(const JsonField& root) : root_(root) {}

  MachineDescription read() {
    read_head();
    read_gpus();
    read_links();
    read_routes();
    read_kernels();
    return std::move(machine_);
  }

 private:
  [[nodiscard]] std::size_t nodes() const { return machine_.node_count(); }

  void read_head() {
    check_keys(root_, DescribedObject::machine);
    machine_.name = root_.member("name").text("the machine's name");
    machine_.description = root_.member("description").optional_text("text");
    machine_.source = root_.member("source").optional_text("text: where the figures come from");
    const JsonField cpu = root_.member("cpu");
    if (cpu.present()) check_keys(cpu, DescribedObject::cpu);
    machine_.cores = static_cast<int>(cpu.member("cores").count(1, kMostCores, "the number of CPU cores"));
    const JsonField sockets = cpu.member("sockets");
    machine_.sockets = sockets.present() ? static_cast<int>(sockets.count(1, kMostCores, "the number of sockets")) : 1;
    machine_.cpu_model = cpu.member("model").optional_text("text");
  }

  void read_gpus() {
    const JsonField gpus = root_.member("gpus");
    const std::size_t count = gpus.size("an array with one object for each GPU, or []");
    for (std::size_t i = 0; i < count; ++i) {
      const JsonField gpu = gpus.element(i);
      check_keys(gpu, DescribedObject::gpu);
      if (const JsonField id = gpu.member("id"); id.present()) {
        (void)id.count(i, i, "the GPU's position in the array");
      }
      machine_.gpus.push_back({gpu.member("model").text("the GPU's name"),
                               {gpu.member("memory_bytes").count(1, kMostBytes, "the GPU's memory in bytes")},
                               read_near_cores(gpu.member("near_cores")),
                               read_microseconds(gpu.member("launch_us")),
                               read_microseconds(gpu.member("notice_us"))});
    }
  }

  /// Reads an optional time; zero if it is missing.
  [[nodiscard]] static Duration read_microseconds(const JsonField& field) {
    return field.present() ? microseconds(field.number(kNotNegative, kHostTime)) : Duration{0};
  }

  [[nodiscard]] std::vector<int> read_near_cores(const JsonField& field) const {
    std::vector<int> cores;
    if (!field.present()) return cores;
    const std::size_t count = field.size("an array of core numbers");
    for (std::size_t i = 0; i < count; ++i) {
      cores.push_back(static_cast<int>(
          field.element(i).count(0, static_cast<std::uint64_t>(machine_.cores) - 1, "the number of a core")));
    }
    std::ranges::sort(cores);
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    return cores;
  }

  /// Returns true if the field may be missing: a machine without GPUs copies nothing and may leave out links and
  /// routes.
  [[nodiscard]] bool may_lack(const JsonField& field) const { return machine_.gpus.empty() && !field.present(); }

  void read_links() {
    const JsonField pci = root_.member("pci");
    if (may_lack(pci)) return;
    if (pci.present()) check_keys(pci, DescribedObject::pci);
    const JsonField links = pci.member("links");
    const std::size_t count = links.size("an array of links");
    for (std::size_t i = 0; i < count; ++i) {
      const JsonField link = links.element(i);
      check_keys(link, DescribedObject::link);
      const JsonField name = link.member("name");
      const JsonField latency = link.member("latency_us");
      DescribedLink described{name.text("the link's name"),
                              link.member("bandwidth_mb_per_s").number(kPositive, kBandwidth),
                              latency.present() ? microseconds(latency.number(kNotNegative, kLatency)) : Duration{0}};
      if (const auto other = find_link(described.name)) {
        name.fail(fmt::format("the name '{}' is that of pci.links[{}] already; every link needs its own",
                              described.name, *other));
      }
      machine_.links.push_back(std::move(described));
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> find_link(std::string_view name) const {
    const auto found = std::ranges::find(machine_.links, name, &DescribedLink::name);
    if (found == machine_.links.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - machine_.links.begin());
  }

  void read_routes() {
    machine_.routes.resize(nodes() * nodes());
    const JsonField pci = root_.member("pci");
    const JsonField transfers = root_.member("transfers");
    if (may_lack(pci) && may_lack(transfers)) return;
    if (transfers.present()) check_keys(transfers, DescribedObject::transfers);
    const Matrix bandwidth = read_matrix(transfers.member("bandwidth_mb_per_s"), nodes(), kPositive, kBandwidth);
    const Matrix latency = read_latencies(transfers);
    std::vector<std::string> described(nodes() * nodes());
    const JsonField routes = pci.member("routes");
    const std::size_t count = routes.size("an array with a route for each pair of different memories");
    for (std::size_t i = 0; i < count; ++i) read_route(routes.element(i), bandwidth, latency, described);
    for (std::size_t from = 0; from < nodes(); ++from) {
      for (std::size_t to = 0; to < nodes(); ++to) {
        if (from == to || !described[from * nodes() + to].empty()) continue;
        routes.fail(fmt::format("there is no route from {} to {}", node_name(from), node_name(to)));
      }
    }
  }

  [[nodiscard]] Matrix read_latencies(const JsonField& transfers) const {
    Matrix latency = read_matrix(transfers.member("latency_us"), nodes(), kNotNegative, kLatency);
    const JsonField fix = transfers.member("latency_us_fix");
    if (!fix.present()) return latency;
    check_keys(fix, DescribedObject::latency_fix);
    const std::uint64_t row = fix.member("row").count(0, nodes() - 1, "the row of latency_us that is put right");
    latency[row] = read_row(fix.member("values"), nodes(), row, kNotNegative, kLatency);
    return latency;
  }

  [[nodiscard]] std::size_t read_node(const JsonField& field) const {
    const std::string expected =
        machine_.gpus.empty() ? "\"host\"" : fmt::format("\"host\" or \"gpu0\" to \"gpu{}\"", machine_.gpus.size() - 1);
    const std::string name = field.text(expected);
    for (std::size_t node = 0; node < nodes(); ++node) {
      if (name == node_name(node)) return node;
    }
    field.refuse(expected);
  }

  /// Reads a route. `described[pair]` is the path in the file of an earlier route for the same pair of nodes, if there
  /// is one.
  void read_route(const JsonField& field, const Matrix& bandwidth, const Matrix& latency,
                  std::vector<std::string>& described) {
    check_keys(field, DescribedObject::route);
    const std::size_t from = read_node(field.member("from"));
    const std::size_t to = read_node(field.member("to"));
    if (from == to) field.fail(fmt::format("a route from {} to itself", node_name(from)));
    std::string& before = described[from * nodes() + to];
    if (!before.empty()) {
      field.fail(
          fmt::format("the route from {} to {} is described by {} already", node_name(from), node_name(to), before));
    }
    before = field.path();

    DescribedRoute& route = machine_.routes[from * nodes() + to];
    route = {{}, bandwidth[from][to], microseconds(latency[from][to])};
    const JsonField links = field.member("links");
    const std::size_t count = links.size("an array of names of links");
    for (std::size_t i = 0; i < count; ++i) {
      const JsonField name = links.element(i);
      const auto link = find_link(name.text("the name of a link"));
      if (!link) name.refuse("the name of one of pci.links");
      // Some files list a link twice if a copy crosses it twice. But the bandwidth that these files give for the link
      // is already the bandwidth of the whole copy.
      if (std::ranges::find(route.links, *link) != route.links.end()) continue;
      route.links.push_back(*link);
      route.bandwidth_mb_per_s = std::min(route.bandwidth_mb_per_s, machine_.links[*link].bandwidth_mb_per_s);
    }
  }

  void read_kernels() {
    const JsonField field = root_.member("kernels");
    const char* expected = "an array with one object for each kernel and tile, at least one";
    const std::size_t count = field.size(expected);
    if (count == 0) field.refuse(expected);
    std::vector<DescribedKernel> kernels;
    for (std::size_t i = 0; i < count; ++i) read_kernel(field.element(i), kernels);
    std::vector<std::string> models;
    for (const DescribedGpu& gpu : machine_.gpus) models.push_back(gpu.model);
    if (const std::string wrong = implausible_time(kernels, models); !wrong.empty()) field.fail(wrong);
    for (const DescribedKernel& kernel : kernels) {
      machine_.kernels.emplace_back(kernel.application, kernel.kernel, kernel.precision, kernel.tiles,
                                    machine_.gpus.size());
    }
  }

  void read_kernel(const JsonField& field, std::vector<DescribedKernel>& kernels) {
    check_keys(field, DescribedObject::kernel);
    DescribedKernel read{field.member("application").text("the application's name"),
                         field.member("kernel").text("the kernel's name"),
                         field.member("precision").text("\"single\", \"double\", ..."),
                         {},
                         {}};
    // Precisions get the names that the options of the command line use.
    if (read.precision == "float") read.precision = "single";
    const auto name = [](const DescribedKernel& kernel) {
      return std::tie(kernel.application, kernel.kernel, kernel.precision);
    };
    auto found =
        std::ranges::find_if(kernels, [&](const DescribedKernel& kernel) { return name(kernel) == name(read); });
    if (found == kernels.end()) found = kernels.insert(kernels.end(), std::move(read));

    TileTimes tile = read_tile(field);
    for (std::size_t i = 0; i < found->tiles.size(); ++i) {
      if (found->tiles[i].edge == tile.edge) {
        field.fail(fmt::format("{} of {} in {} precision at tile {:g} is described by {} already", found->kernel,
                               found->application, found->precision, tile.edge, found->paths[i]));
      }
    }
    found->tiles.push_back(std::move(tile));
    found->paths.push_back(field.path());
  }

  [[nodiscard]] TileTimes read_tile(const JsonField& field) const {
    TileTimes tile;
    tile.edge = read_edge(field.member("tile"));
    if (const JsonField flops = field.member("flops"); flops.present()) {
      tile.flops = flops.number(kFlops, "the floating-point operations of one call, a number above 0, or null");
    }
    if (const JsonField cpu = field.member("cpu_us"); cpu.present()) {
      check_keys(cpu, DescribedObject::time);
      tile.cpu = read_time(cpu);
    }
    tile.clusters = read_cluster_times(field);
    if (!tile.cpu && !tile.clusters.empty())
      field.fail("it has times on clusters: cpu_us, that on one core, is missing");
    tile.gpus = read_gpu_times(field.member("gpu_us"));
    if (!tile.cpu && tile.gpus.empty()) field.fail("neither cpu_us nor gpu_us is given: it would run nowhere");
    return tile;
  }

  [[nodiscard]] static double read_edge(const JsonField& field) {
    constexpr const char* kEdge = "the tile's edge in elements, a whole number above 0";
    const double edge = field.number({1, kMostEdge}, kEdge);
    if (edge != std::floor(edge)) field.refuse(kEdge);
    return edge;
  }

  static KernelTime read_time(const JsonField& field) {
    KernelTime time{field.member("mean").number(kPositive, kTime), 0};
    if (const JsonField deviation = field.member("dev"); deviation.present()) {
      time.deviation_us =
          deviation.number(kNotNegative, "a standard deviation in microseconds, a number of at least 0, or null");
      if (time.deviation_us > kMostDeviation * time.mean_us) {
        deviation.refuse(
            fmt::format("a standard deviation of at most {:g} times the mean, {:g} us", kMostDeviation, time.mean_us));
      }
    }
    return time;
  }

  /// Reads "cluster_us", and the keys that have the number of cores in their names.
  [[nodiscard]] std::vector<ClusterTime> read_cluster_times(const JsonField& kernel) const {
    std::vector<ClusterTime> times;
    const auto add = [&](const JsonField& field, std::uint64_t cores) {
      const auto same = [cores](const ClusterTime& other) { return static_cast<std::uint64_t>(other.cores) == cores; };
      if (std::ranges::any_of(times, same)) field.fail(fmt::format("the time on {} cores is given already", cores));
      times.push_back({static_cast<int>(cores), read_time(field)});
    };
    const auto most = static_cast<std::uint64_t>(machine_.cores);
    const std::string expected = fmt::format("a number of cores from 2 to the machine's {}", machine_.cores);
    if (const JsonField all = kernel.member("cluster_us"); all.present()) {
      const std::size_t count = all.size("an array with a time for each number of cores that was measured");
      for (std::size_t i = 0; i < count; ++i) {
        const JsonField element = all.element(i);
        check_keys(element, DescribedObject::cluster_time);
        add(element, element.member("cores").count(2, most, expected));
      }
    }
    for (const std::string& key : kernel.keys()) {
      const auto digits = cores_in_key(key);
      if (!digits) continue;
      const JsonField time = kernel.member(key);
      if (!time.present()) continue;
      check_keys(time, DescribedObject::time);
      std::uint64_t cores = 0;
      const auto read = std::from_chars(digits->data(), digits->data() + digits->size(), cores);
      if (read.ec != std::errc() || cores < 2 || cores > most) time.fail("its name needs " + expected);
      add(time, cores);
    }
    return times;
  }

  [[nodiscard]] std::vector<KernelTime> read_gpu_times(const JsonField& field) const {
    if (!field.present()) return {};
    const std::size_t count = field.size("an array with the time on each GPU");
    if (count == 0) return {};
    const std::size_t gpus = machine_.gpus.size();
    if (gpus == 0) field.fail("the machine has no GPU; leave this out");
    std::vector<std::optional<KernelTime>> times(gpus);
    for (std::size_t i = 0; i < count; ++i) {
      const JsonField element = field.element(i);
      check_keys(element, DescribedObject::gpu_time);
      const JsonField gpu = element.member("gpu");
      auto& time = times[gpu.count(0, gpus - 1, fmt::format("one of the machine's {} GPU(s)", gpus))];
      if (time) gpu.refuse("a GPU that was not given before");
      time = read_time(element);
    }
    std::vector<KernelTime> all;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
      if (!times[gpu]) field.fail(fmt::format("the time on GPU {} is missing: give all {}, or none", gpu, gpus));
      all.push_back(*times[gpu]);
    }
    return all;
  }

  JsonField root_;
  MachineDescription machine_;
};

}  // namespace

Result<MachineDescription> parse_machine(std::string_view json, const std::string& origin) {
  try {
    const JsonDocument document(json);
    return Reader(document.root()).read();
  } catch (const Error& error) {
    return Failure{error.code(), fmt::format("machine description '{}': {}", origin, error.what())};
  }
}

}  // namespace troupe::platform
