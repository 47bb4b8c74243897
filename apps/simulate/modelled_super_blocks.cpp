#include "apps/simulate/modelled_super_blocks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "apps/simulate/modelled_codelets.hpp"
#include "graph/codelets/codelet_definition.hpp"

namespace troupe::apps {

namespace {

using platform::KernelTime;
using platform::KernelTimes;
using platform::TileTimes;

constexpr const char* kSparseLu = "sparse-lu";

/// For each kernel of application "lu", the number of its calls in one task on super-blocks.
struct Calls {
  double getrf = 0;
  double right = 0;
  double left = 0;
  double gemm = 0;
};

KernelTime operator*(double count, const KernelTime& time) { return {count * time.mean_us, count * time.deviation_us}; }
KernelTime operator+(const KernelTime& a, const KernelTime& b) {
  return {a.mean_us + b.mean_us, a.deviation_us + b.deviation_us};
}

/// The times of the kernels of application "lu" for one tile size.
class BlockTimes {
 public:
  BlockTimes(const platform::MachineDescription& machine, const std::string& precision, std::int64_t block)
      : gpus_(machine.gpus.size()), block_(static_cast<double>(block)) {
    const auto find = [&](const char* name) { return machine.find_kernel("lu", name, precision); };
    const KernelTimes* const nopiv = find("getrf_nopiv");
    kernels_ = {nopiv != nullptr ? nopiv : find("getrf"), find("trsm_right_upper"), find("trsm_left_lower"),
                find("gemm")};
  }

  /// Returns the times of a task on super-blocks with these calls. The task has `cubes` * b^3 operations, where b is
  /// the tile's edge; `flops_per_cube` is `SuperKernel::flops_per_cube`.
  [[nodiscard]] TileTimes of(const Calls& calls, double cubes, double flops_per_cube) const {
    TileTimes times;
    times.edge = block_ * std::cbrt(cubes / flops_per_cube);
    times.flops = cubes * block_ * block_ * block_;
    const std::vector<double> counts{calls.getrf, calls.right, calls.left, calls.gemm};
    bool cores = true;
    bool on_gpus = gpus_ > 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      cores = cores && (counts[i] == 0 || kernels_[i]->on_cpu());
      on_gpus = on_gpus && (counts[i] == 0 || kernels_[i]->on_gpus());
    }
    const auto sum = [&](const auto& time_of) {
      KernelTime all;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) all = all + counts[i] * time_of(*kernels_[i]);
      }
      return all;
    };
    if (cores) times.cpu = sum([&](const KernelTimes& kernel) { return kernel.cpu(block_); });
    for (std::size_t gpu = 0; on_gpus && gpu < gpus_; ++gpu) {
      times.gpus.push_back(sum([&](const KernelTimes& kernel) { return kernel.gpu(gpu, block_); }));
    }
    return times;
  }

 private:
  std::size_t gpus_;
  double block_;
  /// The kernels in the order of the members of `Calls`.
  std::vector<const KernelTimes*> kernels_;
};

/// A kernel on super-blocks, and its calls of the kernels of "lu" on a full super-block of k x k blocks.
struct SuperKernel {
  const char* name;
  const char* from;
  /// The number of operations divided by the cube of the super-block's edge.
  double flops_per_cube;
  Calls (*calls)(double k);
};

const std::vector<SuperKernel>& super_kernels() {
  static const std::vector<SuperKernel> all{
      {"getrf_super", "getrf, trsm and gemm", 2.0 / 3,
       [](double k) {
         return Calls{k, k * (k - 1) / 2, k * (k - 1) / 2, (k - 1) * k * (2 * k - 1) / 6};
       }},
      {"trsm_right_upper_super", "trsm_right_upper and gemm", 1,
       [](double k) {
         return Calls{0, k * k, 0, k * k * (k - 1) / 2};
       }},
      {"trsm_left_lower_super", "trsm_left_lower and gemm", 1,
       [](double k) {
         return Calls{0, 0, k * k, k * k * (k - 1) / 2};
       }},
      {"gemm_super", "gemm", 2, [](double k) {
         return Calls{0, 0, 0, k * k * k};
       }}};
  return all;
}

