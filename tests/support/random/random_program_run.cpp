#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "proto/random.hpp"
#include "tests/support/random/planned_run.hpp"
#include "tests/support/random/random_program_check.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

namespace {

constexpr const char* kServiceNames[] = {"random program/cores", "random program/gpus", "random program/any"};

/// One run of one program.
class Run {
 public:
  Run(ProgramPlace& place, const ProgramOptions& options)
      : place_(place),
        options_(options),
        program_(make_program(options)),
        logs_(program_.tasks.size()),
        before_(make_memory(program_, options.seed)),
        after_(before_),
        hidden_(program_.regions.size()),
        handles_(program_.regions.size()),
        outcome_(program_.tasks.size()) {
    for (const PlannedTask& task : program_.tasks) {
      const CodeletKey key = key_of(task);
      if (codelets_.contains(key)) continue;
      codelets_.emplace(key, options_.on_service ? of_service(key) : with_kernel(key));
    }
  }

  std::vector<std::string> execute(RanProgram* ran) {
    for (const Operation& operation : program_.prologue) perform(operation);
    std::thread canceller;
    if (options_.canceller) canceller = std::thread([this] { cancel_some(); });
    if (options_.submitters == 1) {
      submit_all(0);
    } else {
      std::vector<std::thread> threads;
      for (int i = 0; i < options_.submitters; ++i) threads.emplace_back([i, this] { submit_all(i); });
      for (std::thread& thread : threads) thread.join();
    }
    const Result<void> outcome = wait_all();
    ended_ = true;
    if (canceller.joinable()) canceller.join();
    for (int root = 0; root < program_.roots; ++root) look_after_wait(root, newest(), outcome);
    const std::vector<Result<void>> home = bring_home();
    release_all();
    check_all(outcome, home);
    if (ran != nullptr) note(*ran);
    return std::move(problems_);
  }

  static void kernel_of_run(const KernelContext& context) { begin(context).run_whole(); }
  static std::int64_t count_of_run(const KernelContext& context) { return begin(context).begin_pieces(); }
  static void piece_of_run(std::size_t piece, const KernelContext& context) {
    of(context).planned(context.argument<int>(1), context).run_piece(piece);
  }

 private:
  static Run& of(const KernelContext& context) { return *reinterpret_cast<Run*>(context.argument<std::uint64_t>(0)); }
  static PlannedRun begin(const KernelContext& context) {
    const PlannedRun run = of(context).planned(context.argument<int>(1), context);
    run.begin();
    for (const int child : run.task.children) of(context).submit(child);
    return run;
  }
  void problem(std::string what) {
    const std::lock_guard lock(mutex_);
    problems_.push_back(std::move(what));
  }
  void expect(const Result<void>& outcome, const char* what) {
    if (!outcome) problem(std::string(what) + ": " + outcome.failure().message);
  }
  [[nodiscard]] const PlannedTask& plan(int task) const { return program_.tasks[static_cast<std::size_t>(task)]; }
  [[nodiscard]] TaskLog& log(int task) { return logs_[static_cast<std::size_t>(task)]; }
  [[nodiscard]] Handle& handle(int region) { return handles_[static_cast<std::size_t>(region)]; }

