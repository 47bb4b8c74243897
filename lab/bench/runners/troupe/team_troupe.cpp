/// Compares a kernel on a cluster of cores with the same kernel on each of these cores as a separate worker.
///
/// The cluster and the separate workers take turns, in one process and on the same bound cores. Together, the cores run
/// the team's kernel on one tile. Apart, each core runs the kernel for one core on a tile of its own; all begin at the
/// same time. The ratios are the team's speed divided by the sum of the cores' speeds: one ratio from medians, and one
/// from the fastest rounds. Data are restored before each kernel, outside of the measured time.
#include <algorithm>
#include <chrono>
#include <deque>
#include <vector>

#include "actors/workers/devices/core_team.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "kernels/blas_threads.hpp"
#include "kernels/codelets.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/statistics.hpp"
#include "platform/machine/binding.hpp"
#include "proto/json/json.hpp"
#include "proto/random.hpp"

namespace troupe::bench {
namespace {

using kernels::TileCodelets;

/// A task of one codelet, on square tiles.
struct TeamTask {
  const char* name;
  Codelet TileCodelets<double>::*codelet;
  /// The number of tiles, in the order of the handles. The last `written` tiles are restored before each run.
  int tiles;
  int written;
  /// The index of the handle whose number of rows is the size of the inner block; -1 if there is none.
  int factors_at;
  Arguments arguments;
};

std::vector<TeamTask> tasks() {
  using C = TileCodelets<double>;
  const Arguments zero = args(std::int64_t{0});
  const Arguments zeros = args(std::int64_t{0}, std::int64_t{0});
  return {
      {"gemm", &C::gemm_nt, 3, 1, -1, zero},
      {"trsm", &C::trsm_cholesky, 2, 1, -1, zero},
      {"trsm_left", &C::solve_unit_lower, 2, 1, -1, zero},
      {"syrk", &C::syrk, 2, 1, -1, zero},
      {"potrf", &C::potrf, 1, 1, -1, zeros},
      {"getrf_nopiv", &C::getrf_without_pivoting, 1, 1, -1, zeros},
      {"getrf", &C::getrf_panel, 1, 1, -1, zeros},
      {"geqrt", &C::geqrt, 3, 3, 1, {}},
      {"gemqrt", &C::gemqrt_transposed, 3, 1, 1, {}},
      {"tpqrt", &C::tpqrt, 3, 3, 2, zero},
      {"tpmqrt", &C::tpmqrt_transposed, 4, 2, 1, zero},
  };
}

/// The data of a task for one core of the team. One positive definite matrix suits all kernels. The elements outside of
/// its diagonal are so small, compared with the diagonal, that nothing overflows.
class TaskData {
 public:
  TaskData(const TeamTask& task, std::int64_t tile, std::int64_t inner)
      : task_(&task), pivots_(static_cast<std::size_t>(tile)), given_(static_cast<std::size_t>(tile * tile)) {
    Random random(7);
    for (std::int64_t j = 0; j < tile; ++j) {
      for (std::int64_t i = j; i < tile; ++i) {
        const double value = static_cast<double>(random.next() >> 11U) * 0x1p-53 / static_cast<double>(tile);
        given_[static_cast<std::size_t>(i + j * tile)] = i == j ? 2 : value;
        given_[static_cast<std::size_t>(j + i * tile)] = i == j ? 2 : value;
      }
    }
    tiles_.assign(static_cast<std::size_t>(task.tiles), given_);
    if (task.codelet == &TileCodelets<double>::getrf_panel) {
      views_.push_back({reinterpret_cast<std::byte*>(pivots_.data()), layout_of<int>(tile, 1, tile)});
    }
    for (int i = 0; i < task.tiles; ++i) {
      const std::int64_t rows = i == task.factors_at ? inner : tile;
      views_.push_back({reinterpret_cast<std::byte*>(tiles_[static_cast<std::size_t>(i)].data()),
                        layout_of<double>(rows, tile, rows)});
    }
    for (const DataView& view : views_) pointers_.push_back(&view);
  }
  TaskData(const TaskData&) = delete;
  TaskData& operator=(const TaskData&) = delete;

