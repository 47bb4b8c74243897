// What python/troupe/simulation.py stands on: graphs in virtual time, and what came of their runs.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/described/machine_description.hpp"
#include "python/module/bindings/bindings.hpp"
#include "python/module/bindings/trace_object.hpp"
#include "python/module/simulated_graph.hpp"

namespace py = pybind11;

namespace troupe::python {

namespace {

using platform::MachineDescription;

/// As `SimulationOptions` and `RuntimeOptions` have them.
struct SimulatedMachine {
  std::shared_ptr<const MachineDescription> machine;
  std::vector<int> gpus;
  int cores = 0;
  std::string clusters;
  std::string policy;
  bool noise = false;
  std::uint64_t seed = 1;
  double memory_share = 1;
  std::optional<std::uint64_t> gpu_memory;
  bool peer_copies = true;
  std::string eviction;
  std::string model;
};

RuntimeOptions options_of(const SimulatedMachine& of) {
  auto simulation = std::make_shared<SimulationOptions>();
  simulation->machine = *of.machine;
  simulation->gpus = of.gpus;
  simulation->cores = of.cores;
  simulation->clusters = of.clusters;
  simulation->noise = of.noise;
  simulation->seed = of.seed;
  simulation->memory_share = of.memory_share;
  if (of.gpu_memory) simulation->gpu_memory = Bytes{*of.gpu_memory};
  simulation->peer_copies = of.peer_copies;
  // Where there is but one memory, a task that a core has in hand for later only keeps it from others.
  if (of.gpus.empty()) simulation->core_lookahead = 0;
  simulation->model = of.model == "learned" ? SimulationOptions::Model::learned : SimulationOptions::Model::exact;
  RuntimeOptions options;
  options.policy = of.policy;
  options.eviction = of.eviction;
  options.seed = of.seed;
  options.simulation = std::move(simulation);
  return options;
}

AccessMode simulated_mode(const std::string& text) {
  for (const AccessMode mode :
       {AccessMode::read, AccessMode::write, AccessMode::read_write, AccessMode::commute, AccessMode::reduce}) {
    if (text == to_string(mode)) return mode;
  }
  throw Error(ErrorCode::invalid_argument, "'" + text + "' is not an access mode");
}

}  // namespace

void bind_simulation(py::module_& whole) {
  py::module_ module = whole.def_submodule("_simulation", "Graphs in virtual time, behind troupe.simulation.");
  module.def("machines", &platform::known_machines, "The names of the machines that come with Troupe.");
  py::class_<MachineDescription, std::shared_ptr<MachineDescription>>(module, "Machine", "A described machine.")
      .def(py::init([](const std::string& name) {
             return std::make_shared<MachineDescription>(platform::load_machine(name).value_or_throw());
           }),
           "One that comes with Troupe, by its name, or one from a file.", py::arg("name_or_path"))
      .def_readonly("name", &MachineDescription::name, "What reports call it.")
      .def_readonly("cores", &MachineDescription::cores, "The number of its cores.")
      .def_property_readonly(
          "gpus", [](const MachineDescription& machine) { return machine.gpus.size(); }, "The number of its GPUs.");
  py::class_<SimulatedOutcome, std::shared_ptr<SimulatedOutcome>>(module, "Outcome", "What came of one run.")
      .def_readonly("makespan", &SimulatedOutcome::makespan_s, "Seconds of virtual time.")
      .def(
          "report", [](const SimulatedOutcome& run) { return report_as_dict(run.report); }, "What was done and copied.")
      .def(
          "trace",
          [](const SimulatedOutcome& run, std::string title) {
            return std::make_unique<TraceObject>(TraceObject{run.trace, run.report, std::move(title)});
          },
          "Who ran what when.", py::arg("title"));
  py::class_<SimulatedGraph>(module, "Graph", "Tasks with their data and times.")
      .def(py::init<>())
      .def("add_data", &SimulatedGraph::add_data, py::arg("rows"), py::arg("cols"), py::arg("element_bytes"),
           py::arg("name"), "Data of so many elements; its number.")
      .def(
          "add_kernel",
          [](SimulatedGraph& graph, std::string name, const std::vector<std::string>& modes,
             std::optional<double> core_s, std::optional<double> gpu_s, double deviation, std::string timed_as,
             double flops) {
            SimulatedKernel kernel{std::move(name), {}, core_s, gpu_s, deviation, std::move(timed_as), flops};
            for (const std::string& mode : modes) kernel.modes.push_back(simulated_mode(mode));
            return graph.add_kernel(std::move(kernel));
          },
          py::arg("name"), py::arg("modes"), py::arg("core_s"), py::arg("gpu_s"), py::arg("deviation"),
          py::arg("timed_as"), py::arg("flops"), "A kernel with its times; its number.")
      .def(
          "add_task",
          [](SimulatedGraph& graph, std::uint32_t kernel, const std::vector<std::uint32_t>& data, int priority,
             std::string name) { graph.add_task(kernel, data, priority, std::move(name)); },
          py::arg("kernel"), py::arg("data"), py::arg("priority"), py::arg("name"), "A task on these data.")
      .def("add_wait", &SimulatedGraph::add_wait, "The program waits here for all tasks.")
      .def("__len__", &SimulatedGraph::tasks)
      .def(
          "run",
          [](const SimulatedGraph& graph, std::shared_ptr<const MachineDescription> machine, std::vector<int> gpus,
             int cores, std::string clusters, std::string policy, bool noise, std::uint64_t seed, double memory_share,
             std::optional<std::uint64_t> gpu_memory, bool peer_copies, std::string eviction, std::string model) {
            const SimulatedMachine on{
                std::move(machine), std::move(gpus), cores,       std::move(clusters), std::move(policy), noise, seed,
                memory_share,       gpu_memory,      peer_copies, std::move(eviction), std::move(model)};
            const py::gil_scoped_release others;
            return std::make_shared<SimulatedOutcome>(graph.run(options_of(on)));
          },
          py::arg("machine"), py::arg("gpus"), py::arg("cores"), py::arg("clusters"), py::arg("policy"),
          py::arg("noise"), py::arg("seed"), py::arg("memory_share"), py::arg("gpu_memory"), py::arg("peer_copies"),
          py::arg("eviction"), py::arg("model"), "Runs all of it in virtual time.");
}

}  // namespace troupe::python