  /// Tasks with equal keys have the same codelet.
  struct CodeletKey {
    std::vector<AccessMode> modes;
    bool on_cores = true;
    bool on_gpus = false;
    int timed_as = 0;
    bool variadic = false;
    std::uint32_t grain = 0;
    friend auto operator<=>(const CodeletKey&, const CodeletKey&) = default;
  };
  [[nodiscard]] bool is_variadic(const PlannedTask& task) const { return task.variadic || options_.on_service; }
  [[nodiscard]] CodeletKey key_of(const PlannedTask& task) const {
    const PlannedKernel kernel = planned_kernel(program_, task, options_.devices);
    CodeletKey key{{}, kernel.on_cores, kernel.on_gpus, kernel.timed_as, is_variadic(task), kernel.grain};
    if (!key.variadic) {
      for (const PlannedAccess& access : task.accesses) key.modes.push_back(access.mode);
    }
    return key;
  }
  /// Returns the number of operations of a task, which grows with the size of the task's data. Some codelets do not use
  /// this function.
  static double count_flops(const KernelContext& context) {
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < context.size(); ++i) elements += context.data(i).layout.elements();
    return static_cast<double>(elements) * 1000;
  }
  [[nodiscard]] static Codelet of_service(const CodeletKey& key) {
    Codelet codelet = Codelet::variadic("any");
    codelet.takes({ArgumentType::of<std::uint64_t>(), ArgumentType::of<int>()});
    codelet.known_as(kServiceNames[key.on_cores && key.on_gpus ? 2 : key.on_gpus ? 1 : 0]);
    return codelet;
  }
  [[nodiscard]] Codelet with_kernel(const CodeletKey& key) const {
    Codelet codelet = key.variadic ? Codelet::variadic("any") : Codelet("fixed", key.modes);
    const Kernel kernel = kernel_of_run;
    if (key.on_cores && key.grain > 0) codelet.pieces(count_of_run, piece_of_run, key.grain);
    if (key.on_cores && key.grain == 0) codelet.implement(DeviceKind::cpu_core, kernel);
    if (key.on_gpus) codelet.implement(options_.devices.gpu, options_.devices.kernel_for_gpu(kernel));
    if (options_.devices.mixed) {
      codelet.timed_as("test/" + timed_kernel_name(key.timed_as) + "/long");
      if (counts_flops(key.timed_as)) codelet.flops(count_flops);
    }
    return codelet;
  }
  static bool counts_flops(int timed_kernel) { return timed_kernel % 2 == 0; }

  PlannedRun planned(int index, const KernelContext& context) {
    return {index, plan(index), log(index), clock_, context};
  }

  void submit(int index) {
    const PlannedTask& task = plan(index);
    if (options_.device_faults && !has_its_data(task)) {
      log(index).skipped = true;
      return;
    }
    std::vector<Access> accesses;
    for (const PlannedAccess& access : task.accesses) {
      accesses.push_back(is_variadic(task) ? Access(handle(access.region), access.mode)
                                           : Access(handle(access.region)));
    }
    // The service then knows how the predecessors ended, and not their futures any more.
    if (options_.on_service && (task.salt >> 51U) % 2 == 0) {
      for (const int predecessor : task.after) wait_task(predecessor);
    }
    TaskOptions options;
    options.priority = task.priority;
    options.name = "t" + std::to_string(index);
    for (const int predecessor : task.after) {
      if (!log(predecessor).skipped) options.after.push_back(log(predecessor).future);
    }
    if (task.has_callback) {
      options.callback = [this, index](const TaskOutcome&) { log(index).callbacks.fetch_add(1); };
    }
    const Codelet& codelet = codelets_.at(key_of(task));
    const auto future = place_.submit({codelet, accesses, args(reinterpret_cast<std::uint64_t>(this), index), options});
    if (future) {
      log(index).future = future.value();
      if (options_.canceller) let_be_cancelled(index);
    } else {
      problem("task " + std::to_string(index) + " was refused: " + future.failure().message);
    }
  }

  void let_be_cancelled(int index) {
    const std::lock_guard lock(mutex_);
    cancellable_.push_back(index);
  }

  /// Cancels some of the program's tasks, the newest one or a random one each time, until all tasks have ended.
  void cancel_some() {
    Random random(options_.seed + 29);
    for (auto left = program_.tasks.size() / 8; left > 0 && !ended_.load(); --left) {
      {
        const std::lock_guard lock(mutex_);
        const auto count = static_cast<std::uint32_t>(cancellable_.size());
        const int index = count == 0             ? -1
                          : random.below(2) == 0 ? cancellable_.back()
                                                 : cancellable_[random.below(count)];
        if (index >= 0) {
          log(index).cancel_requested = true;
          log(index).future.owner()->cancel(log(index).future);
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(200)));
    }
  }

