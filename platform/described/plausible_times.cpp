#include "platform/described/plausible_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

namespace troupe::platform {
namespace {

constexpr const char* kHint = "is one in other units, or a digit wrong?";

/// A device of the description: none is a core.
using Device = std::optional<std::size_t>;

/// A time on one device, and where it was read.
struct Measured {
  double edge = 0;
  double flops = 0;
  double us = 0;
  const std::string* path = nullptr;
  Device gpu;

  [[nodiscard]] double cubes() const { return edge * edge * edge; }
  [[nodiscard]] double rate() const { return flops / us; }
  [[nodiscard]] std::string text() const {
    const std::string place = *path + (gpu ? fmt::format(".gpu_us of GPU {}", *gpu) : ".cpu_us");
    return flops > 0
               ? fmt::format("{} has {:g} us for {:g} operations ({:.3g} GFlop/s)", place, us, flops, rate() / 1e3)
               : fmt::format("{} has {:g} us at tile {:g}", place, us, edge);
  }
};

/// The kernel's times on one device, by tile.
std::vector<Measured> times_on(const Device& gpu, const DescribedKernel& kernel) {
  std::vector<Measured> all;
  for (std::size_t i = 0; i < kernel.tiles.size(); ++i) {
    const TileTimes& tile = kernel.tiles[i];
    if (gpu && !tile.gpus.empty()) {
      all.push_back({tile.edge, tile.flops, tile.gpus[*gpu].mean_us, &kernel.paths[i], gpu});
    } else if (!gpu && tile.cpu) {
      all.push_back({tile.edge, tile.flops, tile.cpu->mean_us, &kernel.paths[i], gpu});
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

std::string between_gpus(const DescribedKernel& kernel, const std::vector<std::string>& models) {
  std::vector<std::vector<Measured>> times;
  for (std::size_t gpu = 0; gpu < models.size(); ++gpu) times.push_back(times_on(gpu, kernel));
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

/// Each kernel's time of the best rate on one device, of those that count operations.
std::vector<Measured> best_times(const Device& gpu, const std::vector<DescribedKernel>& kernels) {
  std::vector<Measured> best;
  for (const DescribedKernel& kernel : kernels) {
    const auto times = times_on(gpu, kernel);
    const auto found = std::ranges::max_element(times, {}, &Measured::rate);
    if (found != times.end() && found->flops > 0) best.push_back(*found);
  }
  return best;
}

std::string between_kernels(const Device& device, const std::vector<Measured>& best) {
  const double limit = device ? kBetweenKernelsOnGpus : kBetweenKernelsOnCores;
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
                                   limit, device ? "GPU" : "core"));
  }
  return "";
}

}  // namespace

std::string implausible_time(const std::vector<DescribedKernel>& kernels, const std::vector<std::string>& models) {
  std::vector<Device> devices{std::nullopt};
  for (std::size_t gpu = 0; gpu < models.size(); ++gpu) devices.emplace_back(gpu);
  for (const DescribedKernel& kernel : kernels) {
    for (const Device& device : devices) {
      if (auto wrong = between_tiles(times_on(device, kernel)); !wrong.empty()) return wrong;
    }
    if (auto wrong = between_gpus(kernel, models); !wrong.empty()) return wrong;
  }
  for (const Device& device : devices) {
    if (auto wrong = between_kernels(device, best_times(device, kernels)); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace troupe::platform
