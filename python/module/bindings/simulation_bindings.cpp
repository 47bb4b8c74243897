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

#include "actors/options/option_rows.hpp"
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

namespace troupe {

/// This function is in the namespace of its argument's type, so that rows of options find it.
static const char* to_string(SimulatedKnowledge::Model model) {
  return model == SimulatedKnowledge::Model::learned ? "learned" : "exact";
}

}  // namespace troupe

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
    if (count > 4096) wrong_value("no machine has so many");
    gpus.resize(static_cast<std::size_t>(count));
    std::iota(gpus.begin(), gpus.end(), 0);
    return gpus;
  }
  if (py::isinstance<py::str>(value) || !py::isinstance<py::iterable>(value)) wrong_type();
  for (const py::handle gpu : value) gpus.push_back(integer<int>(gpu));
  return gpus;
}

/// The names of all options, in the order of the manual. Names that are in no table below are options of a runtime;
/// `options_of` moves those options that describe the machine to the simulation.
constexpr std::array<std::string_view, 11> kNames{"gpus", "cores",           "clusters",   "policy",      "noise",
                                                  "seed", "memory_fraction", "gpu_memory", "peer_copies", "eviction",
                                                  "model"};

/// The options that runtimes do not have, in a table of the same kind.
constexpr std::array kOwn{
    option_rows::flag<&SimulatedRun::simulation, &SimulationOptions::noise>(
        {.word = "noise", .meaning = "times vary by the deviations of the codelets and of the description"}),
    option_rows::number<&SimulatedRun::simulation, &SimulationOptions::accelerators,
                        &SimulatedAccelerators::memory_fraction>(
        {.word = "memory_fraction", .meaning = "how much of each GPU's memory data may use"}, 1e-6, 1),
    option_rows::flag<&SimulatedRun::simulation, &SimulationOptions::copies, &SimulatedCopies::peer>(
        {.word = "peer_copies", .meaning = "GPUs copy directly from one another"}),
    option_rows::word<&SimulatedRun::simulation, &SimulationOptions::knowledge, &SimulatedKnowledge::model>(
        {.word = "model", .meaning = "what policies know of times: the means, or what they learn during the run"},
        "exact learned"),
};

/// The option `gpus`. Its value is a number or a list; the options in the table above have values that can be texts.
constexpr Option<SimulatedRun> kGpus{"gpus", "int or a list of int",
                                     "how many GPUs are used, or their numbers in the description; default: none",
                                     [](SimulatedRun& r, py::handle v) { r.simulation.gpus = gpus_of(v); }};

/// The lines about options of a runtime that mean something else here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherMeanings{{
    {"cores", "cores that run tasks; 0: all but those that drive GPUs"},
    {"clusters", "cores that work together, each cluster as one worker, such as 2x10; default: every core is a worker"},
    {"gpu_memory", "each GPU's memory, such as 8GB; default: what the description says"},
}};

std::vector<std::string> option_names() { return {kNames.begin(), kNames.end()}; }

std::string line_about_option(std::string_view name) {
  const auto own = std::ranges::find(kOwn, name, &OptionOf<SimulatedRun>::word);
  if (own != kOwn.end()) return line_about(*own);
  if (name == kGpus.name) return line_about(kGpus);
  const RuntimeOption& option = *option_of(name);
  const auto other = std::ranges::find(kOtherMeanings, name, &std::pair<std::string_view, std::string_view>::first);
  if (other == kOtherMeanings.end()) return line_about(option);
  return fmt::format("{} ({}): {}\n", name, option.python_type(), other->second);
}

/// Returns the text about all options that Simulation's help shows.
std::string option_text() {
  std::string text;
  for (const std::string_view name : kNames) text += line_about_option(name);
  return text;
}

std::unique_ptr<SimulatedRun> run_with(const py::kwargs& keywords) {
  auto run = std::make_unique<SimulatedRun>();
  for (const auto& [key, value] : keywords) {
    const std::string name = py::str(key);
    const auto own = std::ranges::find(kOwn, name, &OptionOf<SimulatedRun>::word);
    if (name == kGpus.name) {
      set_option(kGpus, "Simulation", *run, value);
    } else if (own != kOwn.end()) {
      set_option(*own, "Simulation", *run, value);
    } else if (std::ranges::find(kNames, name) != kNames.end()) {
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
  simulation->cores = std::exchange(options.cores, 0);
  simulation->clusters = std::exchange(options.clusters, {});
  simulation->seed = options.seed;
  simulation->accelerators.gpu_memory = std::exchange(options.accelerators.gpu_memory, std::nullopt);
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
