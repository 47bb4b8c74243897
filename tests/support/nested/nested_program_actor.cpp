#include "tests/support/nested/nested_program_actor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "tests/support/nested/nested_operations.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

namespace nested {
namespace {

int runs_of(const NestedProgram& program) { return program.cutoff ? 4 : program.recorded ? 3 : 1; }

/// Makes a codelet whose kernel runs on cores, on emulated GPUs and on those of virtual time.
Codelet on_both(const char* name, std::vector<AccessMode> modes, const Kernel& kernel) {
  Codelet codelet(name, std::move(modes));
  codelet.implement(DeviceKind::cpu_core, kernel);
  codelet.implement(DeviceKind::emulated, kernel);
  codelet.implement(DeviceKind::cuda, kernel);
  return codelet;
}
template <class Change>
Kernel change_all(Change change) {
  return [change](const KernelContext& context) {
    if (context.argument<bool>(1)) throw std::runtime_error("wanted");
    for (Number& value : context.vector<Number>(0)) change(value, context.argument<Number>(0));
  };
}
const Codelet& codelet_of(Operation::Kind kind) {
  using enum AccessMode;
  static const std::array<Codelet, 5> codelets{
      on_both("alter", {read_write}, change_all([](Number& value, Number number) { value = value * 31 + number; })),
      on_both("overwrite", {write}, change_all([](Number& value, Number number) { value = number; })),
      on_both("gather", {read_write, read},
              [](const KernelContext& context) {
                if (context.argument<bool>(1)) throw std::runtime_error("wanted");
                Number sum = context.argument<Number>(0);
                for (const Number value : context.vector<const Number>(1)) sum += value;
                for (Number& value : context.vector<Number>(0)) value = value * 7 + sum;
              }),
      on_both("add", {commute}, change_all([](Number& value, Number number) { value += number; })),
      // Tasks on halo parts run on cores.
      Codelet("blur", {read_write, read})
          .cpu([](VectorView<Number> x, VectorView<const Number> around, Number number, bool throws) {
            if (throws) throw std::runtime_error("wanted");
            for (const Number value : around) number += value;
            for (Number& value : x) value = value * 7 + number;
          })};
  return codelets[static_cast<std::size_t>(kind)];
}

/// Submits operations in a runtime. Their kernels submit in the runtime that they find.
class Tasks {
 public:
  /// The handles of a vector's parts, by their numbers.
  using Parts = std::array<Handle, 2 * kLeaves>;
  /// The halo parts of the leaves of each part, by vector and part.
  using Halos = std::array<std::array<std::vector<Halo>, kLeaves>, kVectors>;

  /// If `typed` is true, most tasks are inline kernels.
  explicit Tasks(bool typed) : typed_(typed) {}

  [[nodiscard]] Halos& halos() { return halos_; }
  [[nodiscard]] static Parts divide(Runtime& runtime, const Handle& whole) {
    Parts parts;
    parts[1] = whole;
    for (std::size_t part = 1; part < kLeaves; ++part) {
      const Leaves leaves = leaves_of(static_cast<int>(part));
      const std::int64_t half = static_cast<std::int64_t>(leaves.end - leaves.begin) / 2 * kPerLeaf;
      const std::array<Block, 2> blocks{Block{0, 0, half, 1}, Block{half, 0, half, 1}};
      const auto made = runtime.partition(parts[part], blocks);
      parts[2 * part] = made[0];
      parts[2 * part + 1] = made[1];
    }
    return parts;
  }

  void submit(Runtime& runtime, const std::vector<Operation>& program, const std::vector<Parts>& handles) {
    for (const Operation& one : program) {
      const Future future = submit(runtime, one, handles);
      if (one.wait != Operation::none) wait(runtime, one, future, handles);
    }
  }