  void restore() {
    for (int i = task_->tiles - task_->written; i < task_->tiles; ++i) {
      std::ranges::copy(given_, tiles_[static_cast<std::size_t>(i)].begin());
    }
  }
  /// Runs the task, with a team if `team` is not null. Returns the seconds.
  double run(Team* team) {
    const CodeletDefinition& codelet = (kernels::codelets<double>().*task_->codelet).definition();
    KernelContext context(pointers_, task_->arguments.view());
    context.cores = team;
    const Kernel& kernel = team != nullptr ? codelet.team.kernel : codelet.kernel_for(DeviceKind::cpu_core);
    const auto start = std::chrono::steady_clock::now();
    kernel(context);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  const TeamTask* task_;
  std::vector<int> pivots_;
  std::vector<double> given_;
  std::vector<std::vector<double>> tiles_;
  std::vector<DataView> views_;
  std::vector<const DataView*> pointers_;
};

template <class Typical>
Json compare(const std::vector<double>& together, const std::vector<std::vector<double>>& apart, Typical typical) {
  const double team_seconds = typical(together);
  double sum_of_speeds = 0;
  for (const std::vector<double>& times : apart) sum_of_speeds += 1 / typical(times);
  return {{"team_ms", 1e3 * team_seconds},
          {"core_ms", 1e3 * static_cast<double>(apart.size()) / sum_of_speeds},
          {"of_sum_of_speeds", 1 / (team_seconds * sum_of_speeds)}};
}

}  // namespace

Json team(Parameters& parameters) {
  const std::string name = parameters.text("kernel", "gemm");
  const std::int64_t tile = parameters.integer("tile", 960, 1);
  const std::int64_t inner = parameters.integer("inner", 96, 1);
  const std::int64_t rounds = parameters.integer("rounds", 30, 1);
  const int cores = cores_of(parameters);
  parameters.require_all_used();
  const std::vector<TeamTask> all = tasks();
  const auto task = std::ranges::find_if(all, [&](const TeamTask& one) { return one.name == name; });
  if (task == all.end()) throw BadParameter("kernel=" + name + ": a tile codelet that has a case");
  if (inner > tile) throw BadParameter("inner: at most tile");

  const platform::CpuSet allowed = platform::this_thread_binding().value_or_throw();
  if (static_cast<int>(allowed.size()) < cores) throw Unsupported("there are fewer cores");
  const auto bound = platform::BindingGuard::bind(allowed.front()).value_or_throw();
  workers::CoreTeam::Options options;
  for (int i = 1; i < cores; ++i) options.helpers.push_back({allowed[static_cast<std::size_t>(i)]});
  options.name = "team";
  workers::CoreTeam team(options);
  const auto blas = kernels::single_threaded_blas();

  std::deque<TaskData> data;
  for (int i = 0; i < cores; ++i) data.emplace_back(*task, tile, inner);
  std::vector<double> together;
  std::vector<std::vector<double>> apart(static_cast<std::size_t>(cores));
  constexpr int kWarmUp = 2;
  for (std::int64_t round = -kWarmUp; round < rounds; ++round) {
    data.front().restore();
    const double seconds = data.front().run(&team);
    std::vector<double> own(static_cast<std::size_t>(cores));
    team.run([&](int rank, int) {
      const auto member = static_cast<std::size_t>(rank);
      data[member].restore();
      team.barrier();
      own[member] = data[member].run(nullptr);
    });
    if (round < 0) continue;
    together.push_back(seconds);
    for (std::size_t i = 0; i < own.size(); ++i) apart[i].push_back(own[i]);
  }
  // In the fastest rounds, other programs disturbed the measurement least.
  const auto fastest = [](const std::vector<double>& times) { return std::ranges::min(times); };
  Json figures = compare(together, apart, median_of);
  figures["fastest_of_sum_of_speeds"] = compare(together, apart, fastest)["of_sum_of_speeds"];
  figures["rounds"] = rounds;
  return figures;
}

}  // namespace troupe::bench
