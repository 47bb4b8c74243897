#include "tests/support/nested/nested_program_actor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

namespace nested {
namespace {

using Number = std::uint64_t;
constexpr int kLeaves = 8;
constexpr int kPerLeaf = 3;
/// The number of vectors of the program. Temporary vectors have higher numbers.
constexpr int kVectors = 2;

/// Parts of one vector form a binary tree: part 1 is the whole, and parts 2 i and 2 i + 1 are the halves of part i.
/// Parts of temporary vectors have other vectors' numbers.
struct Place {
  int vector = 0;
  int part = 1;
};
struct Leaves {
  int begin = 0;
  int end = 0;
};
Leaves leaves_of(int part) {
  int width = kLeaves;
  int first = part;
  while (first < kLeaves) first *= 2;
  for (int i = part; i > 1; i /= 2) width /= 2;
  return {first - kLeaves, first - kLeaves + width};
}
bool overlap(const Place& a, const Place& b) {
  const Leaves one = leaves_of(a.part);
  const Leaves other = leaves_of(b.part);
  return a.vector == b.vector && one.begin < other.end && other.begin < one.end;
}

/// Returns a part of one leaf and the leaves beside it, as far as they lie in a place.
std::vector<Place> beside(const Place& target, const Place& within) {
  const Leaves leaves = leaves_of(within.part);
  std::vector<Place> places;
  for (int part = target.part - 1; part <= target.part + 1; ++part) {
    const int leaf = part - kLeaves;
    if (leaf >= leaves.begin && leaf < leaves.end) places.push_back({target.vector, part});
  }
  return places;
}

/// One task of a program.
struct Operation {
  enum Kind { alter, overwrite, gather, add, blur, nest };
  Kind kind = alter;
  /// The data that the kernel changes: one place, or none for a nested task with weak data only.
  std::optional<Place> target;
  /// True if a nested task only reads its target.
  bool only_reads = false;
  /// For `gather`: the place that the kernel reads. For `blur`: the place in which the neighbors of the target lie.
  Place source;
  Number number = 0;
  bool throws = false;
  /// True if a child is submitted without saying that it is nested.
  bool unsaid = false;
  /// The wait of the kernel of the task around this one, behind its submission.
  enum Wait { none, for_all, for_this, for_target } wait = none;
  /// True if the kernel of a nested task waits for its children and then changes its target.
  bool ends_with_change = false;
  /// For a nested task: its weak data, whether each is written, its temporary vectors and its children.
  struct Weak {
    Place place;
    bool written = true;
  };
  std::vector<Weak> weak;
  std::vector<int> temporaries;
  std::vector<Operation> children;
};

/// Data that a task may use.
struct Usable {
  Place place;
  bool written = true;
};

class Generator {
 public:
  /// If `parts_of_temporaries` is false, tasks use temporary vectors as a whole.
  Generator(const NestedProgram& program, bool parts_of_temporaries)
      : random_(program.seed),
        faults_(program.faults),
        waits_(program.waits),
        kernels_change_(program.waits && !program.gpus && !program.deterministic),
        parts_of_temporaries_(parts_of_temporaries),
        blurs_(program.halos),
        // In virtual time only tasks that are said to be nested need no times.
        leaves_unsaid_(parts_of_temporaries && !program.simulated) {}