 private:
  /// Waits in a kernel. A wait that is refused, or that tells of a failure, changes nothing.
  static void wait(Runtime& runtime, const Operation& one, const Future& future, const std::vector<Parts>& handles) {
    try {
      if (one.wait == Operation::for_all) runtime.wait();
      if (one.wait == Operation::for_this) future.wait();
      if (one.wait == Operation::for_target && one.target) runtime.wait(handle_of(handles, *one.target));
    } catch (const Error&) {
    }
  }
  static Handle handle_of(const std::vector<Parts>& handles, const Place& place) {
    return handles[static_cast<std::size_t>(place.vector)][static_cast<std::size_t>(place.part)];
  }
  Future submit(Runtime& runtime, const Operation& one, const std::vector<Parts>& handles) {
    if (one.kind == Operation::nest) return submit_nested(runtime, one, handles);
    const Handle target = handle_of(handles, *one.target);
    if (one.kind == Operation::blur) {
      const std::vector<Halo>& halos =
          halos_[static_cast<std::size_t>(one.source.vector)][static_cast<std::size_t>(one.source.part)];
      const int leaf = one.target->part - kLeaves - leaves_of(one.source.part).begin;
      return runtime.submit(codelet_of(one.kind), {target, halos[static_cast<std::size_t>(leaf)]},
                            args(one.number, one.throws));
    }
    if (typed_ && one.kind != Operation::add) return submit_typed(runtime, one, target, handles);
    const Arguments arguments = args(one.number, one.throws);
    if (one.kind == Operation::gather) {
      return runtime.submit(codelet_of(one.kind), {target, handle_of(handles, one.source)}, arguments);
    }
    return runtime.submit(codelet_of(one.kind), {target}, arguments);
  }
  /// Submits the task as an inline kernel, which a nested task may call.
  static Future submit_typed(Runtime& runtime, const Operation& one, const Handle& target,
                             const std::vector<Parts>& handles) {
    const auto change = [](VectorView<Number> x, Number number, bool throws, Operation::Kind kind) {
      if (throws) throw std::runtime_error("wanted");
      for (Number& value : x) value = kind == Operation::alter ? value * 31 + number : number;
    };
    if (one.kind == Operation::alter)
      return runtime.submit(change, read_write(target), one.number, one.throws, one.kind);
    if (one.kind == Operation::overwrite)
      return runtime.submit(change, write(target), one.number, one.throws, one.kind);
    return runtime.submit(
        [](VectorView<Number> x, VectorView<const Number> y, Number number, bool throws) {
          if (throws) throw std::runtime_error("wanted");
          for (const Number value : y) number += value;
          for (Number& value : x) value = value * 7 + number;
        },
        read_write(target), handle_of(handles, one.source), one.number, one.throws);
  }
  Future submit_nested(Runtime& runtime, const Operation& one, const std::vector<Parts>& handles) {
    TaskOptions options;
    options.nested = !one.unsaid;
    for (const Operation::Weak& weak : one.weak) {
      const Handle handle = handle_of(handles, weak.place);
      options.weak.emplace_back(handle, weak.written ? AccessMode::read_write : AccessMode::read);
    }
    if (!one.target) return runtime.submit(options, [this, &one, handles] { kernel(one, handles); });
    const Handle target = handle_of(handles, *one.target);
    if (one.only_reads) {
      return runtime.submit(
          options, [this, &one, handles](VectorView<const Number>) { kernel(one, handles); }, target);
    }
    return runtime.submit(
        options,
        [this, &one, handles](VectorView<Number> x) {
          for (Number& value : x) value ^= one.number;
          kernel(one, handles);
          if (!one.ends_with_change) return;
          Operation all;
          all.wait = Operation::for_all;
          Runtime here = Runtime::here();
          wait(here, all, {}, handles);
          for (Number& value : x) value += one.number;
        },
        target);
  }
  void kernel(const Operation& one, std::vector<Parts> handles) {
    Runtime runtime = Runtime::here();
    std::vector<Matrix<Number>> temporaries;
    for (const int vector : one.temporaries) {
      temporaries.push_back(runtime.allocate_matrix<Number>(kLeaves * kPerLeaf, 1));
      if (handles.size() <= static_cast<std::size_t>(vector)) handles.resize(static_cast<std::size_t>(vector) + 1);
      Parts& parts = handles[static_cast<std::size_t>(vector)];
      parts = divide(runtime, temporaries.back());
      Operation fill;
      fill.kind = Operation::overwrite;
      fill.number = one.number;
      if (typed_) {
        submit_typed(runtime, fill, temporaries.back(), handles);
      } else {
        runtime.submit(codelet_of(Operation::overwrite), {Handle(temporaries.back())}, args(one.number, false));
      }
    }
    submit(runtime, one.children, handles);
    if (one.cut != 0) divide_anew(runtime, one, handle_of(handles, *one.target));
    // A discard comes after the children, and changes nothing for them.
    if (one.number % 4 == 0) {
      for (const auto& temporary : temporaries) runtime.discard(temporary);
    }
    if (one.throws) throw std::runtime_error("wanted");
  }