  /// Returns false if a region of the task has no handle, because its root could not be divided after its content was
  /// lost.
  [[nodiscard]] bool has_its_data(const PlannedTask& task) {
    return std::ranges::all_of(
        task.accesses, [this](const PlannedAccess& access) { return handle(access.region).record() != nullptr; });
  }

  void submit_all(int submitter) {
    std::uint64_t last = 0;
    std::vector<int> own;
    for (const Operation& operation : program_.operations[static_cast<std::size_t>(submitter)]) {
      if (options_.between) options_.between();
      if (operation.kind == Operation::Kind::modify_host) {
        log(operation.index).by_host = true;
        log(operation.index).host_after = last;
      }
      if (operation.kind == Operation::Kind::register_root) own.assign(1, operation.index);
      perform(operation, last, own);
      if (operation.kind == Operation::Kind::submit && log(operation.index).future.valid()) {
        last = log(operation.index).future.id().value();
      }
    }
  }

  /// Performs an operation. `last` is the submitter's newest task. `own` are the matrices that only this submitter
  /// uses.
  void perform(const Operation& operation, std::uint64_t last = 0, std::span<const int> own = {}) {
    const int index = operation.index;
    switch (operation.kind) {
      case Operation::Kind::submit: submit(index); break;
      case Operation::Kind::partition:
      case Operation::Kind::halos:
      case Operation::Kind::repartition: add_blocks(operation, last); break;
      case Operation::Kind::wait_task: wait_task(index); break;
      case Operation::Kind::wait_all: wait_and_look(last, own); break;
      case Operation::Kind::wait_handle:
      case Operation::Kind::read_host: read_host(operation, last, own); break;
      case Operation::Kind::modify_host: modify_host(index); break;
      case Operation::Kind::cancel_task:
        log(index).cancel_requested = true;
        if (!log(index).skipped) log(index).future.owner()->cancel(log(index).future);
        break;
      case Operation::Kind::discard: expect(place_.discard(handle(index)), "discard"); break;
      case Operation::Kind::register_root: register_root(index); break;
      case Operation::Kind::release_root:
        expect(place_.release(handle(index)), "release");
        // If devices fail, the content may be lost. Only the next wait reports that, so the content is not checked
        // here.
        if (is_hidden(index)) copy_out(hidden_view(index), program_view(index));
        if (!options_.device_faults) look(index, last, program_view(index), "after its release");
        break;
    }
  }

  /// Returns a view of the region in the memory that the program can always access.
  [[nodiscard]] DataView program_view(int region) {
    return view_of(program_.regions[static_cast<std::size_t>(region)], program_, after_);
  }
  [[nodiscard]] DataView hidden_view(int root) {
    return {hidden_[static_cast<std::size_t>(root)].get(), program_view(root).layout};
  }
  [[nodiscard]] bool is_visible(int region) const {
    return !is_hidden(program_.regions[static_cast<std::size_t>(region)].root);
  }

  void look(int region, std::uint64_t after, const DataView& view, const char* when) {
    HostLook look{region, after, clock_.fetch_add(1), content_of(view), when};
    const std::lock_guard lock(mutex_);
    looks_.push_back(look);
  }

  [[nodiscard]] std::uint64_t newest() const {
    std::uint64_t newest = 0;
    for (const TaskLog& log : logs_) {
      if (log.future.valid()) newest = std::max(newest, log.future.id().value());
    }
    return newest;
  }

  Result<void> wait_all() {
    Result<void> outcome = place_.wait_all();
    if (!outcome) failed_wait_.store(true);
    return outcome;
  }

