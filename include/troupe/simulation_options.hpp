/// Simulation options: a run on a described machine in virtual time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "troupe/devices.hpp"
#include "troupe/emulation_options.hpp"
#include "troupe/layout.hpp"
#include "troupe/machine.hpp"
#include "troupe/units.hpp"

namespace troupe {

/// The properties that the time of a task may depend on. Tasks of one codelet on data of equal shapes count as alike,
/// unless they differ in operations (`Codelet::flops`) or in `Codelet::footprint`. A function in `TaskTime` is called
/// only once for all tasks that are alike.
struct TimedTask {
  /// The number of floating-point operations, as the codelet counts them; 0 if the codelet does not count.
  double flops = 0;
  /// The shapes of the task's data, in the order of the handles.
  std::span<const Layout> data;
  /// The number of cores of the worker on which the task would run: more than one on a cluster
  /// (`CodeletTimes::most_cores`).
  int cores = 1;
  /// The number of the GPU in the machine's description; -1 on cores.
  int gpu = -1;
};

/// The time of a codelet's tasks on one kind of device: a fixed time, or a function of the task. Empty: tasks do not
/// run on this kind of device.
class TaskTime {
 public:
  TaskTime() = default;
  template <class Rep, class Period>
  TaskTime(std::chrono::duration<Rep, Period> time)  // NOLINT: a time is one
      : of_([time = std::chrono::duration_cast<Duration>(time)](const TimedTask&) { return time; }) {}
  /// Makes a time from a function of the task. The function must return the same time for equal tasks. If it throws,
  /// the task fails.
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<Duration, F, const TimedTask&>>>
  TaskTime(F function) : of_(std::move(function)) {}  // NOLINT

  explicit operator bool() const { return static_cast<bool>(of_); }
  [[nodiscard]] Duration operator()(const TimedTask& task) const { return of_(task); }

 private:
  std::function<Duration(const TimedTask&)> of_;
};

/// The times of one codelet on each kind of device.
struct CodeletTimes {
  TaskTime core = {};
  /// The time on every GPU. A function may return different times for different GPUs (`TimedTask::gpu`).
  TaskTime gpu = {};
  /// The standard deviation divided by the mean. With `SimulationOptions::noise`, times vary with this deviation.
  double deviation = 0;
  /// The number of cores of a cluster that one task can make use of. A function in `core` gets the number of cores in
  /// `TimedTask::cores`.
  int most_cores = 1;
};

/// The times of each codelet, by the name given to `Codelet::timed_as`, or else by the codelet's own name.
using TimesOfCodelets = std::unordered_map<std::string, CodeletTimes>;

using platform::load_machine;
using platform::plain_machine;

/// The GPUs of a described machine, besides its description.
struct SimulatedAccelerators {
  /// The fraction of each GPU's memory that data may use.
  double memory_fraction = 1;
  /// Replaces the description's memory size, for all GPUs.
  std::optional<Bytes> gpu_memory = std::nullopt;
  LookaheadOptions ahead{.gpu = 2};  ///< A simulated GPU looks two tasks ahead, a real GPU four.
  /// A time that is added to every kernel on a GPU.
  Duration kernel_overhead{};
  /// These replace the description's times of all GPUs: the time from the start of a task on an idle GPU to its
  /// kernel's begin, and the time from a kernel's end until the GPU's worker completes the task. A GPU that was given
  /// its next task in advance (`LookaheadOptions::issue`) loses neither time.
  std::optional<Duration> launch = std::nullopt;
  std::optional<Duration> notice = std::nullopt;
};

/// The way in which data move on a described machine.
struct SimulatedCopies {
  /// A time that is added to every copy.
  Duration overhead{};
  /// Copies wait for one another as in CUDA's streams (`platform::LinkNetwork::Queueing::streams`).
  bool streams = false;
  /// True: GPUs copy from one another. False: a copy from GPU to GPU becomes two copies, one to the host and then one
  /// to the other GPU; host memory does not keep the data.
  bool peer = true;
  /// Copies data to the host as soon as no task will write them any more.
  bool write_back_finished = false;
};

/// The times and priorities that placing policies know.
struct SimulatedKnowledge {
  /// The kernel times that placing policies assume.
  enum class Model {
    /// The mean times of the machine's description.
    exact,
    /// The times that policies measure during the run. Policies begin without times, so each kernel is tried a few
    /// times on each kind of device. No times are read from disk or written to disk.
    learned,
  };
  Model model = Model::exact;
  /// Bounds f of errors in what policies assume, with either model: an assumed value is the right one times a factor
  /// drawn from [1/f, f]. `kernel_error` bounds the factors of times, one per kernel and kind of device;
  /// `bandwidth_error` those of bandwidths, one per pair of memory nodes. f is at least 1; with 1 the assumptions are
  /// right.
  double kernel_error = 1;
  double bandwidth_error = 1;
  /// True: tasks have the priorities that they are submitted with. False: all priorities are equal.
  bool priorities = true;
};

[[nodiscard]] constexpr const char* to_string(SimulatedKnowledge::Model model) {
  return model == SimulatedKnowledge::Model::learned ? "learned" : "exact";
}

/// The faults of GPUs, and the order of messages.
struct SimulatedDisturbances {
  /// The faults of every GPU; each GPU has a seed of its own that is computed from the given seed. A copy fails at its
  /// end. A kernel also fails at its end, before it is executed; so a GPU can be lost only at the end of a kernel.
  platform::FaultOptions faults = {};
  /// True: messages are handled in an order drawn from the seed. False: each message is handled as soon as it comes.
  bool shuffle_messages = false;
};

/// The options of a run on a described machine. Kernels and copies take the times of the description, as events of a
/// virtual clock. Everything else (the graph, scheduler, memory manager, workers and their messages) is as in a real
/// run, takes no time, and runs in the thread that waits. Equal options and programs give equal runs.
struct SimulationOptions {
  using Model = SimulatedKnowledge::Model;

  platform::MachineDescription machine;
  /// Times by codelet, which replace the times in the machine's description. Without `real_buffers`, a codelet needs no
  /// implementation for a kind of device for which it has a time here. A codelet without any implementation runs on the
  /// kinds of device for which it has times.
  TimesOfCodelets times = {};
  /// The GPUs to use, by their number in the description.
  std::vector<int> gpus = {};
  /// The number of cores that run tasks. 0: all cores of the machine, minus one per GPU, which drives the GPU.
  int cores = 0;
  /// The clusters of the simulated cores, see `RuntimeOptions::clusters`.
  std::string clusters = {};
  /// The seed of the noise and of all other random choices.
  std::uint64_t seed = 1;
  /// True: kernel times vary by the description's deviations (log-normal). False: each kernel takes its mean time.
  bool noise = false;
  /// True: kernels and copies are really executed, each at its virtual end, which needs memory for all memory nodes.
  /// False: data need no memory.
  bool real_buffers = false;
  SimulatedAccelerators accelerators = {};
  SimulatedCopies copies = {};
  SimulatedKnowledge knowledge = {};
  SimulatedDisturbances disturbances = {};
};

}  // namespace troupe