  static void divide_anew(Runtime& runtime, const Operation& one, const Handle& target) {
    const std::array<Block, 2> blocks{Block{0, 0, one.cut, 1}, Block{one.cut, 0, kPerLeaf - one.cut, 1}};
    Number number = one.number;
    for (const Handle& part : runtime.partition(target, blocks)) {
      runtime.submit(codelet_of(Operation::alter), {part}, args(number++, false));
    }
  }

  const bool typed_;
  Halos halos_;
};

/// Runs a program in a runtime.
class Parallel {
 public:
  Parallel(const RuntimeOptions& options, bool typed) : runtime_(options), tasks_(typed) {
    handles_.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      elements_[i].assign(kLeaves * kPerLeaf, 1);
      data_[i] = runtime_.vector(elements_[i], "vector " + std::to_string(i));
      handles_[i] = Tasks::divide(runtime_, data_[i]);
      for (int part = 1; part < kLeaves; ++part) {
        const Leaves leaves = leaves_of(part);
        std::vector<Block> blocks;
        for (int leaf = 0; leaf < leaves.end - leaves.begin; ++leaf)
          blocks.push_back({leaf * kPerLeaf, 0, kPerLeaf, 1});
        tasks_.halos()[i][static_cast<std::size_t>(part)] =
            runtime_.halos(handles_[i][static_cast<std::size_t>(part)], blocks, Rim(kPerLeaf, 0));
      }
    }
  }

  /// Runs the program, and returns how its result differs from that of the other run. A program that is recorded is run
  /// twice behind a run that may still be in flight while it is recorded.
  std::vector<std::string> run(const std::vector<Operation>& program, const std::array<Content, kVectors>& expected,
                               const NestedProgram& description) {
    std::vector<std::string> problems;
    std::optional<RecordedGraph> recorded;
    for (int run = description.recorded ? 2 : 1; run < runs_of(description); ++run)
      tasks_.submit(runtime_, program, handles_);
    if (description.recorded) {
      recorded = runtime_.record([&] { tasks_.submit(runtime_, program, handles_); });
      recorded->run();
      recorded->run();
    } else {
      tasks_.submit(runtime_, program, handles_);
    }
    // Without failures the data can be released at once: that waits for their last use.
    const bool released = !description.faults && description.seed % 3 == 0;
    if (released) data_ = {};
    try {
      runtime_.wait();
    } catch (const Error& error) {
      if (!description.faults) problems.push_back(error.what());
    }
    for (std::size_t vector = 0; vector < 2; ++vector) {
      for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) {
        if (released ? same(elements_[vector], expected[vector], leaf)
                     : same(handles_[vector][kLeaves + leaf], expected[vector], leaf)) {
          continue;
        }
        problems.push_back("vector " + std::to_string(vector) + ", part " + std::to_string(leaf) + " is wrong: " +
                           (expected[vector].valid[leaf] ? "it should be valid" : "it should have failed"));
      }
    }
    return problems;
  }

 private:
  /// Returns true if a leaf of a vector that is no longer registered has the expected content.
  static bool same(const std::vector<Number>& elements, const Content& expected, std::size_t leaf) {
    return std::ranges::equal(std::span(elements).subspan(leaf * kPerLeaf, kPerLeaf), expected.leaves[leaf]);
  }
  /// Returns true if a leaf has the expected content, or if it has none and that is expected.
  bool same(const Handle& part, const Content& expected, std::size_t leaf) {
    std::vector<Number> values;
    try {
      const HostAccess access = runtime_.acquire(part, AccessMode::read);
      const auto found = access.vector<Number>();
      values.assign(found.begin(), found.end());
    } catch (const Error&) {
      return !expected.valid[leaf];
    }
    return expected.valid[leaf] && std::ranges::equal(values, expected.leaves[leaf]);
  }

  Runtime runtime_;
  Tasks tasks_;
  std::array<std::vector<Number>, 2> elements_;
  std::array<Vector<Number>, 2> data_;
  std::vector<Tasks::Parts> handles_;
};