  /// Records the content of a region after a wait. If devices fail, the content may be lost, and only one wait reports
  /// the loss. So if a wait has failed, or another thread may wait, the content is recorded only if the region can
  /// still be read.
  void look_after_wait(int region, std::uint64_t after, const Result<void>& waited) {
    if (!is_visible(region) || handle(region).record() == nullptr) return;
    if (options_.device_faults && (options_.submitters > 1 || !waited || failed_wait_.load())) {
      const auto held = place_.acquire(handle(region), AccessMode::read);
      if (!held) return;
      place_.give_back(held.value());
    }
    look(region, after, program_view(region), "after a wait for everything");
  }

  void wait_and_look(std::uint64_t last, std::span<const int> own) {
    const Result<void> waited = wait_all();
    for (const int root : own) look_after_wait(root, last, waited);
    for (int root = 0; root < program_.roots && options_.submitters == 1; ++root) {
      look_after_wait(root, newest(), waited);
    }
  }

  void read_host(const Operation& operation, std::uint64_t last, std::span<const int> own) {
    const int region = operation.index;
    const auto held = place_.acquire(handle(region), AccessMode::read);
    if (!held) return;
    const bool alone = options_.submitters == 1 && !options_.nested;
    const bool quiet = alone || std::ranges::find(own, region) != own.end();
    if (quiet && operation.kind == Operation::Kind::read_host)
      look(region, last, held.value().view, "while it holds it");
    place_.give_back(held.value());
    if (quiet && is_visible(region) && operation.kind == Operation::Kind::wait_handle) {
      look(region, last, program_view(region), "after a wait for it");
    }
  }

  void set_reduction(int region) {
    if (!program_.reducible[static_cast<std::size_t>(region)]) return;
    expect(place_.set_reduction(handle(region), sum_reduction<std::uint64_t>()), "set_reduction");
  }

  void register_root(int index) {
    const DataView view = program_view(index);
    graph::DataDescription description{view.layout, view.data, nullptr, "r" + std::to_string(index)};
    if (is_hidden(index)) {
      const auto bytes = after_[static_cast<std::size_t>(index)].size() * sizeof(std::uint64_t);
      auto& memory = hidden_[static_cast<std::size_t>(index)] = place_.allocate({bytes});
      std::memcpy(memory.get(), view.data, bytes);
      description.host = memory.get();
      description.owned = memory;
      description.hidden = true;
    }
    handle(index) = place_.register_data(std::move(description)).value_or_throw();
    set_reduction(index);
  }

  static bool is_device_fault(ErrorCode code) {
    return code == ErrorCode::device_lost || code == ErrorCode::transfer_failed;
  }
  /// Returns true if a task of this program may fail with this code.
  [[nodiscard]] bool is_allowed(ErrorCode code) const {
    if (code == ErrorCode::kernel_failed) return true;
    return options_.device_faults && (is_device_fault(code) || code == ErrorCode::out_of_memory);
  }

  /// Makes parts or halo parts of a region, or replaces its parts.
  void add_blocks(const Operation& operation, std::uint64_t last) {
    const Handle& whole = handle(operation.index);
    if (whole.record() == nullptr) return;
    const std::vector<Block> blocks = blocks_of(program_, operation);
    const auto handles = operation.kind == Operation::Kind::halos       ? place_.halos(whole, blocks, 0)
                         : operation.kind == Operation::Kind::partition ? place_.partition(whole, blocks)
                                                                        : place_.repartition(whole, blocks);
    if (!handles) {
      if (!options_.device_faults || !is_device_fault(handles.failure().code)) {
        problem("blocks: " + handles.failure().message);
      }
      return;
    }
    for (std::size_t i = 0; i < operation.parts.size(); ++i) {
      const int part = operation.parts[i];
      handle(part) = handles.value()[i];
      set_reduction(part);
      if (operation.kind != Operation::Kind::repartition) continue;
      HostLook division{part, last, clock_.fetch_add(1)};
      division.division = true;
      looks_.push_back(division);
    }
  }

