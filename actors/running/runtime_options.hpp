/// What can be chosen when a runtime starts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/observation/why_report.hpp"
#include "actors/simulating/simulation_options.hpp"
#include "platform/accelerators/emulation_options.hpp"
#include "proto/units.hpp"

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
/// What a runtime is started with. Every field can be left as it is.
struct RuntimeOptions {
  /// Cores to use; 0: all that this process may use (cpuset, affinity mask, control groups). Asking for more is an
  /// error that names the limit.
  int cores = 0;
  /// Which cores work together, each such cluster as one worker: "2x10", "1x16+4x1", "socket", "numa" or "l3"
  /// (docs/clusters.md). Cores that are left over, and with "single" and an empty text all, are workers of their own.
  /// They can change while tasks run: "2x10,1500:single" when so many tasks have ended; "auto": as suits what is left
  /// to do, under a placing policy ("default" is one then) and not with `deterministic`.
  std::string clusters = {};
  /// Clusters can be changed while tasks run (`Runtime::regroup`). Every core has a worker then, also those that lend
  /// their threads to a cluster, and `clusters` is what they begin with.
  bool regroup = false;
  /// Where tasks run: a name, and options behind a colon (docs/policies.md).
  std::string policy = "default";
  /// Codelets whose tasks only some devices may run, besides what each task's options say: "potrf,trsm:cores"
  /// (`parse_restrictions`).
  std::string restrict = {};
  /// Makes a placing policy of the program's own, in place of `policy`: called once, when the runtime starts. Where it
  /// throws or returns null, `Runtime`'s constructor throws `invalid_argument`, which says so (docs/extending.md).
  std::function<std::unique_ptr<scheduler::PlacingPolicy>()> make_policy = nullptr;
  /// Placing policies learn on this machine how long kernels take. What they have learned is kept in this folder, which
  /// is made if need be: a file for each kind of machine, read at the start and replaced at the end (docs/models.md).
  /// "default" is `default_model_folder()`. Empty or "none": every runtime begins with nothing, and tries
  /// each codelet a few times on each kind of device. Not used in virtual time nor with `deterministic`.
  std::string model_folder = {};
  /// Told of what is wrong and keeps nothing from going on: kernel times that are damaged, or cannot be kept; clusters
  /// that span caches or NUMA nodes; failures that the program was never told of. Called in the thread that starts or
  /// ends the runtime; what it throws is dropped. Null: nobody is told, but for what concerns environment variables and
  /// those failures, which goes to standard error.
  std::function<void(const std::string&)> on_warning = nullptr;
  /// Tasks that may be in flight before `submit` blocks: more lets policies see further and costs about 250 bytes a
  /// task. Submissions from kernels and callbacks never block.
  std::size_t window = 65536;
  /// Bind each worker's thread to its core. Unbound threads move between cores and lose their caches.
  bool bind = true;
  /// Allow more workers than cores, unbound: for tests.
  bool oversubscribe = false;
  /// Every hyperthread is a core of its own. Dense linear algebra is slower with it.
  bool use_hyperthreads = false;
  /// Only these processing units: `0-3,8`; empty: all that are allowed.
  std::string restrict_to = {};
  /// How long an idle worker looks for work before it sleeps: longer reacts faster and burns more. Below 0 is an error.
  Duration spin = std::chrono::microseconds(50);
  /// Record every task's time, what tasks waited for, and what workers did between them (`Runtime::take_trace`): about
  /// 0.1 us a task and 16 to 56 bytes an entry, of which there are one a task and one a dependency.
  bool trace = false;
  /// While tasks are in flight and none has started or ended for so long, `on_stall` is told why (`Runtime::why`): once
  /// per stall, then at growing intervals. 0: never, and no thread watches. A kernel that takes longer while nothing
  /// else can run counts as a stall. Below 0 is an error.
  Duration why_after{};
  /// Called in a thread of its own; it may use the runtime but not wait for it. What it throws is dropped.
  std::function<void(const WhyReport&)> on_stall = nullptr;
  /// Entries that are kept until the trace is taken; what comes after is counted and lost.
  std::size_t trace_limit = 4'000'000;
  /// Seed of the random choices of policies.
  std::uint64_t seed = 1;
  /// Run everything in the thread that waits, one message at a time in an order drawn from `seed`: the same seed
  /// gives the same order. Only one thread may submit and wait. For tests; kernels do not run in parallel.
  bool deterministic = false;
  /// Emulated accelerators, each of which takes a core as long as there are more than one (docs/accelerators.md).
  std::vector<platform::EmulationOptions> emulated_gpus = {};
  /// CUDA GPUs: the first so many of those that this process may use. More than there are is an error.
  int gpus = 0;
  /// The most memory that data may take on each CUDA GPU; else nine tenths of what is free when the runtime starts, and
  /// not the last 512 MiB.
  std::optional<Bytes> gpu_memory = std::nullopt;
  /// OpenCL devices: "all", "gpu" or "cpu" (all of that sort), or numbers as `troupe info` lists them, "0,2". Empty:
  /// none. What is not there is an error that says what is. Each takes a core as long as there are more than one.
  std::string opencl = {};
  /// The most memory that data may take on each OpenCL device; else nine tenths of what it has, and of those that share
  /// the host's memory, together, at most half of what is available there when the runtime starts. Where it is given,
  /// all have memory of their own, which it limits: none works in place.
  std::optional<Bytes> opencl_memory = std::nullopt;
  /// OpenCL devices that share the host's memory work on copies, too. Else they work in place where a trial, once in a
  /// process, shows that they can: nothing is copied, and nothing limits what they use (`troupe info`).
  bool opencl_copies = false;
  /// In place work OpenCL devices on data without gaps between their columns that begin at a multiple of so many bytes;
  /// other data are copied for every task. 0: what the device wants for any type (CL_DEVICE_MEM_BASE_ADDR_ALIGN, often
  /// 128). Where kernels use no vector types, the size of an element will do.
  std::size_t opencl_alignment = 0;
  /// Tasks whose data an accelerator fetches while its kernels run, and a core beside accelerators: 0 to 1024.
  std::size_t gpu_lookahead = 4;
  std::size_t core_lookahead = 1;
  /// Tasks that an accelerator is given beyond those that it takes at a time, so that it goes on without the host:
  /// ready ones, and those that wait for nothing but what is on it already. Only as far as they are little work, at
  /// most four times what it takes the host to notice an end and launch a kernel (`DeviceTraits`). 0: none; up to 1024.
  std::size_t issue_ahead = 8;
  /// What leaves a full memory first: "next-use", "reuse" or "lru" (docs/eviction.md). Unknown names are an error.
  std::string eviction = "next-use";
  /// A file that says how often each handle is used, in the order of registration: the reuse index of handles where the
  /// program sets none. Where there is no such file this run counts, and leaves it behind. Empty: neither.
  std::string reuse_profile = {};
  /// Several clients share the workers, each with a graph of its own (`RuntimeSystem::open_graph`): for services. Not
  /// in virtual time nor with `deterministic`.
  bool shared = false;
  /// Hears from the memory manager who uses what where (actors/memory/memory_options.hpp): for tools. Null: nobody.
  std::shared_ptr<memory::AccessObserver> access_observer = nullptr;
  /// Run in virtual time on a described machine instead of this one; `cores`, `clusters`, `bind` and what else concerns
  /// real cores have no effect then. Only one thread may submit and wait.
  std::shared_ptr<const SimulationOptions> simulation = nullptr;
  /// Who is shown every task as it is submitted, with its codelet and data, before it may run
  /// (graph/submission_observer.hpp): for tools that look at the whole graph. Called while the submitting thread holds
  /// the graph's lock, so it must be short and not use the runtime. Null: nobody.
  std::shared_ptr<graph::SubmissionObserver> observer = nullptr;
  /// A machine to pretend, in hwloc's notation, and the folder that stands for `/`: for tests.
  std::string synthetic_topology = {};
  std::string system_root = {};
};

}  // namespace troupe
