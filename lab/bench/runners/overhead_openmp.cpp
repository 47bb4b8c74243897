#include <vector>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/shapes.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

/// The distance between two data, in doubles: one cache line. A dependence only names an address; the value is not
/// read.
constexpr std::size_t kLine = 8;

// A task has one dependence for each handle, as in users' programs, so each number of handles has its own directive.
void create_writer([[maybe_unused]] double* x, int handles) {
  if (handles == 1) {
#pragma omp task depend(inout : x[0])
    compute_nothing();
  } else if (handles == 2) {
#pragma omp task depend(inout : x[0], x[kLine])
    compute_nothing();
  } else if (handles == 3) {
#pragma omp task depend(inout : x[0], x[kLine], x[2 * kLine])
    compute_nothing();
  } else {
#pragma omp task depend(inout : x[0], x[kLine], x[2 * kLine], x[3 * kLine])
    compute_nothing();
  }
}

void create_reader([[maybe_unused]] double* x, int handles) {
  if (handles == 1) {
#pragma omp task depend(in : x[0])
    compute_nothing();
  } else if (handles == 2) {
#pragma omp task depend(in : x[0], x[kLine])
    compute_nothing();
  } else if (handles == 3) {
#pragma omp task depend(in : x[0], x[kLine], x[2 * kLine])
    compute_nothing();
  } else {
#pragma omp task depend(in : x[0], x[kLine], x[2 * kLine], x[3 * kLine])
    compute_nothing();
  }
}

void create_on_data(const OverheadOptions& options, std::vector<double>& values) {
  for (std::int64_t task = 0; task < options.tasks; ++task) {
    const DataUse use = data_use(options.shape, task);
    double* set = values.data() + static_cast<std::size_t>(use.set * options.handles) * kLine;
    if (use.writes) {
      create_writer(set, options.handles);
    } else {
      create_reader(set, options.handles);
    }
  }
}

void create_independent(std::int64_t tasks) {
  for (std::int64_t task = 0; task < tasks; ++task) {
#pragma omp task
    compute_nothing();
  }
}

void create_one_by_one(std::int64_t tasks) {
  for (std::int64_t task = 0; task < tasks; ++task) {
#pragma omp task
    compute_nothing();
#pragma omp taskwait
  }
}

void create_tree(int depth) {
  if (depth == 0) return compute_nothing();
  for (int child = 0; child < 2; ++child) {
#pragma omp task firstprivate(depth)
    create_tree(depth - 1);
  }
}

void create(const OverheadOptions& options, std::vector<double>& values) {
  if (options.handles > 0) return create_on_data(options, values);
  if (options.shape == Shape::independent) return create_independent(options.tasks);
  if (options.shape == Shape::one_by_one) return create_one_by_one(options.tasks);
#pragma omp task
  create_tree(tree_depth(options.tasks));
}

}  // namespace

Json overhead(Parameters& parameters) {
  const OverheadOptions options = overhead_options(parameters);
  const bool ordered =
      options.shape == Shape::chain || options.shape == Shape::chains64 || options.shape == Shape::fork_join;
  if (ordered && options.handles == 0) throw Unsupported("OpenMP orders tasks by data only");
  std::vector<double> values(static_cast<std::size_t>(data_sets(options.shape) * options.handles) * kLine);
  return measure_overhead([&] {
  // The barrier at the end of the region waits for all tasks.
#pragma omp parallel num_threads(options.cores)
#pragma omp single
    create(options, values);
    return options.shape == Shape::tree ? tree_tasks(tree_depth(options.tasks)) : options.tasks;
  });
}

}  // namespace troupe::bench