Result<Codelet> timed_super(const Codelet& codelet, const platform::MachineDescription& machine,
                            const std::string& application, const std::string& kernel, const std::string& precision) {
  const KernelTimes* const times = machine.find_kernel(application, kernel, precision);
  if (times == nullptr || !times->on_cpu()) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("machine '{}' has no time of kernel '{}' of application '{}' in {} precision on cores, "
                               "where sparse LU runs it: add cpu_us to its description, or choose another machine",
                               machine.name, kernel, application, precision)};
  }
  Codelet result = codelet.copy();
  result.timed_as(application + "/" + kernel + "/" + precision);
  const auto& kernels = codelet.definition().kernels;
  result.implement(DeviceKind::cuda,
                   times->on_gpus() ? kernels[static_cast<std::size_t>(DeviceKind::cpu_core)] : nullptr);
  return result;
}

}  // namespace

std::vector<DerivedKernel> derive_super_blocks(platform::MachineDescription& machine, const std::string& precision,
                                               std::int64_t block, int side) {
  const BlockTimes blocks(machine, precision, block);
  std::vector<KernelTimes> made;
  std::vector<DerivedKernel> derived;
  for (const SuperKernel& kernel : super_kernels()) {
    if (machine.find_kernel(kSparseLu, kernel.name, precision) != nullptr) continue;
    std::vector<TileTimes> tiles;
    for (int k = 1; k <= side; ++k) {
      tiles.push_back(blocks.of(kernel.calls(k), kernel.flops_per_cube * k * k * k, kernel.flops_per_cube));
    }
    made.emplace_back(kSparseLu, kernel.name, precision, tiles, machine.gpus.size());
    derived.push_back({kernel.name, kernel.from});
  }
  machine.kernels.insert(machine.kernels.end(), made.begin(), made.end());
  return derived;
}

std::string text_of_super_blocks(const std::vector<DerivedKernel>& derived) {
  std::string text;
  for (const DerivedKernel& one : derived) {
    text += fmt::format("{}{} (the blocks' {})", text.empty() ? "" : ", ", one.kernel, one.from);
  }
  return text;
}

template <class T>
Result<linalg::BlockLuKernels<T>> modelled_block_lu(const platform::MachineDescription& machine,
                                                    kernels::SuperTasks tasks, int side) {
  const std::string precision = precision_name<T>();
  auto tiles = modelled_codelets<T>(linalg::Application::lu, machine);
  if (!tiles) return tiles.failure();
  linalg::BlockLuKernels<T> all{linalg::block_lu_kernels<T>(tasks).super, std::move(tiles).value()};
  std::optional<Failure> missing;
  const auto time = [&](Codelet& codelet, const char* application, const char* kernel) {
    auto timed = timed_super(codelet, machine, application, kernel, precision);
    if (timed) {
      codelet = timed.value();
    } else if (!missing) {
      missing = timed.failure();
    }
  };
  if (side == 1) {
    const bool plain = machine.find_kernel("lu", "getrf_nopiv", precision) == nullptr;
    time(all.super.factorize, "lu", plain ? "getrf" : "getrf_nopiv");
  } else {
    time(all.super.factorize, kSparseLu, "getrf_super");
    time(all.super.solve_upper, kSparseLu, "trsm_right_upper_super");
    time(all.super.solve_lower, kSparseLu, "trsm_left_lower_super");
    time(all.super.multiply, kSparseLu, "gemm_super");
  }
  if (missing) return *missing;
  return all;
}

template Result<linalg::BlockLuKernels<float>> modelled_block_lu(const platform::MachineDescription&,
                                                                 kernels::SuperTasks, int);
template Result<linalg::BlockLuKernels<double>> modelled_block_lu(const platform::MachineDescription&,
                                                                  kernels::SuperTasks, int);

}  // namespace troupe::apps
