/// Measures the cost of tasks that are divided into pieces, and the time until other workers take some of the pieces.
///
/// `what=cost`: tasks that consist of `pieces` empty pieces, of which workers take `grain` at a time, compared with
/// empty tasks without pieces. The rounds of both kinds alternate. The figures are medians: `piece_us`, the additional
/// time of a divided task for each piece, and `task_us`, the time of a task without pieces.
///
/// `what=steal`: two workers. The first piece of a task computes for `first_ms`. The measured time goes from the
/// beginning of the first piece to the beginning of the second piece, which only the other worker can run. Before the
/// task, the other worker has been idle for `gap_us`.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

Json cost_of_pieces(Parameters& parameters) {
  RuntimeOptions options;
  options.cores = cores_of(parameters);
  const std::int64_t pieces = parameters.integer("pieces", 25, 1);
  const std::int64_t grain = parameters.integer("grain", 1, 1);
  const std::int64_t tasks = parameters.integer("tasks", 20'000, 1);
  const std::int64_t rounds = parameters.integer("rounds", 21, 1);
  parameters.require_all_used();
  const Codelet whole = Codelet("whole", {}).cpu([](const KernelContext&) { compute_nothing(); });
  const Codelet in_pieces =
      Codelet("in pieces", {})
          .pieces([pieces](const KernelContext&) { return pieces; },
                  [](std::size_t, const KernelContext&) { compute_nothing(); }, static_cast<std::size_t>(grain));
  Runtime runtime(options);
  const auto us_per_task = [&](const Codelet& codelet) {
    const std::int64_t begin = now_ns();
    for (std::int64_t i = 0; i < tasks; ++i) runtime.submit(codelet, {});
    runtime.wait();
    return 1e-3 * static_cast<double>(now_ns() - begin) / static_cast<double>(tasks);
  };
  std::vector<double> task_us;
  std::vector<double> piece_us;
  for (std::int64_t round = -1; round < rounds; ++round) {
    const double without = us_per_task(whole);
    const double with = us_per_task(in_pieces);
    if (round < 0) continue;  // The first round is a warm-up.
    task_us.push_back(without);
    piece_us.push_back((with - without) / static_cast<double>(pieces));
  }
  return {{"piece_us", median_of(piece_us)}, {"task_us", median_of(task_us)}};
}

Json steal_pieces(Parameters& parameters) {
  const double first_ms = parameters.number("first_ms", 100);
  const double gap_us = parameters.number("gap_us", 2000);
  const std::int64_t samples = parameters.integer("samples", 50, 1);
  if (cores_of(parameters) < 2) throw Unsupported("stealing needs two cores");
  parameters.require_all_used();
  RuntimeOptions options;
  options.cores = 2;
  std::atomic<std::int64_t> first{0};
  std::atomic<std::int64_t> second{0};
  const Codelet codelet = Codelet("uneven", {})
                              .pieces([](const KernelContext&) { return 2; },
                                      [&](std::size_t piece, const KernelContext&) {
                                        const std::int64_t begin = now_ns();
                                        (piece == 0 ? first : second) = begin;
                                        if (piece != 0) return;
                                        const auto end = begin + static_cast<std::int64_t>(1e6 * first_ms);
                                        while (now_ns() < end) {
                                        }
                                      });
  Runtime runtime(options);
  std::vector<double> latencies;
  for (std::int64_t i = 0; i < samples; ++i) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(gap_us));
    runtime.submit(codelet, {});
    runtime.wait();
    latencies.push_back(static_cast<double>(second - first));
  }
  return latency_figures(latencies);
}

}  // namespace

Json pieces(Parameters& parameters) {
  const std::string what = parameters.text("what", "cost");
  if (what == "cost") return cost_of_pieces(parameters);
  if (what == "steal") return steal_pieces(parameters);
  throw BadParameter("what=" + what + ": cost or steal");
}

}  // namespace troupe::bench
