/// One random program on a service that may be killed at any moment.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/backend.hpp"
#include "proto/random.hpp"
#include "tests/support/drawing.hpp"
#include "tests/support/killed/step_codelet.hpp"
#include "tests/support/random/random_program.hpp"
#include "tests/support/random/random_program_check.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

/// Runs a program and compares the data that it can read with a sequential run. Every call either does its work or
/// fails with an error that names the service. Data that the service gives without an error must be right, also after
/// the service was killed. All tasks end, and each callback is called once.
class LoneProgram {
 public:
  explicit LoneProgram(std::uint64_t seed) : program_(make_program(options_for(seed))), seed_(seed) {
    reference_ = memory_ = make_memory(program_, seed);
    hidden_.resize(program_.regions.size());
    handles_.resize(program_.regions.size());
    futures_.resize(program_.tasks.size());
  }

  /// Returns true if some call failed because the service had been killed.
  [[nodiscard]] bool lost() const { return lost_; }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  /// Runs the program. May be called once. Before each operation, `before_each` is called with the operation's number.
  void run(const std::string& folder, const std::function<void(std::size_t)>& before_each) {
    try {
      Runtime runtime = Runtime::connect({folder, "random program"});
      backend_ = &runtime.backend();
      for (const Operation& operation : program_.prologue) perform(operation);
      std::size_t number = 0;
      for (const Operation& operation : program_.operations[0]) {
        before_each(number++);
        perform(operation);
      }
      if (seed_ % 3 == 0) run_recording();
      if (seed_ % 4 != 1) look_at_everything();
    } catch (const Error& error) {
      note("the program", {error.code(), error.what()});
    }
    if (called_ != callbacks_) {
      problem(std::to_string(callbacks_) + " tasks have callbacks, and " + std::to_string(called_) + " were called");
    }
  }

 private:
  static ProgramOptions options_for(std::uint64_t seed) {
    Random random(seed * 0x9e3779b97f4a7c15ULL + 23);
    ProgramOptions options;
    options.seed = seed;
    options.operations = 10 + static_cast<int>(random.below(60));
    options.waits = chance(random, 90);
    options.scale = 1 + static_cast<int>(random.below(6));
    return options;
  }

  void problem(std::string what) { problems_.push_back(std::move(what)); }
  /// Notes that a call failed. Only a killed service may be the reason, so the error must name the service.
  void note(const std::string& what, const Failure& failure) {
    lost_ = true;
    if (failure.message.find("service") != std::string::npos) return;
    problem(what + " does not say that the service was lost: " + failure.message);
  }
  template <class Value>
  bool went_well(const std::string& what, const Result<Value>& outcome) {
    if (!outcome) note(what, outcome.failure());
    return outcome.ok();
  }

