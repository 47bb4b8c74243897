/// Random programs on a task graph. A seed determines each program. The results are compared with those of running the
/// tasks one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/programs/program_place.hpp"
#include "troupe/access.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/handle.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::tests {

/// The devices for which the codelets have implementations.
struct Devices {
  /// If true, some kernels run only on cores, some only on GPUs and most on both, and each kernel has the times of one
  /// of `kTimedKernels` kernels (see `random_machine.hpp`). If false, all kernels run on cores.
  bool mixed = false;
  /// The kinds of worker that the runtime has.
  bool cores = true;
  bool gpus = false;
  /// The memory of a GPU. A task whose data are larger can also run on cores.
  Bytes gpu_memory;
  /// The kind of device of the GPUs. Emulated GPUs also run every kernel that runs on cores.
  DeviceKind gpu = DeviceKind::cuda;
  /// Makes a GPU's kernel from a core's kernel. Null if the GPU runs the core's kernel.
  Kernel (*on_gpu)(Kernel) = nullptr;

  [[nodiscard]] Kernel kernel_for_gpu(Kernel kernel) const {
    return on_gpu == nullptr ? kernel : on_gpu(std::move(kernel));
  }
};
inline constexpr int kTimedKernels = 4;

/// The properties of a program. The seed determines everything else.
struct ProgramOptions {
  std::uint64_t seed = 1;
  /// The number of threads that submit operations at the same time.
  int submitters = 1;
  /// The number of operations of each submitter.
  int operations = 40;
  /// If true, some kernels throw and some tasks are cancelled.
  bool faults = false;
  /// If true, another thread cancels some tasks while the program runs, whatever their state.
  bool canceller = false;
  /// If true, some kernels submit further tasks.
  bool nested = false;
  /// If true, submitters sometimes wait for tasks or handles, and partition, register and release data. A program
  /// without waits fills the submission window.
  bool waits = true;
  /// If true, some handles are divided into parts.
  bool parts = true;
  /// If true, some handles are divided anew while tasks use their parts. Only with `waits`.
  bool repartitions = false;
  /// A factor for the number of rows of matrices.
  int scale = 1;
  /// The devices on which kernels can run.
  Devices devices = {};
  /// If true, workers die while the program runs, which may make tasks fail. Only for one submitter.
  bool losses = false;
  /// If true, devices fail (see `platform::FaultOptions`). Then any task may fail, and any data may be lost at the end,
  /// but the runtime must report each failure and loss.
  bool device_faults = false;
  /// If true, the kernels are those of `service_codelets`.
  bool on_service = false;
  /// A function that is called before each operation of the first submitter.
  std::function<void()> between = nullptr;
};

/// A rectangle of a root matrix. Each region has one handle.
struct Region {
  int root = 0;
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// True for a halo part, which tasks only read and which may overlap all other regions.
  bool halo = false;
  /// True if other parts take its place at some point. It has no handle at the end.
  bool replaced = false;
};

/// Returns true if the two regions have an element in common.
[[nodiscard]] inline bool overlap(const Region& a, const Region& b) {
  return a.root == b.root && a.row < b.row + b.rows && b.row < a.row + a.rows && a.col < b.col + b.cols &&
         b.col < a.col + a.cols;
}

struct PlannedAccess {
  int region = 0;
  AccessMode mode = AccessMode::read;
};

struct PlannedTask {
  std::uint64_t salt = 0;
  std::vector<PlannedAccess> accesses;
  int priority = 0;
  bool faulty = false;
  bool has_callback = false;
  /// If true, each access names its mode. Otherwise the codelet names the modes.
  bool variadic = false;
  /// The number of rounds of a spin loop.
  std::uint32_t duration = 0;
  /// The tasks that the kernel submits, and the tasks that must come before this one. Both are indices of tasks.
  std::vector<int> children;
  std::vector<int> after;
};

/// One operation of a submitter.
struct Operation {
  enum class Kind : std::uint8_t {
    submit,
    /// Cuts region `index` into the regions of `parts`.
    partition,
    /// Makes the halo parts `parts` of region `index`.
    halos,
    /// Replaces the parts of region `index` by the regions of `parts`.
    repartition,
    wait_task,
    wait_all,
    wait_handle,
    /// The host acquires region `index`, reads it and gives it back.
    read_host,
    /// The host changes a region. The planned task `index` describes the change.
    modify_host,
    cancel_task,
    /// The content of region `index` is discarded. The submitter's next operation submits a task that writes the
    /// region.
    discard,
    register_root,
    release_root,
  };
  Kind kind = Kind::submit;
  int index = 0;
  std::vector<int> parts = {};
};

