#include "tests/support/random/random_program_check.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "graph/tasks/task_owner.hpp"
#include "proto/random.hpp"

namespace troupe::tests {

namespace {

std::uint64_t mix(std::uint64_t value) { return Random(value).next(); }

template <class Visit>
void visit_elements(const DataView& view, const Visit& visit) {
  const auto x = view.as_matrix<std::uint64_t>();
  for (std::int64_t j = 0; j < x.cols; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) visit(x(i, j));
  }
}

/// A group of commuting and reducing tasks that may run in any order. If a handle is divided, the runtime treats
/// reducing tasks as commuting tasks, so the group may contain both.
struct Epoch {
  std::vector<int> members;
};

/// One element of one root, in its state after the tasks that have been checked.
struct Cell {
  /// The open group of commuting tasks, or -1.
  int epoch = -1;
  /// `poisoned`: the element is invalid for every task. `poisoned_in_epoch`: it is invalid for tasks after the open
  /// epoch.
  bool poisoned = false;
  bool poisoned_in_epoch = false;
  /// The latest end of a task in each of three groups: the predecessors of the epoch; the members of the epoch, or the
  /// last writer; the readers after them.
  std::uint64_t before_end = 0;
  std::uint64_t epoch_end = 0;
  std::uint64_t readers_end = 0;
  /// The commuting tasks of the epoch.
  std::vector<int> commuting;
  /// True if a task has reduced into the cell since it was last overwritten.
  bool reduced = false;
};

class Checker {
 public:
  Checker(const ProgramOutcome& outcome, std::vector<std::string>& problems)
      : program_(outcome.program),
        logs_(outcome.logs),
        after_(outcome.after),
        reference_(outcome.before),
        losses_(outcome.losses || outcome.device_faults),
        device_faults_(outcome.device_faults),
        readable_(outcome.readable),
        looks_(outcome.looks),
        problems_(problems),
        cells_(outcome.before.size()),
        status_(logs_.size(), TaskStatus::pending),
        why_(logs_.size()) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].resize(outcome.before[i].size());
  }

  void check(std::vector<bool>& poisoned) {
    for (const Step& step : in_order()) {
      if (step.look != nullptr) {
        compare(*step.look);
      } else {
        replay(step.task);
      }
    }
    justify_cancellations();
    compare();
    poisoned.assign(program_.regions.size(), false);
    for (std::size_t i = 0; i < program_.regions.size(); ++i) {
      visit_cells(static_cast<int>(i), [&](Cell& cell) {
        if (cell.poisoned || cell.poisoned_in_epoch) poisoned[i] = true;
      });
    }
  }

 private:
  enum class Why : std::uint8_t { none, own_fault, predecessor, perhaps_neighbour };

  void problem(int task, const std::string& what) { problems_.push_back("task " + std::to_string(task) + " " + what); }
  [[nodiscard]] const PlannedTask& plan(int task) const { return program_.tasks[static_cast<std::size_t>(task)]; }
  [[nodiscard]] TaskLog& log(int task) { return logs_[static_cast<std::size_t>(task)]; }
  [[nodiscard]] bool ran(int task) { return log(task).end != 0; }

  template <class Visit>
  void visit_cells(int index, const Visit& visit) {
    const Region& region = program_.regions[static_cast<std::size_t>(index)];
    const auto root = static_cast<std::size_t>(region.root);
    const std::int64_t ld = leading_dimension(program_.regions[root]);
    for (std::int64_t j = region.col; j < region.col + region.cols; ++j) {
      for (std::int64_t i = region.row; i < region.row + region.rows; ++i) {
        visit(cells_[root][static_cast<std::size_t>(i + j * ld)]);
      }
    }
  }

  struct Step {
    /// The number of the task, or of the last task before an access by the host. `at` is the time of that access.
    std::uint64_t after = 0;
    std::uint64_t at = 0;
    int task = 0;
    const HostLook* look = nullptr;
  };
  std::vector<Step> in_order() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const int task = static_cast<int>(i);
      if (logs_[i].by_host) {
        steps.push_back({logs_[i].host_after, logs_[i].start, task, nullptr});
        status_[i] = logs_[i].host_done ? TaskStatus::succeeded : TaskStatus::cancelled;
      } else if (logs_[i].future.valid()) {
        steps.push_back({logs_[i].future.id().value(), 0, task, nullptr});
        status_[i] = logs_[i].future.status();
        check_counts(task);
      } else if (logs_[i].runs.load() != 0) {
        problem(task, "ran without having been submitted");
      }
    }
    for (const HostLook& look : looks_) steps.push_back({look.after, look.at, 0, &look});
    std::ranges::sort(steps, {}, [](const Step& step) { return std::tuple(step.after, step.at, step.task); });
    return steps;
  }

  void check_counts(int task) {
    const TaskStatus status = status_[static_cast<std::size_t>(task)];
    if (status == TaskStatus::pending) problem(task, "has not ended");
    const bool perhaps_lost = losses_ && status == TaskStatus::failed;
    const int runs = status == TaskStatus::cancelled ? 0 : perhaps_lost ? std::min(log(task).runs.load(), 1) : 1;
    if (log(task).runs.load() != runs) {
      problem(task, std::string(to_string(status)) + " but ran " + std::to_string(log(task).runs.load()) + " times");
    }
    if (log(task).callbacks.load() != (plan(task).has_callback ? 1 : 0)) {
      problem(task, "called back " + std::to_string(log(task).callbacks.load()) + " times");
    }
    if (status == TaskStatus::failed && !plan(task).faulty && !losses_) problem(task, "failed without a fault");
    if (status == TaskStatus::succeeded && plan(task).faulty) problem(task, "succeeded with a fault");
    for (const int child : plan(task).children) {
      if (!log(child).skipped && log(child).future.valid() != (runs == 1))
        problem(child, "submitted without its parent, or not with it");
    }
  }

  /// Reports a problem if the task started before `end`, the end of a task that it must wait for.
  void comes_after(int task, std::uint64_t end) {
    if (ran(task) && log(task).start < end) problem(task, "started before a predecessor had ended");
  }

  void enter_epoch(Cell& cell, int task, AccessMode mode) {
    if (cell.epoch < 0) {
      cell.epoch = static_cast<int>(epochs_.size());
      epochs_.emplace_back();
      cell.commuting.clear();
      cell.before_end = std::max(cell.epoch_end, cell.readers_end);
    }
    epochs_[static_cast<std::size_t>(cell.epoch)].members.push_back(task);
    comes_after(task, cell.before_end);
    if (mode != AccessMode::commute || !ran(task)) return;
    for (const int other : cell.commuting) {
      if (log(task).start < log(other).end && log(other).start < log(task).end) {
        problem(task, "commutes with task " + std::to_string(other) + " but ran at the same time");
      }
    }
    cell.commuting.push_back(task);
  }

  /// Checks that one access comes after its predecessors. Returns true if the element was invalid for this access.
  bool access(Cell& cell, int task, AccessMode mode) {
    if (mode == AccessMode::reduce) cell.reduced = true;
    if (mode == AccessMode::commute || mode == AccessMode::reduce) {
      enter_epoch(cell, task, mode);
      cell.epoch_end = std::max(cell.epoch_end, log(task).end);
      return cell.poisoned;
    }
    cell.epoch = -1;
    cell.poisoned = cell.poisoned || cell.poisoned_in_epoch;
    cell.poisoned_in_epoch = false;
    comes_after(task, cell.epoch_end);
    if (mode == AccessMode::read) {
      cell.readers_end = std::max(cell.readers_end, log(task).end);
      return cell.poisoned;
    }
    comes_after(task, cell.readers_end);
    // An access by the host that was refused has not waited for the readers, so nobody waits for them through it.
    if (log(task).by_host && !ran(task)) return mode == AccessMode::read_write && cell.poisoned;
    cell.epoch_end = std::max({cell.epoch_end, cell.readers_end, log(task).end});
    return mode == AccessMode::read_write && cell.poisoned;
  }

  /// Does what `access` does for an element of a halo part that the task itself writes: the task is no reader that it
  /// has to wait for.
  bool read_beside(Cell& cell, int task) {
    const std::uint64_t readers_end = cell.readers_end;
    const bool invalid = access(cell, task, AccessMode::read);
    cell.readers_end = readers_end;
    return invalid;
  }

  [[nodiscard]] bool is_halo(const PlannedAccess& access) const {
    return program_.regions[static_cast<std::size_t>(access.region)].halo;
  }

  void replay(int task) {
    const TaskStatus status = status_[static_cast<std::size_t>(task)];
    bool must_not_run = false;
    bool reduced = false;
    std::set<const Cell*> written;
    for (const PlannedAccess& planned : plan(task).accesses) {
      if (!writes(planned.mode)) continue;
      visit_cells(planned.region, [&](Cell& cell) { written.insert(&cell); });
    }
    for (const PlannedAccess& planned : plan(task).accesses) {
      if (!is_halo(planned)) continue;
      visit_cells(planned.region, [&](Cell& cell) {
        const bool beside = written.contains(&cell);
        must_not_run = (beside ? read_beside(cell, task) : access(cell, task, AccessMode::read)) || must_not_run;
        reduced = reduced || cell.reduced;
      });
    }
    for (const PlannedAccess& planned : plan(task).accesses) {
      if (is_halo(planned)) continue;
      visit_cells(planned.region, [&](Cell& cell) {
        must_not_run = access(cell, task, planned.mode) || must_not_run;
        reduced = reduced || (cell.reduced && planned.mode != AccessMode::write);
      });
    }
    for (const int predecessor : plan(task).after) {
      if (log(predecessor).skipped) continue;
      if (status_[static_cast<std::size_t>(predecessor)] != TaskStatus::succeeded) must_not_run = true;
      comes_after(task, log(predecessor).end);
    }
    if (must_not_run && status != TaskStatus::cancelled) problem(task, "ran although its data were invalid");
    Why& why = why_[static_cast<std::size_t>(task)];
    if (status == TaskStatus::failed) why = Why::own_fault;
    if (status == TaskStatus::cancelled) {
      const bool by_a_device = device_faults_ && (reduced || log(task).by_host);
      why = must_not_run || log(task).cancel_requested || by_a_device ? Why::predecessor : Why::perhaps_neighbour;
    }
    settle(task, status == TaskStatus::succeeded);
    if (status != TaskStatus::succeeded) return;
    std::vector<DataView> views;
    for (const PlannedAccess& planned : plan(task).accesses) {
      views.push_back(view_of(program_.regions[static_cast<std::size_t>(planned.region)], program_, reference_));
    }
    if (compute(plan(task), views) != log(task).input) problem(task, "read other data than in sequential execution");
  }

  void compare(const HostLook& look) {
    bool valid = true;
    if (look.division) return divide(look);
    visit_cells(look.region, [&](Cell& cell) { valid = valid && !cell.poisoned && !cell.poisoned_in_epoch; });
    if (!valid) return;
    const Region& region = program_.regions[static_cast<std::size_t>(look.region)];
    if (content_of(view_of(region, program_, reference_)) == look.seen) return;
    problems_.push_back(std::string("the program sees other data ") + look.when + ", in region " +
                        std::to_string(look.region) + " after task " + std::to_string(look.after));
  }

  void divide(const HostLook& look) {
    bool invalid = false;
    visit_cells(look.region, [&](Cell& cell) {
      invalid = invalid || cell.poisoned || cell.poisoned_in_epoch;
      cell.epoch = -1;
    });
    if (invalid) visit_cells(look.region, [](Cell& cell) { cell.poisoned = true; });
  }

  void settle(int task, bool succeeded) {
    // An access by the host that was refused has changed nothing.
    if (!succeeded && log(task).by_host) return;
    for (const PlannedAccess& planned : plan(task).accesses) {
      if (!writes(planned.mode) || (succeeded && planned.mode != AccessMode::write)) continue;
      const bool in_epoch = planned.mode == AccessMode::commute || planned.mode == AccessMode::reduce;
      visit_cells(planned.region, [&](Cell& cell) {
        (in_epoch ? cell.poisoned_in_epoch : cell.poisoned) = !succeeded;
        if (succeeded) cell.reduced = false;
      });
    }
  }

  /// A commuting task may be cancelled because of a later task of its group. Then another task of the group must have a
  /// reason of its own.
  void justify_cancellations() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Epoch& epoch : epochs_) {
        const bool justified = std::any_of(epoch.members.begin(), epoch.members.end(), [&](int member) {
          const Why why = why_[static_cast<std::size_t>(member)];
          return why == Why::own_fault || why == Why::predecessor;
        });
        if (!justified) continue;
        for (const int member : epoch.members) {
          Why& why = why_[static_cast<std::size_t>(member)];
          if (why != Why::perhaps_neighbour) continue;
          why = Why::predecessor;
          changed = true;
        }
      }
    }
    for (std::size_t i = 0; i < why_.size(); ++i) {
      if (why_[i] != Why::perhaps_neighbour) continue;
      const Future& future = logs_[i].future;
      const Result<void> outcome = future.valid() ? future.owner()->outcome(future) : Result<void>();
      const std::string message = outcome ? "" : ": " + outcome.failure().message;
      // A copy or a device may fail where data are divided anew.
      if (device_faults_ && message.find("(codelet divide)") != std::string::npos) continue;
      problem(static_cast<int>(i), "was cancelled without a reason" + message);
    }
  }

  /// Returns a list for each root: for each element of the root, whether the host could read it through some region.
  [[nodiscard]] std::vector<std::vector<bool>> readable_cells() const {
    std::vector<std::vector<bool>> cells;
    for (const auto& root : reference_) cells.emplace_back(root.size(), !device_faults_);
    for (std::size_t index = 0; device_faults_ && index < readable_.size(); ++index) {
      if (!readable_[index]) continue;
      const Region& region = program_.regions[index];
      const auto root = static_cast<std::size_t>(region.root);
      const std::int64_t ld = leading_dimension(program_.regions[root]);
      for (std::int64_t j = region.col; j < region.col + region.cols; ++j) {
        for (std::int64_t i = region.row; i < region.row + region.rows; ++i) {
          cells[root][static_cast<std::size_t>(i + j * ld)] = true;
        }
      }
    }
    return cells;
  }

  void compare() {
    const std::vector<std::vector<bool>> readable = readable_cells();
    for (std::size_t root = 0; root < reference_.size(); ++root) {
      for (std::size_t i = 0; i < reference_[root].size(); ++i) {
        if (cells_[root][i].poisoned || cells_[root][i].poisoned_in_epoch || !readable[root][i]) continue;
        if (reference_[root][i] == after_[root][i]) continue;
        problems_.push_back("root " + std::to_string(root) + " differs from sequential execution at element " +
                            std::to_string(i));
        break;
      }
    }
  }

  const RandomProgram& program_;
  std::vector<TaskLog>& logs_;
  Memory& after_;
  Memory reference_;
  const bool losses_;
  const bool device_faults_;
  const std::vector<bool> readable_;
  const std::span<const HostLook> looks_;
  std::vector<std::string>& problems_;
  std::vector<std::vector<Cell>> cells_;
  std::vector<TaskStatus> status_;
  std::vector<Why> why_;
  std::vector<Epoch> epochs_;
};

}  // namespace

