#include "lab/bench/driver/plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/bench/constructs.hpp"
#include "lab/bench/pattern.hpp"
#include "lab/bench/recursion/recursion_case.hpp"
#include "lab/bench/shapes.hpp"

namespace troupe::bench {
namespace {

Plan plan_with(const PlanOptions& options, std::string benchmark, const std::vector<std::string>& usual) {
  Plan plan;
  plan.benchmark = std::move(benchmark);
  plan.rounds = options.rounds;
  plan.cores = options.cores;
  for (const std::string& label : options.runtimes.empty() ? usual : options.runtimes) {
    plan.contestants.push_back(contestant_named(label));
  }
  return plan;
}

template <class T>
std::vector<T> given_or(const std::vector<T>& given, std::vector<T> otherwise) {
  return given.empty() ? std::move(otherwise) : given;
}

/// Returns the given names; if there are none, the names of all values of `all`.
template <class Values>
std::vector<std::string> names_or_all(const std::vector<std::string>& given, const Values& all) {
  std::vector<std::string> names = given;
  if (names.empty()) {
    for (const auto value : all) names.emplace_back(to_string(value));
  }
  return names;
}

std::string word(const std::string& key, const auto& value) { return fmt::format("{}={}", key, value); }

}  // namespace

const std::vector<std::string>& known_runtimes() {
  static const std::vector<std::string> names{"troupe", "starpu", "openmp", "tbb", "taskflow", "lapack", "umfpack"};
  return names;
}

const std::vector<std::string>& known_algorithms() {
  static const std::vector<std::string> names{"cholesky", "lu", "qr"};
  return names;
}

const std::vector<std::string>& known_grains() {
  static const std::vector<std::string> names{"fine", "coarse", "multi"};
  return names;
}

Plan overhead_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "overhead", {"troupe", "starpu", "openmp", "tbb", "taskflow", "taskflow/async"});
  plan.title = "Empty tasks, submission to completion of all, us per task";
  plan.label_titles = {"shape", "handles"};
  plan.figure_titles = {"us per task"};
  const std::int64_t usual = options.tiny ? 2'000 : 100'000;
  const std::int64_t tasks = options.tasks > 0 ? options.tasks : usual;
  for (const std::string& name : names_or_all(options.shapes, kShapes)) {
    const bool without_data = name == "tree" || name == "one_by_one";
    // A task that the program waits for costs two thread switches, so there are fewer such tasks.
    const std::int64_t count = name == "one_by_one" ? std::max<std::int64_t>(1, tasks / 20) : tasks;
    for (const int handles : given_or(options.handles, {0, 1, 2, 3, 4})) {
      if (without_data && handles > 0) continue;
      plan.rows.push_back({{name, std::to_string(handles)},
                           "overhead",
                           {word("shape", name), word("handles", handles), word("tasks", count)},
                           {"us_per_task"}});
    }
  }
  return plan;
}

Plan granularity_plan(const PlanOptions& options) {
  Plan plan = plan_with(
      options, "granularity",
      {"troupe", "starpu", "openmp", "tbb", "taskflow", "taskflow/async", "troupe/recorded", "taskflow/static"});
  plan.title = "METG(50%): the smallest average task at half of the peak rate, us";
  plan.label_titles = {"pattern", "width", "dependencies"};
  plan.figure_titles = {"METG us"};
  plan.reference =
      Reference{"kernel", {word("seconds", options.tiny ? 0.02 : 0.2)}, "iterations_per_second", "peak", ""};
  std::vector<std::string> usual{"trivial", "stencil_1d", "fft", "random_nearest", "tree"};
  for (const std::string& name : given_or(options.patterns, usual)) {
    const std::vector<int> radices =
        has_radix(pattern_named(name).value()) ? given_or(options.dependencies, {5}) : std::vector{-1};
    for (const int width : given_or(options.widths, {options.cores, 4 * options.cores})) {
      for (const int radix : radices) {
        Row row{{name, std::to_string(width), radix < 0 ? "" : std::to_string(radix)},
                "granularity",
                {word("pattern", name), word("width", width)},
                {"metg_us"}};
        if (radix >= 0) row.words.push_back(word("dependencies", radix));
        if (options.tiny) row.words.emplace_back("tiny=1");
        plan.rows.push_back(row);
      }
    }
  }
  return plan;
}

Plan steal_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "steal", {"troupe", "starpu", "openmp", "tbb", "taskflow"});
  plan.title = "Latency, us";
  plan.label_titles = {"what", "where"};
  plan.figure_titles = {"median us", "99 % us"};
  const std::vector<std::string> keys{"latency_us", "latency_p99_us"};
  const auto add_steal = [&](const char* what, const char* where, std::vector<std::string> words, int samples) {
    words.push_back(word("samples", options.tiny ? 10 : samples));
    plan.rows.push_back({{what, where}, "steal", std::move(words), keys});
  };
  add_steal("steal answered", "victim in a 100 ms kernel", {"what=answer", "victim_ms=100"}, 400);
  add_steal("steal answered", "victim in 5 ms kernels", {"what=answer", "victim_ms=5"}, 400);
  add_steal("surplus started", "idle core awake", {"what=surplus", "victim_ms=100", "gap_us=30"}, 400);
  add_steal("surplus started", "idle core asleep", {"what=surplus", "victim_ms=100", "gap_us=2000"}, 200);
  for (const char* state : {"awake", "asleep"}) {
    plan.rows.push_back({{"submission started", fmt::format("idle core {}", state)},
                         "start",
                         {word("state", state), word("samples", options.tiny ? 10 : 200)},
                         keys});
  }
  return plan;
}