/// The plan of a program, as plain data. Equal options give equal plans.
struct RandomProgram {
  /// The regions. The first `roots` of them are whole matrices: region i is then the root matrix i. The data are
  /// column-major with gaps.
  std::vector<Region> regions;
  int roots = 0;
  /// `reducible[i]` is true if region i may be used in mode reduce.
  std::vector<bool> reducible;
  std::vector<PlannedTask> tasks;
  /// The operations that run before the submitters start.
  std::vector<Operation> prologue;
  /// The operations of each submitter, in their order.
  std::vector<std::vector<Operation>> operations;
};

/// Returns where the parts of an operation lie in the region that they belong to.
[[nodiscard]] std::vector<Block> blocks_of(const RandomProgram& program, const Operation& operation);

[[nodiscard]] RandomProgram make_program(const ProgramOptions& options);

/// The record of one planned task.
struct TaskLog {
  Future future;
  std::atomic<int> runs{0};
  std::atomic<int> callbacks{0};
  /// The start and the end, measured by a clock that all tasks share: `start` < `end`, and no two values are equal.
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  /// A hash of the data that the task read.
  std::uint64_t input = 0;
  /// The number of pieces that have run, if the task is made of pieces.
  std::atomic<std::uint32_t> pieces{0};
  /// An access by the host also has a record, although it has no task. The access comes after the task with the id
  /// `host_after`. `host_done` is false if the access was refused.
  std::uint64_t host_after = 0;
  bool by_host = false;
  bool host_done = false;
  std::atomic<bool> cancel_requested{false};
  /// True if the task was not submitted, because one of its regions has no handle.
  bool skipped = false;
};

/// The content of a region that a submitter saw at one moment. At this moment, the submitter's tasks up to the number
/// `after`, and no other tasks, must have changed the region. The moment is after a wait, while the submitter held the
/// region, or after the region's release.
struct HostLook {
  int region = 0;
  std::uint64_t after = 0;
  /// The time of the look, measured by the clock of `TaskLog`.
  std::uint64_t at = 0;
  std::uint64_t seen = 0;
  const char* when = "";
  /// True if the region took the place of others at this moment, and nothing was seen. If one of its elements is not
  /// valid, none is.
  bool division = false;
};

/// The implementations of a task's kernel if devices are mixed.
struct PlannedKernel {
  bool on_cores = true;
  bool on_gpus = false;
  /// The number of the timed kernel whose times this kernel has. It is less than `kTimedKernels`.
  int timed_as = 0;
  /// The number of pieces that a core takes at a time; 0 if cores run the task as a whole.
  std::uint32_t grain = 0;
};
[[nodiscard]] PlannedKernel planned_kernel(const RandomProgram& program, const PlannedTask& task,
                                           const Devices& devices);
/// Returns the number of pieces if cores run the task in pieces. It is 0 only if the task changes nothing.
[[nodiscard]] std::uint32_t planned_pieces(const PlannedTask& task);
[[nodiscard]] std::string timed_kernel_name(int kernel);

/// Returns the codelets that a service must have for programs with `on_service`. Their kernels run in the service's
/// process.
[[nodiscard]] std::vector<Codelet> service_codelets(DeviceKind gpu);

/// The results of a program's tasks. The vectors are indexed like the planned tasks, except `order`.
struct RanProgram {
  /// The tasks in the order in which they ran.
  std::vector<int> order;
  /// The tasks' ids. An id is invalid if the task was not submitted because its parent did not run.
  std::vector<TaskId> ids;
  std::vector<TaskStatus> status;
  /// The number of floating-point operations that each task's codelet counts.
  std::vector<double> flops;
  /// The number of matrices that exist at the end, and the number of these whose content was reported as lost.
  int roots = 0;
  int lost_roots = 0;
};

/// Returns true if submitters can access the matrix's memory only while they hold the matrix.
[[nodiscard]] inline bool is_hidden(int root) { return root % 4 == 3; }

/// Runs the program of `options` on an idle graph, which must have enough workers to make progress. Checks that each
/// task ran exactly once and after its predecessors, that conflicting tasks did not overlap, and that tasks that did
/// not succeed had a reason. Whenever the program may read data, the data must be as if all tasks had run in the order
/// of submission. Returns one line for each problem. If `ran` is given, it receives the results of the tasks.
std::vector<std::string> run_program(graph::TaskGraph& graph, const ProgramOptions& options, RanProgram* ran = nullptr);
std::vector<std::string> run_program(ProgramPlace& place, const ProgramOptions& options, RanProgram* ran = nullptr);

}  // namespace troupe::tests