  void wait_task(int index) {
    if (log(index).skipped) return;
    const Result<void> outcome = log(index).future.owner()->wait(log(index).future);
    const TaskStatus status = log(index).future.status();
    if (outcome.ok() != (status == TaskStatus::succeeded)) {
      problem("task " + std::to_string(index) + " is " + to_string(status) + " but a wait for it says otherwise");
    }
    if (outcome) return;
    const ErrorCode code = outcome.failure().code;
    if (status == TaskStatus::failed ? !is_allowed(code) : code != ErrorCode::cancelled) {
      problem("task " + std::to_string(index) + " reports " + to_string(code));
    }
    if (outcome.failure().message.find("'t" + std::to_string(index) + "'") == std::string::npos) {
      problem("task " + std::to_string(index) + " is not named in: " + outcome.failure().message);
    }
  }

  void modify_host(int index) {
    const PlannedAccess access = plan(index).accesses[0];
    const auto hold = place_.acquire(handle(access.region), access.mode);
    if (!hold) return;
    TaskLog& log = this->log(index);
    log.start = clock_.fetch_add(1);
    const std::vector<DataView> views{hold.value().view};
    log.input = compute(plan(index), views);
    log.end = clock_.fetch_add(1);
    log.host_done = true;
    place_.give_back(hold.value());
  }

