#include "tests/support/random/random_recording.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "proto/random.hpp"
#include "tests/support/random/random_program.hpp"
#include "tests/support/random/random_program_check.hpp"
#include "tests/support/random/recording_data.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

namespace {

/// The number of sets of data. Each set contains data for every region. The recording uses the first set.
constexpr std::size_t kSets = 2;

/// The data that a run uses in place of the recorded data of a region.
struct Target {
  std::size_t region = 0;
  std::size_t set = 0;
};
using Targets = std::vector<Target>;

/// Consecutive tasks of the program, which are recorded together.
struct Slice {
  std::size_t begin = 0;
  std::size_t end = 0;
  SharedRecording recording;
  /// For each region: `used` if a task of the slice uses the region; `exchangeable` if a run may use other data for it;
  /// `refused` if a run that exchanges only this region must be refused.
  std::vector<bool> used;
  std::vector<bool> exchangeable;
  std::vector<bool> refused;
};

/// The results of all executions of one task. They are sums, so the order of the executions does not matter.
struct Executions {
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> inputs{0};
};

ProgramOptions program_options(const RandomRecordingOptions& options) {
  ProgramOptions program;
  program.seed = options.seed;
  program.operations = options.tasks;
  program.faults = options.faults;
  program.waits = false;
  program.parts = options.parts;
  return program;
}

class RecordingRun {
 public:
  RecordingRun(graph::TaskGraph& graph, const RandomRecordingOptions& options)
      : graph_(graph),
        options_(options),
        random_(options.seed + 17),
        program_(make_program(program_options(options))),
        executions_(program_.tasks.size()),
        expected_count_(program_.tasks.size()),
        expected_inputs_(program_.tasks.size()) {
    for (std::size_t set = 0; set < kSets; ++set) {
      memory_[set] = make_memory(program_, options.seed + set);
      handles_[set].resize(program_.regions.size());
    }
    reference_ = memory_;
  }

  std::vector<std::string> execute() {
    for (std::size_t set = 0; set < kSets; ++set) {
      for (const Operation& operation : program_.prologue) prepare(operation, set);
    }
    record_slices();
    for (int round = 0; round < options_.rounds; ++round) perform_round();
    wait_for_all();
    check();
    for (std::size_t set = 0; set < kSets; ++set) {
      for (int root = 0; root < program_.roots; ++root) expect(graph_.release(handle({index(root), set})), "release");
    }
    return std::move(problems_);
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void problem(std::string what) { problems_.push_back(std::move(what)); }
  void expect(const Result<void>& outcome, const char* what) {
    if (!outcome) problem(std::string(what) + ": " + outcome.failure().message);
  }
  [[nodiscard]] bool chance(std::uint32_t percent) { return random_.below(100) < percent; }
  [[nodiscard]] Handle& handle(const Target& target) { return handles_[target.set][target.region]; }

  void set_reduction(const Target& target) {
    if (!program_.reducible[target.region]) return;
    expect(graph_.set_reduction(handle(target), sum_reduction<std::uint64_t>()), "set_reduction");
  }

  void prepare(const Operation& operation, std::size_t set) {
    const Target whole{index(operation.index), set};
    const Region& region = program_.regions[whole.region];
    if (operation.kind == Operation::Kind::register_root) {
      const DataView view = view_of(region, program_, memory_[set]);
      handle(whole) = graph_.register_data({view.layout, view.data, nullptr, "r" + std::to_string(operation.index)});
      return set_reduction(whole);
    }
    const std::vector<Block> blocks = blocks_of(program_, operation);
    const bool halos = operation.kind == Operation::Kind::halos;
    const auto parts = halos ? graph_.halos(handle(whole), blocks, 0) : graph_.partition(handle(whole), blocks);
    if (!parts) return problem("blocks: " + parts.failure().message);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Target part{index(operation.parts[i]), set};
      handle(part) = parts.value()[i];
      set_reduction(part);
    }
  }

  void record_slices() {
    const std::size_t tasks = program_.tasks.size();
    const std::size_t count = 1 + random_.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      Slice slice;
      slice.begin = i == 0 ? 0 : random_.below(static_cast<std::uint32_t>(tasks));
      slice.end = i == 0 ? tasks : slice.begin + random_.below(static_cast<std::uint32_t>(tasks - slice.begin + 1));
      find_exchangeable(slice);
      slice.recording = record(
          graph_, [&] { submit_slice(slice, own_data()); }, "slice " + std::to_string(i));
      slices_.push_back(std::move(slice));
    }
  }