  std::vector<Operation> program() { return operations({{{0, 1}, true}, {{1, 1}, true}}, 0, 14); }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  /// Returns a random part of one of these places.
  Usable pick(const std::vector<Usable>& usable) {
    Usable one = usable[static_cast<std::size_t>(below(static_cast<int>(usable.size())))];
    if (one.place.vector >= 2 && !parts_of_temporaries_) return one;
    while (one.place.part < kLeaves && below(3) > 0) one.place.part = 2 * one.place.part + below(2);
    return one;
  }
  std::vector<Operation> operations(std::vector<Usable> usable, int depth, int most) {
    std::vector<Operation> all;
    const int count = 1 + below(most);
    for (int i = 0; i < count; ++i) {
      if (auto one = operation(usable, depth)) all.push_back(std::move(*one));
      if (waits_ && depth > 0 && !all.empty() && below(3) == 0) {
        all.back().wait = static_cast<Operation::Wait>(below(4));
      }
    }
    return all;
  }
  std::optional<Operation> operation(const std::vector<Usable>& usable, int depth) {
    Operation one;
    one.number = random_() % 1000;
    one.throws = faults_ && below(20) == 0;
    const Usable target = pick(usable);
    const int kind = below(depth < 4 ? 10 : 6);
    if (kind >= 6) return nested(one, usable, target, depth);
    if (!target.written) return std::nullopt;
    one.target = target.place;
    if (kind < 2) one.kind = Operation::alter;
    if (kind == 2) one.kind = Operation::overwrite;
    // The order of tasks that commute is open, and decides which of them find valid content after one has failed.
    if (kind == 3) one.kind = faults_ ? Operation::alter : Operation::add;
    if (kind > 3) {
      one.kind = Operation::gather;
      one.source = pick(usable).place;
      if (overlap(one.source, target.place)) return std::nullopt;
    }
    if (kind == 4 && blurs_) return blurred(one, usable);
    return one;
  }
  /// Returns a task on a part that reads the parts beside it, within a place that may be used.
  std::optional<Operation> blurred(Operation one, const std::vector<Usable>& usable) {
    const Usable within = usable[static_cast<std::size_t>(below(static_cast<int>(usable.size())))];
    if (within.place.vector >= kVectors || within.place.part >= kLeaves || !within.written) return std::nullopt;
    const Leaves leaves = leaves_of(within.place.part);
    one.kind = Operation::blur;
    one.source = within.place;
    one.target = Place{within.place.vector, kLeaves + leaves.begin + below(leaves.end - leaves.begin)};
    return one;
  }
  Operation nested(Operation one, const std::vector<Usable>& usable, const Usable& target, int depth) {
    one.kind = Operation::nest;
    std::vector<Usable> inside;
    if (below(3) > 0) {
      one.target = target.place;
      one.only_reads = !target.written || below(4) == 0;
      inside.push_back({target.place, !one.only_reads});
    }
    for (int tries = below(3); tries > 0; --tries) {
      Usable more = pick(usable);
      more.written = more.written && below(4) > 0;
      bool apart = !one.target || !overlap(*one.target, more.place);
      for (const Operation::Weak& other : one.weak) apart = apart && !overlap(other.place, more.place);
      if (!apart) continue;
      one.weak.push_back({more.place, more.written});
      inside.push_back(more);
    }
    // Beside GPUs, kernels make no parts, and whoever submits says that it is nested.
    one.unsaid = leaves_unsaid_ && depth > 0 && one.target && one.weak.empty() && below(2) == 0;
    for (int count = below(3); count > 0; --count) {
      one.temporaries.push_back(next_vector_++);
      // The parts of temporary data are made by the kernel.
      inside.push_back({{one.temporaries.back(), 1}, true});
    }
    if (!inside.empty()) one.children = operations(inside, depth + 1, 6);
    one.ends_with_change = kernels_change_ && one.target && !one.only_reads && below(2) == 0;
    return one;
  }

  std::mt19937_64 random_;
  const bool faults_;
  const bool waits_;
  const bool kernels_change_;
  const bool parts_of_temporaries_;
  const bool blurs_;
  const bool leaves_unsaid_;
  int next_vector_ = kVectors;
};

struct Content {
  std::array<std::array<Number, kPerLeaf>, kLeaves> leaves{};
  std::array<bool, kLeaves> valid{};
};

/// Runs a program one operation after the other.
class Sequential {
 public:
  Sequential() : vectors_(2) {
    for (Content& vector : vectors_) {
      vector.valid.fill(true);
      for (auto& leaf : vector.leaves) leaf.fill(1);
    }
  }
  void run(const std::vector<Operation>& program) {
    for (const Operation& one : program) run(one);
  }
  [[nodiscard]] const Content& vector(int number) const { return vectors_[static_cast<std::size_t>(number)]; }