  [[nodiscard]] const PlannedTask& plan(int task) const { return program_.tasks[static_cast<std::size_t>(task)]; }
  [[nodiscard]] const Region& region(int index) const { return program_.regions[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Handle& handle(int index) { return handles_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] bool is_visible(int index) const { return !is_hidden(region(index).root); }
  [[nodiscard]] DataView reference(int index) { return view_of(region(index), program_, reference_); }

  void compare(int index, const DataView& view, const char* when) {
    if (content_of(view) == content_of(reference(index))) return;
    problem("region " + std::to_string(index) + " is wrong " + when + (lost_ ? ", after the loss of the service" : ""));
  }
  void compare_memory(int index, const char* when) {
    if (is_visible(index)) compare(index, view_of(region(index), program_, memory_), when);
  }
  void apply(const PlannedTask& task) {
    std::vector<DataView> views;
    for (const PlannedAccess& access : task.accesses) views.push_back(reference(access.region));
    compute(task, views);
  }

  void perform(const Operation& operation) {
    const int index = operation.index;
    switch (operation.kind) {
      case Operation::Kind::submit: submit(index); break;
      case Operation::Kind::partition:
      case Operation::Kind::halos: add_blocks(operation); break;
      case Operation::Kind::repartition: break;
      case Operation::Kind::wait_task: wait_task(index); break;
      case Operation::Kind::wait_all: wait_all(); break;
      case Operation::Kind::wait_handle:
      case Operation::Kind::read_host: read(index); break;
      case Operation::Kind::modify_host: modify(index); break;
      case Operation::Kind::cancel_task:
      case Operation::Kind::discard: break;
      case Operation::Kind::register_root: register_root(index); break;
      case Operation::Kind::release_root:
        if (handle(index).record() == nullptr) break;
        if (went_well("release", backend_->release(handle(index)))) compare_memory(index, "after its release");
        handle(index) = {};
        break;
    }
  }

  Result<Future> give(const PlannedTask& task, const TaskOptions& options) {
    std::vector<Access> accesses;
    for (const PlannedAccess& access : task.accesses) accesses.emplace_back(handle(access.region), access.mode);
    return backend_->submit({step_, accesses, step_arguments(task), options});
  }
  /// Returns true if all regions that the task uses have a handle.
  [[nodiscard]] bool has_its_data(const PlannedTask& task) {
    return std::ranges::all_of(task.accesses,
                               [this](const PlannedAccess& one) { return handle(one.region).record() != nullptr; });
  }

  void submit(int index) {
    const PlannedTask& task = plan(index);
    if (!has_its_data(task)) return;
    TaskOptions options;
    options.priority = task.priority;
    for (const int before : task.after) {
      const Future& other = futures_[static_cast<std::size_t>(before)];
      if (other.valid()) options.after.push_back(other);
    }
    if (task.has_callback) {
      options.callback = [this, again = task.salt % 2 == 0](const TaskOutcome&) {
        ++called_;
        // The call may be refused, because the program may have ended or the service may have been killed.
        if (again) std::ignore = give({}, {});
      };
    }
    const auto future = give(task, options);
    if (!went_well("submit", future)) return;
    callbacks_ += task.has_callback ? 1 : 0;
    futures_[static_cast<std::size_t>(index)] = future.value();
    apply(task);
  }

  void add_blocks(const Operation& operation) {
    const Handle& whole = handle(operation.index);
    if (whole.record() == nullptr) return;
    const std::vector<Block> blocks = blocks_of(program_, operation);
    const bool halos = operation.kind == Operation::Kind::halos;
    const auto handles = halos ? backend_->halos(whole, blocks, 0) : backend_->partition(whole, blocks);
    if (!went_well(halos ? "halos" : "partition", handles)) return;
    for (std::size_t i = 0; i < operation.parts.size(); ++i) {
      handle(operation.parts[i]) = handles.value()[i];
      set_reduction(operation.parts[i]);
    }
  }
  void set_reduction(int index) {
    if (!program_.reducible[static_cast<std::size_t>(index)]) return;
    std::ignore = went_well("set_reduction", backend_->set_reduction(handle(index), sum_reduction<std::uint64_t>()));
  }

  void wait_task(int index) {
    const Future& future = futures_[static_cast<std::size_t>(index)];
    if (!future.valid()) return;
    const bool well = went_well("wait for a task", future.owner()->wait(future));
    if (well != (future.status() == TaskStatus::succeeded)) problem("a wait for a task and its status do not agree");
  }
  void wait_all() {
    if (!went_well("wait", backend_->wait_all())) return;
    for (int root = 0; root < program_.roots; ++root) {
      if (handle(root).record() != nullptr) compare_memory(root, "after a wait for everything");
    }
  }
  void read(int index) {
    if (handle(index).record() == nullptr) return;
    const auto held = backend_->acquire(handle(index), AccessMode::read);
    if (!went_well("acquire", held)) return;
    compare(index, held.value().view, "while it is held");
    backend_->give_back(held.value().hold);
  }
  void modify(int index) {
    const PlannedTask& task = plan(index);
    if (!has_its_data(task)) return;
    const auto held = backend_->acquire(handle(task.accesses[0].region), task.accesses[0].mode);
    if (!went_well("acquire", held)) return;
    compute(task, std::array{held.value().view});
    apply(task);
    backend_->give_back(held.value().hold);
  }

  void register_root(int index) {
    const DataView view = view_of(region(index), program_, memory_);
    graph::DataDescription description{view.layout, view.data, nullptr, "r" + std::to_string(index)};
    if (is_hidden(index)) {
      const auto bytes = memory_[static_cast<std::size_t>(index)].size() * sizeof(std::uint64_t);
      const auto allocated = backend_->allocate({bytes}, NumaId{});
      if (!went_well("allocate", allocated)) return;
      auto& memory = hidden_[static_cast<std::size_t>(index)] = allocated.value().data;
      std::memcpy(memory.get(), view.data, bytes);
      description.host = memory.get();
      description.owned = memory;
      description.hidden = true;
    }
    auto registered = backend_->register_data(std::move(description));
    if (!went_well("register", registered)) return;
    handle(index) = std::move(registered).value();
    set_reduction(index);
  }

  /// Records a few tasks that use whole matrices, and runs the recording several times.
  void run_recording() {
    Random random(seed_ + 31);
    std::vector<PlannedTask> tasks(2 + random.below(6));
    for (PlannedTask& task : tasks) {
      const AccessMode mode = chance(random, 50) ? AccessMode::read_write : AccessMode::write;
      const int written = static_cast<int>(random.below(static_cast<std::uint32_t>(program_.roots)));
      const int read = static_cast<int>(random.below(static_cast<std::uint32_t>(program_.roots)));
      task.salt = random.next();
      task.accesses.push_back({written, mode});
      if (read != written) task.accesses.push_back({read, AccessMode::read});
      if (!has_its_data(task)) return;
    }
    bool all = true;
    const auto recording = backend_->record(
        [&] {
          for (const PlannedTask& task : tasks) all = went_well("record a task", give(task, {})) && all;
        },
        "tasks");
    if (!went_well("record", recording) || !all) return;
    for (std::uint32_t run = 1 + random.below(4); run > 0; --run) {
      if (!went_well("run a recording", recording.value()->run({}))) return;
      for (const PlannedTask& task : tasks) apply(task);
      if (chance(random, 30)) read(static_cast<int>(random.below(static_cast<std::uint32_t>(program_.roots))));
    }
  }

  void look_at_everything() {
    wait_all();
    for (std::size_t i = 0; i < program_.tasks.size(); ++i) wait_task(static_cast<int>(i));
    for (std::size_t i = 0; i < handles_.size(); ++i) read(static_cast<int>(i));
    for (int root = 0; root < program_.roots; ++root) {
      if (handle(root).record() == nullptr || root % 3 == 2) continue;
      if (went_well("release", backend_->release(handle(root)))) compare_memory(root, "after its release");
    }
  }

  const RandomProgram program_;
  const std::uint64_t seed_;
  const Codelet step_ = step_codelet(false);
  client::Backend* backend_ = nullptr;
  /// The program's data, and the same data after a sequential run.
  Memory memory_;
  Memory reference_;
  std::vector<std::shared_ptr<std::byte>> hidden_;
  std::vector<Handle> handles_;
  std::vector<Future> futures_;
  int callbacks_ = 0;
  std::atomic<int> called_{0};
  bool lost_ = false;
  std::vector<std::string> problems_;
};

}  // namespace troupe::tests