  /// Returns true if the region has parts or is a part. Then the runtime executes reducing tasks as commuting tasks.
  [[nodiscard]] bool divided(std::size_t region) const {
    const int root = program_.regions[region].root;
    return std::count_if(program_.regions.begin(), program_.regions.end(),
                         [root](const Region& other) { return other.root == root && !other.halo; }) > 1;
  }

  /// Returns true if the slice uses a halo part of the region's root.
  [[nodiscard]] bool beside_halo(const Slice& slice, const Region& region) const {
    for (std::size_t other = 0; other < program_.regions.size(); ++other) {
      const Region& used = program_.regions[other];
      if (slice.used[other] && used.halo && used.root == region.root) return true;
    }
    return false;
  }

  void find_exchangeable(Slice& slice) {
    std::vector<bool> reduces(program_.regions.size());
    slice.used.assign(program_.regions.size(), false);
    for (std::size_t task = slice.begin; task < slice.end; ++task) {
      for (const PlannedAccess& access : program_.tasks[task].accesses) {
        slice.used[index(access.region)] = true;
        if (access.mode == AccessMode::reduce) reduces[index(access.region)] = true;
      }
    }
    slice.exchangeable.assign(program_.regions.size(), false);
    slice.refused.assign(program_.regions.size(), true);
    for (std::size_t region = 0; region < program_.regions.size(); ++region) {
      if (!slice.used[region]) continue;
      bool alone = true;
      for (std::size_t other = 0; other < program_.regions.size(); ++other) {
        if (other == region || !slice.used[other]) continue;
        alone = alone && !overlap(program_.regions[region], program_.regions[other]);
      }
      alone = alone && !beside_halo(slice, program_.regions[region]);
      // Regions into which tasks reduce keep their data, because other data may have no reduction methods.
      slice.exchangeable[region] = alone && !reduces[region];
      slice.refused[region] = !alone || (reduces[region] && !divided(region));
    }
  }

  [[nodiscard]] Targets own_data() const {
    Targets targets(program_.regions.size());
    for (std::size_t region = 0; region < targets.size(); ++region) targets[region] = {region, 0};
    return targets;
  }

  /// Returns the data for a run of the slice: some regions use their data of the second set, and some pairs of regions
  /// exchange their data.
  Targets random_targets(const Slice& slice) {
    Targets targets = own_data();
    for (std::size_t region = 0; region < targets.size(); ++region) {
      if (slice.exchangeable[region] && chance(50)) targets[region].set = 1;
    }
    for (std::size_t region = 1; region < targets.size(); ++region) {
      const std::size_t other = random_.below(static_cast<std::uint32_t>(region));
      if (!slice.exchangeable[region] || !slice.exchangeable[other]) continue;
      const Layout one = graph::TaskGraph::view_of(handle({region, 0})).layout;
      const Layout two = graph::TaskGraph::view_of(handle({other, 0})).layout;
      if (one.rows != two.rows || one.cols != two.cols || one.contiguous() != two.contiguous()) continue;
      if (targets[region].region == region && targets[other].region == other) {
        std::swap(targets[region], targets[other]);
      }
    }
    return targets;
  }

  static RecordingRun& of(const KernelContext& context) {
    return *reinterpret_cast<RecordingRun*>(context.argument<std::uint64_t>(0));
  }
  static Codelet make_codelet(const PlannedKernel& planned, const Devices& devices) {
    const Kernel kernel = [](const KernelContext& context) { of(context).kernel(context.argument<int>(1), context); };
    Codelet codelet = Codelet::variadic("recorded");
    if (planned.grain == 0) {
      codelet.implement(DeviceKind::cpu_core, kernel);
    } else {
      codelet.pieces(
          [](const KernelContext& context) { return of(context).begin_pieces(context.argument<int>(1), context); },
          [](std::size_t piece, const KernelContext& context) {
            of(context).piece(context.argument<int>(1), piece, context);
          },
          planned.grain);
    }
    if (planned.on_gpus) codelet.implement(devices.gpu, devices.kernel_for_gpu(kernel));
    if (devices.mixed) codelet.timed_as("test/" + timed_kernel_name(planned.timed_as) + "/long");
    return codelet;
  }
  /// Returns the codelet of a task, which is made when it is needed for the first time.
  const Codelet& codelet_of(const PlannedTask& task) {
    PlannedKernel planned = planned_kernel(program_, task, options_.devices);
    // Several executions may run at once, so every piece must read the task's input itself. A piece cannot do so if
    // other pieces change the input.
    const auto rereads = [this](const PlannedAccess& access) {
      return access.mode == AccessMode::read_write || program_.regions[index(access.region)].halo;
    };
    if (std::ranges::any_of(task.accesses, rereads)) planned.grain = 0;
    const auto key = std::tuple(planned.on_gpus, planned.timed_as, planned.grain);
    const auto found = codelets_.find(key);
    if (found != codelets_.end()) return found->second;
    return codelets_.emplace(key, make_codelet(planned, options_.devices)).first->second;
  }