std::shared_ptr<SimulationOptions> machine_of(const NestedProgram& program) {
  auto simulation = std::make_shared<SimulationOptions>();
  simulation->machine = plain_machine({.cores = 3 + static_cast<int>(program.seed % 2), .gpus = program.gpus ? 2 : 0});
  if (program.gpus) simulation->gpus = {0, 1};
  simulation->real_buffers = true;
  simulation->seed = program.seed;
  simulation->disturbances.shuffle_messages = true;
  // The data are small.
  simulation->accelerators.gpu_memory = Bytes{1U << 20U};
  for (const char* name : {"alter", "overwrite", "gather", "add", "blur"}) {
    simulation->times[name] = {.core = std::chrono::microseconds(30), .gpu = std::chrono::microseconds(10)};
  }
  return simulation;
}

RuntimeOptions options_of(const NestedProgram& program) {
  RuntimeOptions options;
  options.cores = 1 + static_cast<int>(program.seed % 3);
  options.threads.oversubscribe = true;
  options.threads.bind = false;
  options.threads.deterministic = program.deterministic;
  options.seed = program.seed;
  if (program.cutoff) options.placement.cutoff = std::chrono::minutes(1);
  constexpr std::array kPolicies{"default", "lws", "eager", "heft", "mct", "dada", "homeward"};
  if (program.waits) options.policy = kPolicies[program.seed % kPolicies.size()];
  if (program.simulated) {
    options.simulation = machine_of(program);
    options.cores = 0;
    options.policy = kPolicies[program.seed % kPolicies.size()];
    return options;
  }
  if (program.gpus) options.accelerators.emulated_gpus.resize(1 + program.seed % 2);
  return options;
}

}  // namespace
}  // namespace nested

std::string describe(const NestedProgram& program) {
  return "seed " + std::to_string(program.seed) + (program.faults ? ", with faults" : "") +
         (program.gpus ? ", with emulated GPUs" : "") + (program.waits ? ", with waits" : "") +
         (program.deterministic ? ", deterministic" : "") + (program.recorded ? ", recorded" : "") +
         (program.cutoff ? ", with a cut-off" : "") + (program.halos ? ", with halo parts" : "") +
         (program.simulated ? ", in virtual time" : "");
}

std::vector<std::string> execute(const NestedProgram& program) {
  const std::vector<nested::Operation> operations = nested::operations_of(program);
  const auto expected = nested::run_in_sequence(operations, nested::runs_of(program));
  return nested::Parallel(nested::options_of(program), program.cutoff).run(operations, expected, program);
}

struct NestedChildren::Content {
  std::vector<nested::Operation> operations;
  std::array<nested::Content, nested::kVectors> expected;
  nested::Tasks tasks{false};
};

NestedChildren::NestedChildren(const NestedProgram& program)
    : content_(std::make_unique<Content>(Content{nested::operations_of(program), {}})) {
  content_->expected = nested::run_in_sequence(content_->operations, 1);
}

NestedChildren::~NestedChildren() = default;

std::size_t NestedChildren::size_of_vector() { return nested::kLeaves * nested::kPerLeaf; }

void NestedChildren::submit(const Handle& first, const Handle& second) {
  Runtime runtime = Runtime::here();
  const std::vector<nested::Tasks::Parts> handles{nested::Tasks::divide(runtime, first),
                                                  nested::Tasks::divide(runtime, second)};
  content_->tasks.submit(runtime, content_->operations, handles);
}

bool NestedChildren::all_valid() const {
  return std::ranges::all_of(content_->expected, [](const nested::Content& vector) {
    return std::ranges::all_of(vector.valid, [](bool valid) { return valid; });
  });
}

std::vector<std::string> NestedChildren::check(const std::array<std::vector<std::uint64_t>, 2>& vectors) const {
  std::vector<std::string> problems;
  for (std::size_t vector = 0; vector < vectors.size(); ++vector) {
    for (std::size_t leaf = 0; leaf < nested::kLeaves; ++leaf) {
      const auto begin = vectors[vector].begin() + static_cast<std::ptrdiff_t>(leaf * nested::kPerLeaf);
      if (std::equal(begin, begin + nested::kPerLeaf, content_->expected[vector].leaves[leaf].begin())) continue;
      problems.push_back("vector " + std::to_string(vector) + ", part " + std::to_string(leaf) + " is wrong");
    }
  }
  return problems;
}

}  // namespace troupe::tests
