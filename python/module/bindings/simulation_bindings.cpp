// The functions in C++ that python/troupe/simulation.py uses: graphs in virtual time, and the results of their runs.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/options/option_table.hpp"
#include "proto/edit_distance.hpp"
#include "python/module/bindings/bindings.hpp"
#include "python/module/bindings/trace_object.hpp"
#include "python/module/errors.hpp"
#include "python/module/gil.hpp"
#include "python/module/option_table.hpp"
#include "python/module/simulated_graph.hpp"
#include "troupe/machine.hpp"
#include "troupe/simulation_options.hpp"

namespace py = pybind11;

namespace troupe::python {

namespace {

using platform::MachineDescription;

/// The options of a run.
struct SimulatedRun {
  SimulationOptions simulation;
  RuntimeOptions runtime;
};

/// Returns the numbers of the GPUs to use. `value` is a count or a list of numbers.
std::vector<int> gpus_of(py::handle value) {
  std::vector<int> gpus;
  if (PyIndex_Check(value.ptr()) != 0) {
    const int count = integer<int>(value);
    if (count < 0) wrong_value("how many GPUs, or a list of their numbers");
    constexpr int kMost = 4096;
    if (count > kMost) wrong_value(fmt::format("'{}' is too large: no machine has more than {}", count, kMost).c_str());
    gpus.resize(static_cast<std::size_t>(count));
    std::iota(gpus.begin(), gpus.end(), 0);
    return gpus;
  }
  if (py::isinstance<py::str>(value) || !py::isinstance<py::iterable>(value)) wrong_type();
  for (const py::handle gpu : value) gpus.push_back(integer<int>(gpu));
  return gpus;
}

/// Options of a runtime that a run in virtual time has, too, and that are in no table of simulations.
constexpr std::array<std::string_view, 2> kOfRuntimes{"policy", "eviction"};

/// The option `gpus`. Its value is a number or a list; all other options have values that can be texts.
constexpr Option<SimulatedRun> kGpus{"gpus", "int or a list of int",
                                     "how many GPUs are used, or their numbers in the description; default: none",
                                     [](SimulatedRun& r, py::handle v) { r.simulation.gpus = gpus_of(v); }};

std::vector<std::string> option_names() {
  std::vector<std::string> names{kGpus.name};
  for (const SimulationOption& option : simulation_options()) names.emplace_back(option.word);
  names.insert(names.end(), kOfRuntimes.begin(), kOfRuntimes.end());
  return names;
}

/// Returns the text about all options that Simulation's help shows.
std::string option_text() {
  std::string text = line_about(kGpus);
  for (const SimulationOption& option : simulation_options()) text += line_about(option);
  for (const std::string_view name : kOfRuntimes) text += line_about(*option_of(name));
  return text;
}

std::unique_ptr<SimulatedRun> run_with(const py::kwargs& keywords) {
  auto run = std::make_unique<SimulatedRun>();
  for (const auto& [key, value] : keywords) {
    const std::string name = py::str(key);
    if (name == kGpus.name) {
      set_option(kGpus, "Simulation", *run, value);
    } else if (const SimulationOption* const option = simulation_option_of(name)) {
      set_option(*option, "Simulation", run->simulation, value);
    } else if (std::ranges::find(kOfRuntimes, name) != kOfRuntimes.end()) {
      set_option(*option_of(name), "Simulation", run->runtime, value);
    } else {
      throw py::type_error(fmt::format("Simulation has no option '{}'{}; it has {}", name,
                                       did_you_mean(name, option_names()), fmt::join(option_names(), ", ")));
    }
  }
  return run;
}

RuntimeOptions options_of(const SimulatedRun& run, const MachineDescription& machine) {
  RuntimeOptions options = run.runtime;
  auto simulation = std::make_shared<SimulationOptions>(run.simulation);
  simulation->machine = machine;
  options.seed = simulation->seed;
  // With only one memory there is nothing to fetch ahead: a core that took tasks in advance would only withhold them
  // from other cores.
  if (simulation->gpus.empty()) simulation->accelerators.ahead.core = 0;
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
  py::class_<SimulatedRun>(module, "Options", "Options of a run; None: the default.")
      .def(py::init(&run_with))
      .def_property_readonly(
          "gpus", [](const SimulatedRun& run) { return run.simulation.gpus.size(); }, "How many are used.")
      .def_property_readonly(
          "policy", [](const SimulatedRun& run) { return run.runtime.policy; }, "Where tasks run.");
  module.attr("option_names") = py::tuple(py::cast(option_names()));
  module.attr("option_text") = option_text();
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
          [](SimulatedGraph& graph, std::uint32_t kernel, const std::vector<std::uint32_t>& data, py::handle priority,
             std::string name) {
            graph.add_task(kernel, data, named("priority", "int", priority, [&] { return integer<int>(priority); }),
                           std::move(name));
          },
          py::arg("kernel"), py::arg("data"), py::arg("priority"), py::arg("name"), "A task on these data.")
      .def("add_wait", &SimulatedGraph::add_wait, "The program waits here for all tasks.")
      .def("__len__", &SimulatedGraph::tasks)
      .def(
          "run",
          [](const SimulatedGraph& graph, const std::shared_ptr<MachineDescription>& machine, const SimulatedRun& run) {
            const RuntimeOptions options = options_of(run, *machine);
            const WithoutGil others;
            return std::make_shared<SimulatedOutcome>(graph.run(options));
          },
          py::arg("machine"), py::arg("options"), "Runs all of it in virtual time.");
}

}  // namespace troupe::python