  static std::vector<DataView> views_of(const KernelContext& context) {
    std::vector<DataView> views;
    for (std::size_t i = 0; i < context.size(); ++i) views.push_back(context.data(i));
    return views;
  }
  void kernel(int number, const KernelContext& context) {
    const PlannedTask& task = program_.tasks[index(number)];
    volatile std::uint32_t spin = 0;
    while (spin < task.duration) spin = spin + 1;
    ran(number, task, compute(task, views_of(context)));
  }
  std::int64_t begin_pieces(int number, const KernelContext& context) {
    const PlannedTask& task = program_.tasks[index(number)];
    ran(number, task, read_all(task, views_of(context)));
    return planned_pieces(task);
  }
  void piece(int number, std::size_t piece, const KernelContext& context) {
    const PlannedTask& task = program_.tasks[index(number)];
    const std::vector<DataView> views = views_of(context);
    change_some(task, views, read_all(task, views), piece, planned_pieces(task));
  }
  void ran(int number, const PlannedTask& task, std::uint64_t input) {
    if (broken_.load()) {
      if (task.faulty) throw std::runtime_error("planned fault");
      return;
    }
    executions_[index(number)].count.fetch_add(1);
    executions_[index(number)].inputs.fetch_add(input);
  }

  /// Submits the tasks of a slice, either to record them or to run them.
  void submit_slice(const Slice& slice, const Targets& targets) {
    std::vector<Future> futures(program_.tasks.size());
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
      const PlannedTask& task = program_.tasks[i];
      std::vector<Access> accesses;
      for (const PlannedAccess& access : task.accesses) {
        accesses.emplace_back(handle(targets[index(access.region)]), access.mode);
      }
      TaskOptions options;
      options.priority = task.priority;
      options.name = "t" + std::to_string(i);
      if (task.has_callback) options.callback = [this](const TaskOutcome&) { callbacks_.fetch_add(1); };
      for (const int before : task.after) {
        if (index(before) >= slice.begin && index(before) < i) options.after.push_back(futures[index(before)]);
      }
      const auto future = graph_.submit(
          {codelet_of(task), accesses, args(reinterpret_cast<std::uint64_t>(this), static_cast<int>(i)), options});
      if (!future) return problem("task " + std::to_string(i) + " was refused: " + future.failure().message);
      futures[i] = future.value();
    }
  }

  Result<Future> run_slice(const Slice& slice, const Targets& targets) {
    std::vector<Rebinding> rebindings;
    for (std::size_t region = 0; region < targets.size(); ++region) {
      const bool same = targets[region].region == region && targets[region].set == 0;
      if (!same || (slice.used[region] && chance(10))) {
        rebindings.push_back({handle({region, 0}), handle(targets[region])});
      }
    }
    // The order of rebindings must not matter, so the code reverses the order. Data that cannot be exchanged must not
    // be rebound, not even to themselves.
    std::erase_if(rebindings, [&](const Rebinding& one) {
      const auto region = std::find(handles_[0].begin(), handles_[0].end(), one.recorded) - handles_[0].begin();
      return !slice.exchangeable[static_cast<std::size_t>(region)];
    });
    std::reverse(rebindings.begin(), rebindings.end());
    return graph_.replay(slice.recording, rebindings);
  }

  /// Runs the tasks of the slice one after the other on the reference.
  void run_in_order(const Slice& slice, const Targets& targets) {
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
      const PlannedTask& task = program_.tasks[i];
      std::vector<DataView> views;
      for (const PlannedAccess& access : task.accesses) {
        const Target& target = targets[index(access.region)];
        views.push_back(view_of(program_.regions[target.region], program_, reference_[target.set]));
      }
      expected_inputs_[i] += compute(task, views);
      ++expected_count_[i];
      callbacks_expected_ += task.has_callback ? 1 : 0;
    }
  }

  void perform_round() {
    const Slice& slice = slices_[random_.below(static_cast<std::uint32_t>(slices_.size()))];
    const auto draw = random_.below(100);
    if (draw < 20) {
      const Targets targets = chance(50) ? random_targets(slice) : own_data();
      submit_slice(slice, targets);
      run_in_order(slice, targets);
    } else if (draw < 75) {
      const Targets targets = draw < 45 ? random_targets(slice) : own_data();
      const auto future = run_slice(slice, targets);
      if (!future) return problem("a run was refused: " + future.failure().message);
      runs_.push_back(future.value());
      run_in_order(slice, targets);
    } else if (draw < 85) {
      check_root({random_.below(static_cast<std::uint32_t>(program_.roots)), random_.below(kSets)});
    } else if (draw < 90) {
      expect_refusal(slice);
    } else if (options_.faults) {
      chance(60) ? break_run(slice) : cancel_run(slice);
    }
  }

  /// Checks that the host reads the content of the sequential reference.
  void check_root(const Target& root) {
    const auto hold = graph_.acquire(handle(root), AccessMode::read);
    if (!hold) return problem("root " + std::to_string(root.region) + ": " + hold.failure().message);
    compare(root);
    graph_.give_back(hold.value());
  }

  void compare(const Target& root) {
    if (memory_[root.set][root.region] == reference_[root.set][root.region]) return;
    problem("root " + std::to_string(root.region) + " of set " + std::to_string(root.set) +
            " differs from sequential execution");
  }

  void expect_refusal(const Slice& slice) {
    const auto regions = static_cast<std::uint32_t>(slice.refused.size());
    const std::uint32_t first = random_.below(regions);
    for (std::uint32_t i = 0; i < regions; ++i) {
      const std::size_t region = (first + i) % regions;
      if (!slice.refused[region]) continue;
      const std::array<Rebinding, 1> rebinding{{{handle({region, 0}), handle({region, 1})}}};
      const auto refused = graph_.replay(slice.recording, rebinding);
      if (refused) {
        problem("region " + std::to_string(region) + " was exchanged");
      } else if (refused.failure().code != ErrorCode::invalid_argument) {
        problem("region " + std::to_string(region) + ": " + refused.failure().message);
      }
      return;
    }
  }

  /// Runs a slice that fails or is cancelled. After that the program overwrites all data. The failed run must have no
  /// effect on later runs.
  void break_run(const Slice& slice) {
    wait_for_all();
    check();
    broken_ = true;
    const auto future = run_slice(slice, random_targets(slice));
    if (!future) return problem("a run was refused: " + future.failure().message);
    if (chance(30)) graph_.cancel(future.value());
    if (options_.alone && chance(30)) graph_.cancel_all();
    const Result<void> outcome = graph_.wait(future.value());
    if (outcome.ok() != (future.value().status() == TaskStatus::succeeded)) problem("a wait hides how a run ended");
    const bool faulty = std::any_of(program_.tasks.begin() + static_cast<std::ptrdiff_t>(slice.begin),
                                    program_.tasks.begin() + static_cast<std::ptrdiff_t>(slice.end),
                                    [](const PlannedTask& task) { return task.faulty; });
    if (faulty && outcome.ok()) problem("a run with a fault succeeded");
    wait_for_all();
    broken_ = false;
    callbacks_ = callbacks_expected_;
    for (std::size_t set = 0; set < kSets; ++set) {
      for (std::size_t root = 0; root < index(program_.roots); ++root) write_anew({root, set});
    }
  }

  /// Cancels a run before it can start. Then all data must be valid except those that its tasks would have written.
  void cancel_run(const Slice& slice) {
    wait_for_all();
    check();
    const Targets targets = random_targets(slice);
    std::size_t first_used = 0;
    const auto is_free = [&](std::size_t region) { return !slice.used[region] || program_.regions[region].halo; };
    while (first_used < slice.used.size() && is_free(first_used)) ++first_used;
    if (first_used == slice.used.size()) return;
    const Target held = targets[first_used];
    const auto hold = graph_.acquire(handle(held), AccessMode::read_write);
    if (!hold) return problem("a region cannot be held: " + hold.failure().message);
    const auto future = run_slice(slice, targets);
    if (future) graph_.cancel(future.value());
    graph_.give_back(hold.value());
    if (!future) return problem("a run was refused: " + future.failure().message);
    (void)graph_.wait(future.value());
    if (future.value().status() != TaskStatus::cancelled) problem("a run was cancelled in vain");
    wait_for_all();
    check_validity(slice, targets);
    for (std::size_t set = 0; set < kSets; ++set) {
      for (std::size_t root = 0; root < index(program_.roots); ++root) write_anew({root, set});
    }
    check();
  }

  void check_validity(const Slice& slice, const Targets& targets) {
    const auto is_written = [&](const Target& looked_at) {
      for (std::size_t task = slice.begin; task < slice.end; ++task) {
        for (const PlannedAccess& access : program_.tasks[task].accesses) {
          const Target& target = targets[index(access.region)];
          if (!writes(access.mode) || target.set != looked_at.set) continue;
          if (overlap(program_.regions[target.region], program_.regions[looked_at.region])) return true;
        }
      }
      return false;
    };
    for (std::size_t set = 0; set < kSets; ++set) {
      for (std::size_t region = 0; region < program_.regions.size(); ++region) {
        const auto hold = graph_.acquire(handle({region, set}), AccessMode::read);
        if (hold) graph_.give_back(hold.value());
        if (hold.ok() != is_written({region, set})) continue;
        problem("region " + std::to_string(region) + " of set " + std::to_string(set) + " is " +
                (hold ? "valid" : "not valid") + " after a cancelled run");
      }
    }
  }

  void write_anew(const Target& root) {
    const auto hold = graph_.acquire(handle(root), AccessMode::write);
    if (!hold) return problem("root " + std::to_string(root.region) + ": " + hold.failure().message);
    std::copy(reference_[root.set][root.region].begin(), reference_[root.set][root.region].end(),
              memory_[root.set][root.region].begin());
    graph_.give_back(hold.value());
  }

  void wait_for_all() {
    // The wait also fails because of a failed run, which may be a run of another thread.
    const Result<void> outcome = graph_.wait_all();
    if (!outcome && !options_.faults && options_.alone) problem("wait: " + outcome.failure().message);
    for (const Future& future : std::exchange(runs_, {})) {
      if (future.status() != TaskStatus::succeeded) problem("a run did not succeed");
    }
  }

  /// Must be called when no task is in flight.
  void check() {
    for (std::size_t set = 0; set < kSets; ++set) {
      for (std::size_t root = 0; root < index(program_.roots); ++root) {
        // `check_root` brings the data from other memories to the host.
        options_.devices.mixed ? check_root({root, set}) : compare({root, set});
      }
    }
    for (std::size_t i = 0; i < executions_.size(); ++i) {
      const std::string task = "task " + std::to_string(i);
      if (executions_[i].count != expected_count_[i]) {
        problem(task + " ran " + std::to_string(executions_[i].count) + " times instead of " +
                std::to_string(expected_count_[i]));
      }
      if (executions_[i].inputs != expected_inputs_[i]) problem(task + " read other data than in sequential execution");
    }
    if (callbacks_ != callbacks_expected_) problem("callbacks were lost or repeated");
  }

  graph::TaskGraph& graph_;
  const RandomRecordingOptions options_;
  Random random_;
  const RandomProgram program_;
  std::map<std::tuple<bool, int, std::uint32_t>, Codelet> codelets_;
  std::array<Memory, kSets> memory_;
  std::array<Memory, kSets> reference_;
  std::array<std::vector<Handle>, kSets> handles_;
  std::vector<Slice> slices_;
  std::vector<Executions> executions_;
  std::vector<std::uint64_t> expected_count_;
  std::vector<std::uint64_t> expected_inputs_;
  std::atomic<std::uint64_t> callbacks_{0};
  std::uint64_t callbacks_expected_ = 0;
  /// The runs since the last wait for all tasks.
  std::vector<Future> runs_;
  std::atomic<bool> broken_{false};
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> run_random_recording(graph::TaskGraph& graph, const RandomRecordingOptions& options) {
  return RecordingRun(graph, options).execute();
}

std::vector<std::string> run_random_recordings(graph::TaskGraph& graph, const RandomRecordingOptions& options,
                                               std::size_t submitters) {
  std::vector<std::vector<std::string>> problems(submitters);
  const auto submitter = [&](std::size_t i) {
    RandomRecordingOptions own = options;
    own.seed += i * 1'000'003;
    own.alone = submitters == 1;
    problems[i] = run_random_recording(graph, own);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < submitters; ++i) threads.emplace_back(submitter, i);
  submitter(0);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 1; i < submitters; ++i) {
    problems[0].insert(problems[0].end(), problems[i].begin(), problems[i].end());
  }
  return problems[0];
}

}  // namespace troupe::tests
