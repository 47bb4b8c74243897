/// A machine in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/simulating/codelet_times.hpp"
#include "platform/accelerators/fault_plan.hpp"
#include "platform/described/machine_description.hpp"
#include "platform/described/plain_machine.hpp"
#include "proto/units.hpp"

namespace troupe {

using platform::load_machine;
using platform::plain_machine;

/// How a run on a described machine goes. Kernels and copies take the times that the description says, as events of a
/// virtual clock; everything else (the graph, scheduler, memory manager, workers and their messages) is as in a real
/// run, takes no time, and runs in the thread that waits. Equal options and programs give equal runs.
struct SimulationOptions {
  platform::MachineDescription machine;
  /// How long tasks of these codelets take, whatever the description says of them. Without real buffers a codelet needs
  /// no implementation for a kind of device that it has a time for here; one without any runs where there are times.
  TimesOfCodelets times = {};
  /// The GPUs to use, by their number in the description.
  std::vector<int> gpus = {};
  /// Cores that run tasks. 0: all of the machine, less one for each GPU, which drives it.
  int cores = 0;
  /// Which of them work together, as `RuntimeOptions::clusters`.
  std::string clusters = {};

  /// Kernel times vary as the description's deviations say (log-normal); else each takes its mean.
  bool noise = false;
  /// Of the noise and of whatever else is drawn.
  std::uint64_t seed = 1;

  /// Part of each GPU's memory that data may use.
  double memory_share = 1;
  /// In place of the description's memory size, for all GPUs.
  std::optional<Bytes> gpu_memory = std::nullopt;
  /// Tasks whose data a GPU fetches while a kernel runs; and a core. More hides more latency and decides earlier.
  std::size_t gpu_lookahead = 2;
  std::size_t core_lookahead = 1;
  /// Added to every kernel on a GPU, and to every copy.
  Duration kernel_overhead{};
  Duration copy_overhead{};
  /// Copies wait for one another as in CUDA's streams (`platform::LinkNetwork::Queueing::streams`).
  bool copy_streams = false;
  /// GPUs copy from one another. Else such a copy is two, to the host and from there to the other GPU, one after the
  /// other; host memory keeps nothing of it.
  bool peer_copies = true;
  /// In place of what the description says of all GPUs: from the start of a task on an idle GPU to its kernel's begin,
  /// and from a kernel's end to the GPU's worker completing the task. `RuntimeOptions::issue_ahead` hides them.
  std::optional<Duration> launch = std::nullopt;
  std::optional<Duration> notice = std::nullopt;
  /// As `RuntimeOptions::issue_ahead`.
  std::size_t issue_ahead = 8;
  /// Copies data that no task writes any more to the host at once.
  bool write_back_finished = false;
  /// Tasks have the priorities that they are submitted with; else all are equal.
  bool priorities = true;

  /// What placing policies believe.
  enum class Model {
    /// The description's means.
    exact,
    /// What was measured during the run, beginning with nothing: each kernel is tried a few times on each kind of
    /// device. Nothing is read from disk or kept there.
    learned,
  };
  Model model = Model::exact;
  /// Believed kernel times and bandwidths are off by factors drawn from [1/f, f], one for each kernel and kind of
  /// device and one for each pair of memory nodes, whichever the model. At least 1; 1: they are right.
  double kernel_error = 1;
  double bandwidth_error = 1;

  /// Kernels and copies are executed, at their virtual end. Needs memory for all nodes; without, data need no memory.
  bool real_buffers = false;
  /// What goes wrong on every GPU, with seeds of their own that follow the one given. A copy fails at its end, and a
  /// kernel, too, before it is executed; so a GPU is lost at the end of a kernel.
  platform::FaultOptions faults = {};
  /// Messages are handled in an order drawn from the seed; else each as soon as it comes.
  bool shuffle_messages = false;
};

}  // namespace troupe