Plan constructs_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "constructs", {"troupe"});
  plan.title = "Constructs of a program, ns each, with all tasks";
  plan.label_titles = {"construct", "what"};
  plan.figure_titles = {"ns"};
  for (const Construct& one : kConstructs) {
    const auto& chosen = options.constructs;
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), one.name) == chosen.end()) continue;
    plan.rows.push_back({{one.name, one.unit},
                         "constructs",
                         {word("construct", one.name), word("n", options.tiny ? 2'000 : 20'000)},
                         {"ns"}});
  }
  return plan;
}

Plan memory_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "memory", {"troupe", "starpu", "openmp", "tbb", "taskflow"});
  plan.title = "Memory";
  plan.label_titles = {"what"};
  plan.figure_titles = {"value"};
  plan.rows.push_back({{"bytes per task in flight, two accesses"},
                       "memory",
                       {word("in_flight", options.tiny ? 2'000 : 50'000)},
                       {"bytes_per_task"}});
  const std::int64_t tasks = options.tiny ? 20'000 : 10'000'000;
  plan.rows.push_back({{fmt::format("peak MiB of {} tasks", tasks)}, "stream", {word("tasks", tasks)}, {"peak_mib"}});
  plan.rows.push_back({{"time on temporaries of 64 KiB, in times of kept data"},
                       "temporaries",
                       {word("pieces", options.tiny ? 200 : 20'000)},
                       {"times"}});
  return plan;
}

Plan linalg_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "linalg", {"troupe", "starpu", "lapack"});
  plan.title = "Factorizations in double precision, GFlop/s";
  plan.label_titles = {"algorithm", "n"};
  plan.figure_titles = {"GFlop/s", "share of DGEMM peak", "seconds", "residual"};
  plan.more_is_better = true;
  plan.reference = Reference{"dgemm", {}, "gflops", "", "fraction_of_peak"};
  std::vector<std::int64_t> usual{1024, 2048, 4096, 8192, 12288};
  if (options.tiny) {
    usual = {256};
    plan.reference->words = {"n=256"};
  }
  for (const std::string& algorithm : given_or(options.algorithms, known_algorithms())) {
    for (const std::int64_t n : given_or(options.orders, usual)) {
      Row row{{algorithm, std::to_string(n)},
              "linalg",
              {word("algorithm", algorithm), word("n", n)},
              {"gflops", "fraction_of_peak", "seconds", "residual"}};
      if (options.tile > 0) row.words.push_back(word("tile", options.tile));
      plan.rows.push_back(row);
    }
  }
  return plan;
}

Plan sparse_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "sparse", {"troupe", "umfpack"});
  plan.title = "Sparse systems in double precision (convection and diffusion in a cube), seconds for a whole solve";
  plan.label_titles = {"points"};
  plan.figure_titles = {"seconds", "stored bytes", "residual"};
  for (const int points : given_or(options.points, options.tiny ? std::vector{6} : std::vector{22, 25, 28, 31})) {
    plan.rows.push_back(
        {{std::to_string(points)}, "sparse", {word("points", points)}, {"seconds", "stored_bytes", "residual"}});
  }
  return plan;
}

Plan sparse_lu_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "sparse-lu", {"troupe", "starpu", "openmp"});
  plan.title = "LU without pivoting of sparse matrices of blocks in double precision, GFlop/s";
  plan.label_titles = {"blocks", "Troupe's tasks"};
  plan.figure_titles = {"GFlop/s", "kernels / (cores x time)", "seconds"};
  plan.more_is_better = true;
  std::vector<std::int64_t> usual{20, 30, 40};
  if (options.tiny) usual = {6};
  for (const std::int64_t n : given_or(options.orders, usual)) {
    for (const std::string& grain : given_or(options.grains, {"fine", "multi"})) {
      Row row{{std::to_string(n), grain},
              "sparse-lu",
              {word("structure", options.structure), word("n", n), word("grain", grain)},
              {"gflops", "kernel_share", "seconds"},
              "checksum"};
      if (options.tiny) row.words.emplace_back("block=16");
      plan.rows.push_back(row);
    }
  }
  return plan;
}

Plan recursion_plan(const PlanOptions& options) {
  Plan plan = plan_with(options, "recursion", {"troupe", "openmp", "tbb", "taskflow"});
  plan.title = "Programs of divide and conquer, ms";
  plan.label_titles = {"program", "n", "cut-off"};
  plan.figure_titles = {"ms"};
  plan.peers_over_troupe = true;
  const std::vector<std::string> chosen = names_or_all(options.programs, kRecursions);
  for (const Recursion program : kRecursions) {
    const std::string name = to_string(program);
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) continue;
    const RecursionSizes sizes = recursion_sizes(program);
    const std::int64_t n = options.tiny ? sizes.tiny_n : sizes.n;
    plan.rows.push_back({{name, std::to_string(n), std::to_string(sizes.cutoff)},
                         "recursion",
                         {word("program", name), word("n", n), word("cutoff", sizes.cutoff)},
                         {"ms"},
                         "checksum"});
  }
  return plan;
}

}  // namespace troupe::bench
