/// Runtime options: the choices that are made when a runtime starts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices.hpp"
#include "troupe/units.hpp"
#include "troupe/why.hpp"

namespace troupe {

namespace graph {
class SubmissionObserver;
}
namespace memory {
class AccessObserver;
}
namespace scheduler {
class PlacingPolicy;
}
struct SimulationOptions;

/// The use of cores and threads by workers.
struct ThreadOptions {
  /// Binds each worker's thread to its core. Unbound threads move between cores and lose their caches.
  bool bind = true;
  /// Counts every hyperthread as a core, which makes dense linear algebra slower.
  bool hyperthreads = false;
  /// The processing units to use, such as "0-3,8"; if empty, all that this process may use.
  std::string cpus = {};
  /// Allows more workers than cores; their threads are then not bound. For tests.
  bool oversubscribe = false;
  /// The time that an idle worker looks for work before it sleeps. With a longer time, the worker notices new work
  /// faster, but uses more processor time. Below 0 is an error.
  Duration spin = std::chrono::microseconds(50);
  /// Allows changes of clusters while tasks run (`Runtime::regroup`). Every core then has a worker, even if this worker
  /// lends its thread to a cluster. `RuntimeOptions::clusters` is the grouping at the start.
  bool regroup = false;
  /// Runs everything, kernels too, in the thread that waits. This thread handles the messages of the runtime's actors
  /// one at a time, in an order drawn from `RuntimeOptions::seed`. Only one thread may submit and wait. For tests.
  bool deterministic = false;
  /// Lets several clients share the workers, each with a task graph of its own (`RuntimeSystem::open_graph`). For
  /// services; not for virtual time, and not with `deterministic`.
  bool shared = false;
  /// For tests. `synthetic_topology` is a machine, in hwloc's notation, that replaces the real one; `system_root` is
  /// the folder that replaces `/` when system files are read.
  std::string synthetic_topology = {};
  std::string system_root = {};
};

/// The options, besides the policy, that decide where tasks run, and which submitted kernels become tasks.
struct PlacementOptions {
  /// Names codelets, and the only devices that may run their tasks: "potrf,trsm:cores" (`parse_restrictions`).
  /// `TaskOptions::devices` can restrict a task further.
  std::string restrict = {};
  /// A function that makes a placing policy of the program's own, which replaces `policy`. It is called once, when the
  /// runtime starts. If it throws or returns null, `Runtime`'s constructor throws `invalid_argument` with a message
  /// that says so (docs/extending.md).
  std::function<std::unique_ptr<scheduler::PlacingPolicy>()> make_policy = nullptr;
  /// Placing policies learn on this machine how long kernels take. The learned times are kept in this folder, which is
  /// created if it does not exist. The folder has one file for each kind of machine; the file is read at the start and
  /// replaced at the end (docs/models.md). "default" is `default_model_folder()`. Empty or "none": every runtime begins
  /// without times, and tries each codelet a few times on each kind of device. Not used in virtual time or with
  /// `deterministic`.
  std::string models = {};
  /// A nested task that is known to take no longer than this, including the tasks inside it, submits no tasks: `submit`
  /// in its kernel calls the given kernel directly. A recursion then costs little below this time. The times are
  /// learned while the program runs, by codelet, arguments and size of the data. Tasks with weak data always submit
  /// tasks. Times are not learned in a runtime with accelerators, in virtual time, with `deterministic`, on a service,
  /// and for kernels for teams. A kernel must not wait for something that its parent does later. Zero: all nested tasks
  /// submit tasks.
  Duration cutoff{};
};

/// The options to observe a runtime: its trace, and functions and objects of the program that the runtime calls.
struct ObservationOptions {
  /// The number of entries that are kept until the trace is taken. Further entries are only counted.
  std::size_t trace_limit = 4'000'000;
  /// If tasks are in flight and none has started or ended for this time, `on_stall` is called with the reason
  /// (`Runtime::why`), and again at growing intervals as long as the stall lasts. 0: never, and no thread watches. A
  /// kernel that takes longer while nothing else can run counts as a stall. Below 0 is an error.
  Duration why_after{};
  /// The runtime calls this function in a separate thread. The function may use the runtime but must not wait for
  /// tasks. Its exceptions are dropped.
  std::function<void(const WhyReport&)> on_stall = nullptr;
  /// Called for problems that do not stop the run: a file of kernel times that is damaged or cannot be written;
  /// clusters that span caches or NUMA nodes; failures that no wait has reported. Called in the thread that starts or
  /// ends the runtime; its exceptions are dropped. Null: warnings about environment variables and unreported failures
  /// go to standard error, and other problems are not reported.
  std::function<void(const std::string&)> on_warning = nullptr;
  /// For tools that examine the whole graph: the observer gets every submitted task, with its codelet and data, before
  /// the task may run (graph/submission_observer.hpp). It is called while the submitting thread holds the graph's lock,
  /// so it must be fast and must not use the runtime. Null: no observer.
  std::shared_ptr<graph::SubmissionObserver> observer = nullptr;
  /// For tools: the memory manager reports to this observer which memory node uses which data
  /// (actors/memory/memory_options.hpp). Null: no observer.
  std::shared_ptr<memory::AccessObserver> access_observer = nullptr;
};

/// The options of a runtime. Every field may keep its default.
struct RuntimeOptions {
  /// The number of cores to use; 0: all that this process may use (cpuset, affinity mask, control groups). Asking for
  /// more is an error that names the limit.
  int cores = 0;
  /// The clusters of cores, each of which is one worker: "2x10", "1x16+4x1", "socket", "numa" or "l3"
  /// (docs/clusters.md). Each core that is left over is a worker of its own; with "single" and with an empty text,
  /// every core is a worker of its own. Clusters can change while tasks run: "2x10,1500:single" changes when 1500 tasks
  /// have ended. "auto" chooses the clusters that suit the remaining work. "auto" needs a placing policy, which the
  /// policy "default" then is, and does not work with `deterministic`.
  std::string clusters = {};
  /// The number of CUDA GPUs to use. The runtime uses the first GPUs that this process may use. A number larger than
  /// the number of these GPUs is an error.
  int gpus = 0;
  /// The scheduling policy, which decides where tasks run: a name, and options behind a colon (docs/policies.md).
  std::string policy = "default";
  /// The number of tasks that may be in flight before `submit` blocks. With a larger window, policies see further
  /// ahead; each task in flight takes about 250 bytes. Submissions from kernels and callbacks never block.
  std::size_t window = 65536;
  /// The seed of the random choices of policies.
  std::uint64_t seed = 1;
  /// Records every task's time, the tasks that it waited for, and the states of workers between tasks
  /// (`Runtime::take_trace`): about 0.1 us per task and 16 to 64 bytes per entry, with one entry per task and one per
  /// dependency.
  bool trace = false;
  /// Runs in virtual time on a described machine instead of this one. Options that `SimulationOptions` has, too, such
  /// as `cores`, are refused then, apart from `seed`; `bind` and other options for real cores have no effect. Only one
  /// thread may submit and wait.
  std::shared_ptr<const SimulationOptions> simulation = nullptr;
  ThreadOptions threads = {};
  PlacementOptions placement = {};
  AcceleratorOptions accelerators = {};
  ObservationOptions observation = {};
};

}  // namespace troupe
