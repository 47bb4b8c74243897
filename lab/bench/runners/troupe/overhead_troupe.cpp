#include <vector>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/shapes.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

const auto kNothing = [](const KernelContext&) { compute_nothing(); };

/// The data of the tasks, each on a separate cache line, in sets of `handles` data.
class Sets {
 public:
  Sets(Runtime& runtime, const OverheadOptions& options)
      : values_(static_cast<std::size_t>(data_sets(options.shape) * options.handles) * kDoublesPerLine) {
    for (std::size_t i = 0; i < values_.size(); i += kDoublesPerLine) {
      data_.push_back(runtime.scalar(values_[i]));
      accesses_.emplace_back(data_.back());
    }
    handles_ = static_cast<std::size_t>(options.handles);
  }
  [[nodiscard]] std::span<const Access> set(std::int64_t index) const {
    return std::span(accesses_).subspan(static_cast<std::size_t>(index) * handles_, handles_);
  }

 private:
  static constexpr std::size_t kDoublesPerLine = 8;
  std::vector<double> values_;
  std::vector<Data> data_;
  std::vector<Access> accesses_;
  std::size_t handles_ = 0;
};

std::int64_t run_on_data(Runtime& runtime, const OverheadOptions& options, const Sets& sets, const Codelet& look,
                         const Codelet& touch) {
  for (std::int64_t task = 0; task < options.tasks; ++task) {
    const DataUse use = data_use(options.shape, task);
    runtime.submit(use.writes ? touch : look, sets.set(use.set));
  }
  runtime.wait();
  return options.tasks;
}

/// Runs tasks without data, ordered by `TaskOptions::after`.
std::int64_t run_after(Runtime& runtime, const OverheadOptions& options, const Codelet& nothing) {
  constexpr std::size_t kRemembered = 128;  // No shape refers further back.
  std::vector<Future> earlier(kRemembered);
  for (std::int64_t task = 0; task < options.tasks; ++task) {
    const Predecessors before = predecessors(options.shape, task);
    Future& future = earlier[static_cast<std::size_t>(task) % kRemembered];
    if (before.count == 0) {
      future = runtime.submit(nothing, {});
      continue;
    }
    TaskOptions task_options;
    for (std::int64_t i = 0; i < before.count; ++i) {
      task_options.after.push_back(earlier[static_cast<std::size_t>(before.first + i) % kRemembered]);
    }
    future = runtime.submit(nothing, {}, {}, task_options);
  }
  runtime.wait();
  return options.tasks;
}

std::int64_t run_independent(Runtime& runtime, const OverheadOptions& options, const Codelet& nothing) {
  for (std::int64_t task = 0; task < options.tasks; ++task) runtime.submit(nothing, {});
  runtime.wait();
  return options.tasks;
}

std::int64_t run_one_by_one(Runtime& runtime, const OverheadOptions& options, const Codelet& nothing) {
  for (std::int64_t task = 0; task < options.tasks; ++task) runtime.submit(nothing, {}).wait();
  return options.tasks;
}

/// Runs a tree of tasks. The program submits only the root; the kernels, in the workers' threads, submit all other
/// tasks.
std::int64_t run_tree(Runtime& runtime, int depth, const Codelet& node) {
  runtime.submit(node, {}, args(depth));
  runtime.wait();
  return tree_tasks(depth);
}

}  // namespace

Json overhead(Parameters& parameters) {
  RuntimeOptions runtime_options;
  runtime_options.policy = parameters.text("policy", runtime_options.policy);
  const OverheadOptions options = overhead_options(parameters);
  runtime_options.cores = options.cores;
  const auto handles = static_cast<std::size_t>(options.handles);
  const Codelet look = Codelet("look", std::vector(handles, AccessMode::read)).cpu(kNothing);
  const Codelet touch = Codelet("touch", std::vector(handles, AccessMode::read_write)).cpu(kNothing);
  const Codelet nothing = Codelet("nothing", {}).cpu(kNothing);
  Runtime runtime(runtime_options);
  Codelet node("node", {});
  node.cpu([&runtime, &node](const KernelContext& context) {
    const int depth = context.argument<int>(0);
    if (depth == 0) return compute_nothing();
    runtime.submit(node, {}, args(depth - 1));
    runtime.submit(node, {}, args(depth - 1));
  });
  const Sets sets(runtime, options);
  return measure_overhead([&] {
    if (handles > 0) return run_on_data(runtime, options, sets, look, touch);
    switch (options.shape) {
      case Shape::independent: return run_independent(runtime, options, nothing);
      case Shape::tree: return run_tree(runtime, tree_depth(options.tasks), node);
      case Shape::one_by_one: return run_one_by_one(runtime, options, nothing);
      default: return run_after(runtime, options, nothing);
    }
  });
}

}  // namespace troupe::bench
