/// Random programs over a task graph: made from a seed, run, and compared with running them one task after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/handle.hpp"
#include "graph/task_graph.hpp"
#include "proto/access.hpp"
#include "proto/device_kinds.hpp"
#include "proto/ids.hpp"
#include "proto/units.hpp"
#include "tests/support/program_place.hpp"

namespace troupe::tests {

/// The implementations that kernels have.
struct Devices {
  /// Some kernels run on cores only, some on GPUs only, most on both, and each is timed as one of `kTimedKernels` (see
  /// `random_machine.hpp`). Else all run on cores.
  bool mixed = false;
  /// Kinds that the runtime has.
  bool cores = true;
  bool gpus = false;
  /// What a GPU holds: tasks whose data need more run on cores too.
  Bytes gpu_memory;
  /// What a GPU is. Emulated ones run what runs on cores, too.
  DeviceKind gpu = DeviceKind::cuda;
  /// Makes what a GPU runs of what a core runs; null: it is the same.
  Kernel (*on_gpu)(Kernel) = nullptr;

  [[nodiscard]] Kernel kernel_for_gpu(Kernel kernel) const {
    return on_gpu == nullptr ? kernel : on_gpu(std::move(kernel));
  }
};
inline constexpr int kTimedKernels = 4;

/// What a program may contain. Everything else is drawn from the seed.
struct ProgramOptions {
  std::uint64_t seed = 1;
  /// Threads that submit at the same time.
  int submitters = 1;
  /// Operations of each submitter.
  int operations = 40;
  /// Some kernels throw, some tasks are cancelled.
  bool faults = false;
  /// Another thread cancels some tasks meanwhile, whatever has become of them.
  bool canceller = false;
  /// Some kernels submit further tasks.
  bool nested = false;
  /// Submitters wait for tasks and handles, partition, register and release in between. A program without waits
  /// fills the window.
  bool waits = true;
  /// Handles are divided into parts.
  bool parts = true;
  /// Rows of matrices are multiplied by it.
  int scale = 1;
  /// How kernels are implemented; see `Devices`.
  Devices devices = {};
  /// Workers die while the program runs: tasks may fail for it. One submitter only.
  bool losses = false;
  /// Devices fail (see `platform::FaultOptions`): any task may fail for it, and any data be out of reach at the end, as
  /// long as that is reported.
  bool device_faults = false;
  /// Kernels are those of `service_codelets`.
  bool on_service = false;
  /// Called before each operation of the first submitter.
  std::function<void()> between = nullptr;
};

/// A rectangle of a root matrix: what one handle stands for.
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
  /// The codelet names the modes, or each access does.
  bool variadic = false;
  /// Rounds of a spin loop.
  std::uint32_t duration = 0;
  /// Tasks that its kernel submits, and tasks that it comes after: indices of tasks.
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
    /// Reads region `index` while it holds it.
    read_host,
    /// Modifies a region as the host does: task `index` stands for it.
    modify_host,
    cancel_task,
    register_root,
    release_root,
  };
  Kind kind = Kind::submit;
  int index = 0;
  std::vector<int> parts = {};
};

/// The plan of a program: plain data, the same for the same options.
struct RandomProgram {
  /// By root: the region of the whole matrix has the same index. Column-major with gaps.
  std::vector<Region> regions;
  int roots = 0;
  /// Whether a region may be used in mode reduce.
  std::vector<bool> reducible;
  std::vector<PlannedTask> tasks;
  /// Before the submitters start.
  std::vector<Operation> prologue;
  /// By submitter.
  std::vector<std::vector<Operation>> operations;
};

[[nodiscard]] RandomProgram make_program(const ProgramOptions& options);

/// What became of one planned task.
struct TaskLog {
  Future future;
  std::atomic<int> runs{0};
  std::atomic<int> callbacks{0};
  /// Of a clock that all tasks share: `start` < `end`, no two alike.
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  /// A hash of what it read.
  std::uint64_t input = 0;
  /// Of a task made of pieces, those that have run.
  std::atomic<std::uint32_t> pieces{0};
  /// The host's accesses have no task: they come after this id, and may be refused.
  std::uint64_t host_after = 0;
  bool by_host = false;
  bool host_done = false;
  std::atomic<bool> cancel_requested{false};
  /// Not submitted, as the parts that it uses could not be made.
  bool skipped = false;
};

/// What a submitter has seen in a region when its tasks up to a number had to have their effect there, and others could
/// not: after a wait, while it held the region, after its release.
struct HostLook {
  int region = 0;
  std::uint64_t after = 0;
  /// Of the clock of `TaskLog`.
  std::uint64_t at = 0;
  std::uint64_t seen = 0;
  const char* when = "";
};

/// What a kernel of a task is like where devices are mixed.
struct PlannedKernel {
  bool on_cores = true;
  bool on_gpus = false;
  /// Less than `kTimedKernels`.
  int timed_as = 0;
  /// Cores take so many of its pieces at a time; 0: they run it whole.
  std::uint32_t grain = 0;
};
[[nodiscard]] PlannedKernel planned_kernel(const RandomProgram& program, const PlannedTask& task,
                                           const Devices& devices);
/// Of a task that cores run in pieces, how many there are: none only where it changes nothing.
[[nodiscard]] std::uint32_t planned_pieces(const PlannedTask& task);
[[nodiscard]] std::string timed_kernel_name(int kernel);

/// Those that a service must know for programs with `on_service`, which run in its process.
[[nodiscard]] std::vector<Codelet> service_codelets(DeviceKind gpu);

/// What became of the tasks of a program, by index.
struct RanProgram {
  /// In the order in which they ran.
  std::vector<int> order;
  /// Invalid where it was not submitted, as its parent did not run.
  std::vector<TaskId> ids;
  std::vector<TaskStatus> status;
  /// The floating-point operations that its codelet counts.
  std::vector<double> flops;
  /// Matrices that there are at the end, and those of them whose content was reported to be lost.
  int roots = 0;
  int lost_roots = 0;
};

/// Whether a matrix lies in memory that the submitters see only while they hold it.
[[nodiscard]] inline bool is_hidden(int root) { return root % 4 == 3; }

/// Runs the program of `options` on an idle graph, which must have as many workers as it takes to make progress, and
/// checks it: each task ran exactly once and after its predecessors, what conflicts did not overlap, tasks that did
/// not succeed had a reason, and the data are those of running all tasks in the order of submission, whenever the
/// program may look at them. Returns what was wrong, a line each; nothing if all is well. `ran`: if given, receives
/// what became of the tasks.
std::vector<std::string> run_program(graph::TaskGraph& graph, const ProgramOptions& options, RanProgram* ran = nullptr);
std::vector<std::string> run_program(ProgramPlace& place, const ProgramOptions& options, RanProgram* ran = nullptr);

}  // namespace troupe::tests