 private:
  Content& at(int number) {
    if (vectors_.size() <= static_cast<std::size_t>(number)) vectors_.resize(static_cast<std::size_t>(number) + 1);
    return vectors_[static_cast<std::size_t>(number)];
  }
  template <class Visit>
  void each(const Place& place, const Visit& visit) {
    Content& content = at(place.vector);
    for (int i = leaves_of(place.part).begin; i < leaves_of(place.part).end; ++i) {
      visit(content.leaves[static_cast<std::size_t>(i)], content.valid[static_cast<std::size_t>(i)]);
    }
  }
  bool valid(const Place& place) {
    bool all = true;
    each(place, [&](auto&, bool& valid) { all = all && valid; });
    return all;
  }
  void set_valid(const Place& place, bool value) {
    each(place, [&](auto&, bool& valid) { valid = value; });
  }
  void run(const Operation& one) {
    if (one.kind == Operation::nest) return run_nested(one);
    const Place& target = *one.target;
    bool runs = !one.throws && (one.kind == Operation::overwrite || valid(target));
    std::vector<Place> read;
    if (one.kind == Operation::gather) read = {one.source};
    if (one.kind == Operation::blur) read = beside(target, one.source);
    for (const Place& place : read) runs = runs && valid(place);
    if (!runs) return set_valid(target, false);
    Number sum = one.number;
    for (const Place& place : read) {
      each(place, [&](auto& leaf, bool&) {
        for (const Number value : leaf) sum += value;
      });
    }
    each(target, [&](auto& leaf, bool& valid) {
      valid = true;
      for (Number& value : leaf) {
        if (one.kind == Operation::alter) value = value * 31 + one.number;
        if (one.kind == Operation::overwrite) value = one.number;
        if (one.kind == Operation::gather || one.kind == Operation::blur) value = value * 7 + sum;
        if (one.kind == Operation::add) value += one.number;
      }
    });
  }
  void run_nested(const Operation& one) {
    const bool begins = !one.target || valid(*one.target);
    for (const int vector : one.temporaries) {
      at(vector).valid.fill(true);
      for (auto& leaf : at(vector).leaves) leaf.fill(one.number);
    }
    if (begins && !one.throws) {
      if (one.target && !one.only_reads) {
        each(*one.target, [&](auto& leaf, bool&) {
          for (Number& value : leaf) value ^= one.number;
        });
      }
      run(one.children);
      if (one.ends_with_change) {
        each(*one.target, [&](auto& leaf, bool&) {
          for (Number& value : leaf) value += one.number;
        });
      }
      return;
    }
    if (one.target && !one.only_reads) set_valid(*one.target, false);
    for (const Operation::Weak& weak : one.weak) {
      if (weak.written) set_valid(weak.place, false);
    }
  }

  std::vector<Content> vectors_;
};

int runs_of(const NestedProgram& program) { return program.cutoff ? 4 : program.recorded ? 2 : 1; }

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

/// Runs a program in a runtime.
class Parallel {
 public:
  /// If `typed` is true, most tasks are inline kernels.
  Parallel(const RuntimeOptions& options, bool parts_of_temporaries, bool typed)
      : runtime_(options), parts_of_temporaries_(parts_of_temporaries), typed_(typed) {
    handles_.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      elements_[i].assign(kLeaves * kPerLeaf, 1);
      data_[i] = runtime_.vector(elements_[i], "vector " + std::to_string(i));
      handles_[i] = divide(data_[i]);
      for (int part = 1; part < kLeaves; ++part) {
        const Leaves leaves = leaves_of(part);
        std::vector<Block> blocks;
        for (int leaf = 0; leaf < leaves.end - leaves.begin; ++leaf)
          blocks.push_back({leaf * kPerLeaf, 0, kPerLeaf, 1});
        halos_[i][static_cast<std::size_t>(part)] =
            runtime_.halos(handles_[i][static_cast<std::size_t>(part)], blocks, Rim(kPerLeaf, 0));
      }
    }
  }

