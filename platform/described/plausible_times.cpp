#include "platform/described/plausible_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>

namespace troupe::platform {
namespace {

constexpr const char* kHint = "is one in other units, or a digit wrong?";

/// A device of the description: a GPU, or a number of cores.
struct Device {
  std::optional<std::size_t> gpu;
  int cores = 1;

  [[nodiscard]] std::string field() const {
    if (gpu) return fmt::format("gpu_us of GPU {}", *gpu);
    return cores == 1 ? "cpu_us" : fmt::format("cluster_us of {} cores", cores);
  }
  [[nodiscard]] std::string text() const { return gpu ? "GPU" : cores == 1 ? "core" : "number of cores"; }
};

/// A time on one device, and the place where it was read.
struct Measured {
  double edge = 0;
  double flops = 0;
  double us = 0;
  const std::string* path = nullptr;
  Device device;

  [[nodiscard]] double cubes() const { return edge * edge * edge; }
  [[nodiscard]] double rate() const { return flops / us; }
  [[nodiscard]] std::string text() const {
    const std::string place = *path + "." + device.field();
    return flops > 0
               ? fmt::format("{} has {:g} us for {:g} operations ({:.3g} GFlop/s)", place, us, flops, rate() / 1e3)
               : fmt::format("{} has {:g} us at tile {:g}", place, us, edge);
  }
};

/// Returns the kernel's times on one device, one entry per tile.
std::vector<Measured> times_on(const Device& device, const DescribedKernel& kernel) {
  std::vector<Measured> all;
  for (std::size_t i = 0; i < kernel.tiles.size(); ++i) {
    const TileTimes& tile = kernel.tiles[i];
    const auto add = [&](double us) { all.push_back({tile.edge, tile.flops, us, &kernel.paths[i], device}); };
    if (device.gpu) {
      if (!tile.gpus.empty()) add(tile.gpus[*device.gpu].mean_us);
    } else if (device.cores == 1) {
      if (tile.cpu) add(tile.cpu->mean_us);
    } else {
      for (const ClusterTime& cluster : tile.clusters) {
        if (cluster.cores == device.cores) add(cluster.time.mean_us);
      }
    }
  }
  std::ranges::sort(all, {}, &Measured::edge);
  return all;
}

std::string out_of_line(const Measured& one, const Measured& other, const std::string& criterion) {
  return fmt::format("{}, but {}: {}; {}", one.text(), other.text(), criterion, kHint);
}

std::string between_tiles(const std::vector<Measured>& times) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    const Measured& small = times[i - 1];
    const Measured& large = times[i];
    const bool counted = small.flops > 0 && large.flops > 0;
    const double work = counted ? large.flops / small.flops : large.cubes() / small.cubes();
    const double each = work / (large.cubes() / small.cubes());
    if (each > kBetweenTiles || each < 1 / kBetweenTiles) {
      return out_of_line(small, large,
                         fmt::format("the operations of one kernel grow with the cube of the tile's edge, within a "
                                     "factor of {:g}",
                                     kBetweenTiles));
    }
    if (small.us > kBetweenTiles * large.us || large.us / work > kBetweenTiles * small.us) {
      return out_of_line(small, large,
                         fmt::format("from one tile of a kernel to the next neither time nor rate falls to less than "
                                     "1/{:g}",
                                     kBetweenTiles));
    }
  }
  return "";
}

std::string between_cores(const DescribedKernel& kernel, int cores) {
  const std::vector<Measured> alone = times_on({}, kernel);
  for (const Measured& together : times_on({std::nullopt, cores}, kernel)) {
    const auto one = std::ranges::find(alone, together.edge, &Measured::edge);
    if (one == alone.end()) continue;
    if (together.us <= kBetweenCores * one->us && one->us <= kBetweenCores * cores * together.us) continue;
    return out_of_line(together, *one,
                       fmt::format("{0} cores take at most {1:g} times as long as one, and one at most {0} x {1:g} "
                                   "times as long as they",
                                   cores, kBetweenCores));
  }
  return "";
}

std::string between_gpus(const DescribedKernel& kernel, const std::vector<std::string>& models) {
  std::vector<std::vector<Measured>> times;
  for (std::size_t gpu = 0; gpu < models.size(); ++gpu) times.push_back(times_on({gpu}, kernel));
  for (std::size_t one = 0; one < models.size(); ++one) {
    for (std::size_t other = 0; other < models.size(); ++other) {
      if (models[one] != models[other]) continue;
      for (std::size_t i = 0; i < times[one].size(); ++i) {
        if (times[one][i].us <= kBetweenGpus * times[other][i].us) continue;
        return out_of_line(
            times[one][i], times[other][i],
            fmt::format("GPUs of one model differ by less than a factor of {:g} in one kernel", kBetweenGpus));
      }
    }
  }
  return "";
}

/// Returns, for each kernel that has a number of operations, its time with the best rate on one device.
std::vector<Measured> best_times(const Device& device, const std::vector<DescribedKernel>& kernels) {
  std::vector<Measured> best;
  for (const DescribedKernel& kernel : kernels) {
    const auto times = times_on(device, kernel);
    const auto found = std::ranges::max_element(times, {}, &Measured::rate);
    if (found != times.end() && found->flops > 0) best.push_back(*found);
  }
  return best;
}

std::string between_kernels(const Device& device, const std::vector<Measured>& best) {
  const double limit = device.gpu ? kBetweenKernelsOnGpus : kBetweenKernelsOnCores;
  for (const Measured& one : best) {
    std::vector<Measured> others;
    std::ranges::copy_if(best, std::back_inserter(others),
                         [&](const Measured& other) { return other.path != one.path; });
    if (others.empty()) continue;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::ranges::nth_element(others, middle, {}, &Measured::rate);
    const double apart = one.rate() / middle->rate();
    if (apart <= limit && apart >= 1 / limit) continue;
    return out_of_line(one, *middle,
                       fmt::format("a kernel's best rate lies within a factor of {:g} of the median of the others on "
                                   "the same {}",
                                   limit, device.text()));
  }
  return "";
}

}  // namespace

std::string implausible_time(const std::vector<DescribedKernel>& kernels, const std::vector<std::string>& models) {
  std::set<int> clusters;
  for (const DescribedKernel& kernel : kernels) {
    for (const TileTimes& tile : kernel.tiles) {
      for (const ClusterTime& cluster : tile.clusters) clusters.insert(cluster.cores);
    }
  }
  std::vector<Device> devices{{}};
  for (const int cores : clusters) devices.push_back({std::nullopt, cores});
  for (std::size_t gpu = 0; gpu < models.size(); ++gpu) devices.push_back({gpu});
  for (const DescribedKernel& kernel : kernels) {
    for (const Device& device : devices) {
      if (auto wrong = between_tiles(times_on(device, kernel)); !wrong.empty()) return wrong;
    }
    for (const int cores : clusters) {
      if (auto wrong = between_cores(kernel, cores); !wrong.empty()) return wrong;
    }
    if (auto wrong = between_gpus(kernel, models); !wrong.empty()) return wrong;
  }
  for (const Device& device : devices) {
    if (auto wrong = between_kernels(device, best_times(device, kernels)); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace troupe::platform