std::int64_t leading_dimension(const Region& root) { return root.rows + root.root % 3; }

Memory make_memory(const RandomProgram& program, std::uint64_t seed) {
  Random random(seed);
  Memory memory(program.regions.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const Region& region = program.regions[i];
    if (region.root != static_cast<int>(i)) continue;
    memory[i].resize(static_cast<std::size_t>(leading_dimension(region) * region.cols));
    for (std::uint64_t& element : memory[i]) element = random.next();
  }
  return memory;
}

DataView view_of(const Region& region, const RandomProgram& program, Memory& memory) {
  const auto root = static_cast<std::size_t>(region.root);
  const std::int64_t ld = leading_dimension(program.regions[root]);
  std::uint64_t* data = memory[root].data() + region.row + region.col * ld;
  return {reinterpret_cast<std::byte*>(data), layout_of<std::uint64_t>(region.rows, region.cols, ld)};
}

std::uint64_t content_of(const DataView& view) {
  std::uint64_t state = 0;
  visit_elements(view, [&](std::uint64_t element) { state = mix(state ^ element); });
  return state;
}

std::uint64_t read_all(const PlannedTask& task, std::span<const DataView> views) {
  std::uint64_t state = mix(task.salt);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const AccessMode mode = task.accesses[i].mode;
    if (mode != AccessMode::read && mode != AccessMode::read_write) continue;
    visit_elements(views[i], [&](std::uint64_t element) { state = mix(state ^ element); });
  }
  return state;
}

void change_some(const PlannedTask& task, std::span<const DataView> views, std::uint64_t input, std::uint64_t piece,
                 std::uint64_t pieces) {
  for (std::size_t i = 0; i < views.size(); ++i) {
    std::uint64_t counter = i << 32U;
    visit_elements(views[i], [&](std::uint64_t& element) {
      if (++counter % pieces != piece) return;
      const std::uint64_t value = mix(input + counter);
      switch (task.accesses[i].mode) {
        case AccessMode::read: break;
        case AccessMode::write: element = value; break;
        case AccessMode::read_write: element = mix(element ^ value); break;
        case AccessMode::commute:
        case AccessMode::reduce: element += value; break;
      }
    });
  }
}

std::uint64_t compute(const PlannedTask& task, std::span<const DataView> views) {
  const std::uint64_t input = read_all(task, views);
  change_some(task, views, input, 0, 1);
  return input;
}

void check_outcome(const ProgramOutcome& outcome, std::vector<bool>& poisoned, std::vector<std::string>& problems) {
  Checker(outcome, problems).check(poisoned);
}

}  // namespace troupe::tests