  /// Runs the program, and returns how its result differs from that of the other run. A program that is recorded is run
  /// twice.
  std::vector<std::string> run(const std::vector<Operation>& program, const Sequential& expected,
                               const NestedProgram& description) {
    std::vector<std::string> problems;
    std::optional<RecordedGraph> recorded;
    for (int run = 1; run < runs_of(description) && !description.recorded; ++run) submit(program, handles_);
    if (description.recorded) {
      recorded = runtime_.record([&] { submit(program, handles_); });
      recorded->run();
      recorded->run();
    } else {
      submit(program, handles_);
    }
    try {
      runtime_.wait();
    } catch (const Error& error) {
      if (!description.faults) problems.push_back(error.what());
    }
    for (std::size_t vector = 0; vector < 2; ++vector) {
      for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) {
        if (same(handles_[vector][kLeaves + leaf], expected.vector(static_cast<int>(vector)), leaf)) continue;
        problems.push_back("vector " + std::to_string(vector) + ", part " + std::to_string(leaf) + " is wrong");
      }
    }
    return problems;
  }

 private:
  /// The handles of a vector's parts, by their numbers.
  using Parts = std::array<Handle, 2 * kLeaves>;

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

  Parts divide(const Handle& whole) {
    Parts parts;
    parts[1] = whole;
    for (std::size_t part = 1; part < kLeaves; ++part) {
      const Leaves leaves = leaves_of(static_cast<int>(part));
      const std::int64_t half = static_cast<std::int64_t>(leaves.end - leaves.begin) / 2 * kPerLeaf;
      const std::array<Block, 2> blocks{Block{0, 0, half, 1}, Block{half, 0, half, 1}};
      const auto made = runtime_.partition(parts[part], blocks);
      parts[2 * part] = made[0];
      parts[2 * part + 1] = made[1];
    }
    return parts;
  }