  void check_all(const Result<void>& outcome, const std::vector<Result<void>>& home) {
    std::vector<bool> poisoned;
    std::vector<bool> readable;
    for (const Result<void>& one : home) readable.push_back(one.ok());
    check_outcome({program_, logs_, before_, after_, options_.losses, options_.device_faults, readable, looks_},
                  poisoned, problems_);
    bool any_failure = false;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      if (!logs_[i].future.valid()) continue;
      outcome_[i] = logs_[i].future.status();
      any_failure = any_failure || outcome_[i] != TaskStatus::succeeded;
      if (!ran_all_pieces(program_.tasks[i], logs_[i], outcome_[i])) {
        problem("task " + std::to_string(i) + " ran " + std::to_string(logs_[i].pieces.load()) + " pieces");
      }
    }
    // The wait also fails if a scheduler actor has died.
    if (!failed_wait_.load() == any_failure && !((options_.losses || options_.device_faults) && !any_failure)) {
      problem(any_failure ? std::string("a wait for everything hides that tasks did not succeed")
                          : "a wait for everything fails without reason: " +
                                (outcome ? "an earlier one" : outcome.failure().message));
    }
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (program_.regions[i].root >= program_.roots || program_.regions[i].replaced) continue;  // It has no handle.
      if (static_cast<int>(i) < program_.roots) lost_roots_ += home[i].ok() ? 0 : 1;
      if (options_.device_faults && !home[i]) continue;  // The loss was reported as an error.
      if (home[i].ok() == poisoned[i]) {
        problem("region " + std::to_string(i) + (poisoned[i] ? " should not be valid" : " should be valid: ") +
                (home[i] ? "" : home[i].failure().message));
      }
    }
  }

  static void copy_out(const DataView& from, const DataView& to) {
    const auto source = from.as_matrix<std::uint64_t>();
    const auto target = to.as_matrix<std::uint64_t>();
    for (std::int64_t j = 0; j < source.cols; ++j) {
      for (std::int64_t i = 0; i < source.rows; ++i) target(i, j) = source(i, j);
    }
  }

  /// Copies the results from other memories to the host. Returns for each region whether its content is on the host
  /// now.
  std::vector<Result<void>> bring_home() {
    std::vector<Result<void>> home(handles_.size(), Failure{ErrorCode::invalid_handle, "released"});
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (program_.regions[i].root >= program_.roots || program_.regions[i].replaced) continue;  // It has no handle.
      const auto hold = place_.acquire(handles_[i], AccessMode::read);
      home[i] = hold ? Result<void>() : Result<void>(hold.failure());
      if (!hold) {
        // Part of the region has lost its content. The memory that belongs to no part is still valid on the host.
        const int root = static_cast<int>(i);
        if (root < program_.roots && is_hidden(root)) copy_out(hidden_view(root), program_view(root));
        continue;
      }
      if (!is_visible(static_cast<int>(i))) copy_out(hold.value().view, program_view(static_cast<int>(i)));
      place_.give_back(hold.value());
    }
    return home;
  }

  void release_all() {
    const auto release = [this](int first) {
      for (int root = first; root < program_.roots; root += options_.submitters) {
        expect(place_.release(handle(root)), "release");
      }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < options_.submitters; ++i) threads.emplace_back(release, i);
    release(0);
    for (std::thread& thread : threads) thread.join();
    for (const Handle& released : handles_) {
      const auto hold = place_.acquire(released, AccessMode::read);
      if (hold || hold.failure().code != ErrorCode::invalid_handle) problem("a released handle can be acquired");
    }
  }

  void note(RanProgram& ran) {
    ran.roots = program_.roots;
    ran.lost_roots = lost_roots_;
    note_order(ran.order);
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const Future& future = logs_[i].future;
      ran.ids.push_back(future.valid() ? future.id() : TaskId{});
      ran.status.push_back(outcome_[i]);
      const PlannedTask& task = program_.tasks[i];
      const bool counts = options_.devices.mixed && counts_flops(key_of(task).timed_as);
      std::int64_t elements = 1;
      for (const PlannedAccess& access : task.accesses) {
        const Region& region = program_.regions[static_cast<std::size_t>(access.region)];
        elements += region.rows * region.cols;
      }
      ran.flops.push_back(counts ? static_cast<double>(elements) * 1000 : 0);
    }
  }

  void note_order(std::vector<int>& order) {
    std::vector<std::pair<std::uint64_t, int>> started;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      if (logs_[i].end != 0) started.emplace_back(logs_[i].start, static_cast<int>(i));
    }
    std::sort(started.begin(), started.end());
    order.clear();
    for (const auto& [time, task] : started) order.push_back(task);
  }

  ProgramPlace& place_;
  const ProgramOptions options_;
  const RandomProgram program_;
  std::vector<TaskLog> logs_;
  const Memory before_;
  Memory after_;
  /// The memory of roots that the program may access only while it holds them.
  std::vector<std::shared_ptr<std::byte>> hidden_;
  std::vector<Handle> handles_;
  std::map<CodeletKey, Codelet> codelets_;
  int lost_roots_ = 0;
  /// The status of each task after all tasks have ended.
  std::vector<TaskStatus> outcome_;
  std::atomic<std::uint64_t> clock_{1};
  std::mutex mutex_;
  std::atomic<bool> failed_wait_{false};
  std::atomic<bool> ended_{false};
  /// The indices of the tasks that may be cancelled; guarded by `mutex_`.
  std::vector<int> cancellable_;
  // The next members are guarded by `mutex_` while threads submit tasks.
  std::vector<HostLook> looks_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> run_program(graph::TaskGraph& graph, const ProgramOptions& options, RanProgram* ran) {
  GraphPlace place(graph);
  return run_program(place, options, ran);
}

std::vector<std::string> run_program(ProgramPlace& place, const ProgramOptions& options, RanProgram* ran) {
  return Run(place, options).execute(ran);
}

std::vector<Codelet> service_codelets(DeviceKind gpu) {
  std::vector<Codelet> codelets;
  for (const int i : {0, 1, 2}) {
    Codelet codelet = Codelet::variadic(kServiceNames[i]);
    codelet.takes({ArgumentType::of<std::uint64_t>(), ArgumentType::of<int>()});
    if (i != 1) codelet.implement(DeviceKind::cpu_core, Run::kernel_of_run);
    if (i != 0) codelet.implement(gpu, Run::kernel_of_run);
    codelets.push_back(codelet);
  }
  return codelets;
}

}  // namespace troupe::tests
