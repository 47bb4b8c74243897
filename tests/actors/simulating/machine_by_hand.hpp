/// A described machine with simple numbers, so that all times can be calculated by hand.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/actors/runtime_fixture.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors::by_hand {

using std::chrono::microseconds;
using tests::TestRuntime;

inline constexpr std::size_t kElements = 1000;
using Values = std::vector<double>;

/// Copying 8000 bytes takes 10 us of latency and 8 us at 1000 MB/s. From GPU to GPU it takes half as long. The kernel
/// takes 100 us on a core and 10 us on a GPU.
inline constexpr microseconds kCopy(18);
inline constexpr microseconds kPeerCopy(9);
inline constexpr microseconds kOnGpu(10);
inline constexpr microseconds kOnCore(100);

inline platform::MachineDescription machine(std::size_t gpus, double deviation = 0) {
  platform::MachineDescription machine;
  machine.name = "by hand";
  machine.cores = 4;
  machine.sockets = 1;
  const std::size_t nodes = gpus + 1;
  machine.routes.resize(nodes * nodes);
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const bool peers = from != 0 && to != 0;
      machine.links.push_back({"link " + std::to_string(machine.links.size()), peers ? 2000.0 : 1000.0, {}});
      machine.routes[from * nodes + to] = {{static_cast<std::uint32_t>(machine.links.size() - 1)},
                                           machine.links.back().bandwidth_mb_per_s,
                                           peers ? microseconds(5) : microseconds(10)};
    }
  }
  platform::TileTimes times{1000, 0, platform::KernelTime{100, 100 * deviation}, {}};
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    machine.gpus.push_back({"GPU", Bytes{std::uint64_t{1} << 20U}, {}});
    times.gpus.push_back({10, 10 * deviation});
  }
  machine.kernels.emplace_back("test", "kernel", "double", std::vector{times}, gpus);
  return machine;
}

inline SimulationOptions simulation(std::size_t gpus) {
  SimulationOptions options;
  options.machine = machine(gpus);
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) options.gpus.push_back(static_cast<int>(gpu));
  options.cores = 1;
  options.real_buffers = true;
  return options;
}

inline RuntimeOptions in_virtual_time(const SimulationOptions& simulation, std::string policy = "eager") {
  RuntimeOptions options;
  options.simulation = std::make_shared<const SimulationOptions>(simulation);
  options.policy = std::move(policy);
  options.trace = true;
  return options;
}

enum class Where { cores, gpus, both };

/// Returns a codelet that adds one to every element of the data that it may write.
inline Codelet add_one(std::vector<AccessMode> modes, Where where = Where::both) {
  const Kernel kernel = [modes](const KernelContext& context) {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (!writes(modes[i])) continue;
      const MatrixView<double> x = context.matrix<double>(i);
      for (std::int64_t col = 0; col < x.cols; ++col) {
        for (std::int64_t row = 0; row < x.rows; ++row) x(row, col) = (reads(modes[i]) ? x(row, col) : 0) + 1;
      }
    }
  };
  Codelet codelet("add one", modes);
  if (where != Where::gpus) codelet.implement(DeviceKind::cpu_core, kernel);
  if (where != Where::cores) codelet.implement(DeviceKind::cuda, kernel);
  return std::move(codelet).timed_as("test/kernel/double");
}
inline const std::vector<AccessMode> kRead{AccessMode::read};
inline const std::vector<AccessMode> kWrite{AccessMode::write};
inline const std::vector<AccessMode> kUpdate{AccessMode::read_write};

/// Registers data for which a wait for all tasks does not copy the results to host memory.
inline Handle registered(TestRuntime& runtime, Values& values, const std::string& name = "x") {
  const auto rows = static_cast<std::int64_t>(values.size());
  graph::DataDescription description{layout_of<double>(rows, 1, rows), reinterpret_cast<std::byte*>(values.data()),
                                     nullptr, name};
  description.hidden = true;
  return runtime->graph().register_data(std::move(description));
}

/// Acquires the data for the program and returns the first value.
inline double first_of(TestRuntime& runtime, const Handle& handle) {
  graph::Task* hold = runtime->graph().acquire(handle, AccessMode::read).value_or_throw();
  const double value = graph::TaskGraph::view_of(handle).as_matrix<double>()(0, 0);
  runtime->graph().give_back(hold);
  return value;
}

struct Span {
  Duration start{};
  Duration end{};
  WorkerId worker;
};
/// Returns the times and workers of tasks, in the order of their submission.
inline std::vector<Span> spans(const Trace& trace) {
  std::map<TaskId, Span> by_task;
  for (const TraceEvent& event : trace.events) by_task[event.task] = {event.start, event.end, event.worker};
  std::vector<Span> spans;
  for (const auto& [task, span] : by_task) spans.push_back(span);
  return spans;
}

inline void check_span(const Span& span, Duration start, Duration end) {
  BOOST_TEST(span.start.count() == start.count());
  BOOST_TEST(span.end.count() == end.count());
}

}  // namespace troupe::actors::by_hand