  void submit(const std::vector<Operation>& program, const std::vector<Parts>& handles) {
    for (const Operation& one : program) {
      const Future future = submit(one, handles);
      if (one.wait != Operation::none) wait(one, future, handles);
    }
  }
  /// Waits in a kernel. A wait that is refused, or that tells of a failure, changes nothing.
  void wait(const Operation& one, const Future& future, const std::vector<Parts>& handles) {
    try {
      if (one.wait == Operation::for_all) runtime_.wait();
      if (one.wait == Operation::for_this) future.wait();
      if (one.wait == Operation::for_target && one.target) runtime_.wait(handle_of(handles, *one.target));
    } catch (const Error&) {
    }
  }
  static Handle handle_of(const std::vector<Parts>& handles, const Place& place) {
    return handles[static_cast<std::size_t>(place.vector)][static_cast<std::size_t>(place.part)];
  }
  Future submit(const Operation& one, const std::vector<Parts>& handles) {
    if (one.kind == Operation::nest) return submit_nested(one, handles);
    const Handle target = handle_of(handles, *one.target);
    if (one.kind == Operation::blur) {
      const std::vector<Halo>& halos =
          halos_[static_cast<std::size_t>(one.source.vector)][static_cast<std::size_t>(one.source.part)];
      const int leaf = one.target->part - kLeaves - leaves_of(one.source.part).begin;
      return runtime_.submit(codelet_of(one.kind), {target, halos[static_cast<std::size_t>(leaf)]},
                             args(one.number, one.throws));
    }
    if (typed_ && one.kind != Operation::add) return submit_typed(one, target, handles);
    const Arguments arguments = args(one.number, one.throws);
    if (one.kind == Operation::gather) {
      return runtime_.submit(codelet_of(one.kind), {target, handle_of(handles, one.source)}, arguments);
    }
    return runtime_.submit(codelet_of(one.kind), {target}, arguments);
  }
  /// Submits the task as an inline kernel, which a nested task may call.
  Future submit_typed(const Operation& one, const Handle& target, const std::vector<Parts>& handles) {
    const auto change = [](VectorView<Number> x, Number number, bool throws, Operation::Kind kind) {
      if (throws) throw std::runtime_error("wanted");
      for (Number& value : x) value = kind == Operation::alter ? value * 31 + number : number;
    };
    if (one.kind == Operation::alter)
      return runtime_.submit(change, read_write(target), one.number, one.throws, one.kind);
    if (one.kind == Operation::overwrite)
      return runtime_.submit(change, write(target), one.number, one.throws, one.kind);
    return runtime_.submit(
        [](VectorView<Number> x, VectorView<const Number> y, Number number, bool throws) {
          if (throws) throw std::runtime_error("wanted");
          for (const Number value : y) number += value;
          for (Number& value : x) value = value * 7 + number;
        },
        read_write(target), handle_of(handles, one.source), one.number, one.throws);
  }
  Future submit_nested(const Operation& one, const std::vector<Parts>& handles) {
    TaskOptions options;
    options.nested = !one.unsaid;
    for (const Operation::Weak& weak : one.weak) {
      const Handle handle = handle_of(handles, weak.place);
      options.weak.emplace_back(handle, weak.written ? AccessMode::read_write : AccessMode::read);
    }
    if (!one.target) return runtime_.submit(options, [this, &one, handles] { kernel(one, handles); });
    const Handle target = handle_of(handles, *one.target);
    if (one.only_reads) {
      return runtime_.submit(
          options, [this, &one, handles](VectorView<const Number>) { kernel(one, handles); }, target);
    }
    return runtime_.submit(
        options,
        [this, &one, handles](VectorView<Number> x) {
          for (Number& value : x) value ^= one.number;
          kernel(one, handles);
          if (!one.ends_with_change) return;
          Operation all;
          all.wait = Operation::for_all;
          wait(all, {}, handles);
          for (Number& value : x) value += one.number;
        },
        target);
  }
  void kernel(const Operation& one, std::vector<Parts> handles) {
    std::vector<Matrix<Number>> temporaries;
    for (const int vector : one.temporaries) {
      temporaries.push_back(runtime_.allocate_matrix<Number>(kLeaves * kPerLeaf, 1));
      if (handles.size() <= static_cast<std::size_t>(vector)) handles.resize(static_cast<std::size_t>(vector) + 1);
      Parts& parts = handles[static_cast<std::size_t>(vector)];
      if (parts_of_temporaries_) {
        parts = divide(temporaries.back());
      } else {
        parts.fill(temporaries.back());
      }
      Operation fill;
      fill.kind = Operation::overwrite;
      fill.number = one.number;
      if (typed_) {
        submit_typed(fill, temporaries.back(), handles);
      } else {
        runtime_.submit(codelet_of(Operation::overwrite), {Handle(temporaries.back())}, args(one.number, false));
      }
    }
    submit(one.children, handles);
    if (one.throws) throw std::runtime_error("wanted");
  }

  Runtime runtime_;
  const bool parts_of_temporaries_;
  const bool typed_;
  std::array<std::vector<Number>, 2> elements_;
  std::array<Vector<Number>, 2> data_;
  std::vector<Parts> handles_;
  /// The halo parts of the leaves of each part, by vector and part.
  std::array<std::array<std::vector<Halo>, kLeaves>, kVectors> halos_;
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
  if (program.cutoff) options.cutoff = std::chrono::minutes(1);
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
  const std::vector<nested::Operation> operations = nested::Generator(program, !program.gpus).program();
  nested::Sequential expected;
  for (int run = 0; run < nested::runs_of(program); ++run) expected.run(operations);
  return nested::Parallel(nested::options_of(program), !program.gpus, program.cutoff)
      .run(operations, expected, program);
}

}  // namespace troupe::tests
