/// Random programs over a task graph. Each is made from a seed, run, and compared with running its tasks one after the
/// other.
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

/// The devices that the implementations of kernels run on.
struct Devices {
  /// If true, some kernels run on cores only, some on GPUs only and most on both, and each is timed as one of
  /// `kTimedKernels` (see `random_machine.hpp`). If false, all kernels run on cores.
  bool mixed = false;
  /// The kinds of worker that the runtime has.
  bool cores = true;
  bool gpus = false;
  /// The memory of a GPU. Tasks whose data need more than this can run on cores, too.
  Bytes gpu_memory;
  /// The kind of device that a GPU is. Emulated ones also run every kernel that runs on cores.
  DeviceKind gpu = DeviceKind::cuda;
  /// Makes a GPU's kernel from a core's kernel; null if both are the same.
  Kernel (*on_gpu)(Kernel) = nullptr;

  [[nodiscard]] Kernel kernel_for_gpu(Kernel kernel) const {
    return on_gpu == nullptr ? kernel : on_gpu(std::move(kernel));
  }
};
inline constexpr int kTimedKernels = 4;

/// The properties of a program. Everything else is drawn from the seed.
struct ProgramOptions {
  std::uint64_t seed = 1;
  /// The number of threads that submit at the same time.
  int submitters = 1;
  /// The number of operations of each submitter.
  int operations = 40;
  /// If true, some kernels throw and some tasks are cancelled.
  bool faults = false;
  /// If true, another thread meanwhile cancels some tasks, whatever their state.
  bool canceller = false;
  /// If true, some kernels submit further tasks.
  bool nested = false;
  /// If true, submitters wait for tasks and handles, partition, register and release in between. A program without
  /// waits fills the window.
  bool waits = true;
  /// If true, handles are divided into parts.
  bool parts = true;
  /// A factor for the number of rows of matrices.
  int scale = 1;
  /// The devices that kernels run on.
  Devices devices = {};
  /// If true, workers die while the program runs, and tasks may fail because of it. Only with one submitter.
  bool losses = false;
  /// If true, devices fail (see `platform::FaultOptions`): any task may fail because of it, and any data may be out of
  /// reach at the end, as long as that is reported.
  bool device_faults = false;
  /// If true, kernels are those of `service_codelets`.
  bool on_service = false;
  /// A function that is called before each operation of the first submitter.
  std::function<void()> between = nullptr;
};

/// A rectangle of a root matrix. One handle stands for it.
struct Region {
  int root = 0;
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

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
  /// If true, each access names its mode; otherwise the codelet names the modes.
  bool variadic = false;
  /// The number of rounds of a spin loop.
  std::uint32_t duration = 0;
  /// The tasks that the kernel submits, and the tasks that this task comes after: indices of tasks.
  std::vector<int> children;
  std::vector<int> after;
};

/// One step of a submitter.
struct Operation {
  enum class Kind : std::uint8_t {
    submit,
    /// Cuts region `index` into the regions of `parts`.
    partition,
    wait_task,
    wait_all,
    wait_handle,
    /// The host holds region `index` and reads it.
    read_host,
    /// Modifies a region as the host does. Task `index` describes the change.
    modify_host,
    cancel_task,
    register_root,
    release_root,
  };
  Kind kind = Kind::submit;
  int index = 0;
  std::vector<int> parts = {};
};

/// The plan of a program. It is plain data. Equal options give equal plans.
struct RandomProgram {
  /// The regions. The first ones are the roots: the region of a whole matrix has the index of its root. Data are
  /// column-major with gaps.
  std::vector<Region> regions;
  int roots = 0;
  /// `reducible[i]` is true if region i may be used in mode reduce.
  std::vector<bool> reducible;
  std::vector<PlannedTask> tasks;
  /// The operations before the submitters start.
  std::vector<Operation> prologue;
  /// The operations of each submitter.
  std::vector<std::vector<Operation>> operations;
};

[[nodiscard]] RandomProgram make_program(const ProgramOptions& options);

/// The record of one planned task.
struct TaskLog {
  Future future;
  std::atomic<int> runs{0};
  std::atomic<int> callbacks{0};
  /// The start and the end by a clock that all tasks share: `start` < `end`, and no two values are equal.
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  /// A hash of the data that the task read.
  std::uint64_t input = 0;
  /// The pieces that have run, for a task made of pieces.
  std::atomic<std::uint32_t> pieces{0};
  /// The host's accesses have no task. They come after the task with this id, and may be refused.
  std::uint64_t host_after = 0;
  bool by_host = false;
  bool host_done = false;
  std::atomic<bool> cancel_requested{false};
  /// True if the task was not submitted because the parts that it uses could not be made.
  bool skipped = false;
};

/// The content of a region that a submitter has seen at a moment when exactly its tasks up to the number `after` must
/// have had their effect there. Such moments are after a wait, while the submitter held the region, and after the
/// region's release.
struct HostLook {
  int region = 0;
  std::uint64_t after = 0;
  /// The time by the clock of `TaskLog`.
  std::uint64_t at = 0;
  std::uint64_t seen = 0;
  const char* when = "";
};

/// The kernel of a task if devices are mixed.
struct PlannedKernel {
  bool on_cores = true;
  bool on_gpus = false;
  /// The index of the timed kernel; less than `kTimedKernels`.
  int timed_as = 0;
  /// The number of pieces that a core takes at a time; 0 if cores run the task whole.
  std::uint32_t grain = 0;
};
[[nodiscard]] PlannedKernel planned_kernel(const RandomProgram& program, const PlannedTask& task,
                                           const Devices& devices);
/// Returns the number of pieces of a task that cores run in pieces. It is 0 only if the task changes nothing.
[[nodiscard]] std::uint32_t planned_pieces(const PlannedTask& task);
[[nodiscard]] std::string timed_kernel_name(int kernel);

/// Returns the codelets that a service must know for programs with `on_service`, which run in the service's process.
[[nodiscard]] std::vector<Codelet> service_codelets(DeviceKind gpu);

/// The results of the tasks of a program, by index.
struct RanProgram {
  /// The tasks in the order in which they ran.
  std::vector<int> order;
  /// The tasks' ids. An id is invalid if the task was not submitted because its parent did not run.
  std::vector<TaskId> ids;
  std::vector<TaskStatus> status;
  /// The floating-point operations that each task's codelet counts.
  std::vector<double> flops;
  /// The number of matrices that exist at the end, and how many of them were reported to have lost their content.
  int roots = 0;
  int lost_roots = 0;
};

/// Returns true if the submitters can see the matrix's memory only while they hold it.
[[nodiscard]] inline bool is_hidden(int root) { return root % 4 == 3; }

/// Runs the program of `options` on an idle graph, which must have enough workers to make progress, and checks it. Each
/// task ran exactly once and after its predecessors. Conflicting tasks did not overlap. Tasks that did not succeed had
/// a reason. Whenever the program may look at the data, they are as if all tasks had run in the order of submission.
/// Returns one line for each problem; nothing if all is well. `ran`, if given, receives the results of the tasks.
std::vector<std::string> run_program(graph::TaskGraph& graph, const ProgramOptions& options, RanProgram* ran = nullptr);
std::vector<std::string> run_program(ProgramPlace& place, const ProgramOptions& options, RanProgram* ran = nullptr);

}  // namespace troupe::tests
