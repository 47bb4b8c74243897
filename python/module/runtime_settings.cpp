#include "python/module/runtime_settings.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/accelerators/emulation_arguments.hpp"
#include "python/module/errors.hpp"
#include "python/module/gil.hpp"
#include "python/module/option_table.hpp"
#include "traces/files/trace_file.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

using Settings = RuntimeState::Settings;

/// Returns a function of Python that threads of the runtime may call.
std::shared_ptr<KeptObject> callable(py::handle value) {
  if (PyCallable_Check(value.ptr()) == 0) wrong_type();
  return std::make_shared<KeptObject>(py::reinterpret_borrow<py::object>(value));
}

void call(const KeptObject& function, const std::string& argument) {
  const WithGil lock;
  try {
    function.get()(argument);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable(py::reinterpret_borrow<py::object>(function.get()));
  }
}

void set_trace(Settings& settings, py::handle value) {
  if (is_boolean(value)) {
    settings.options.trace = flag(value);
    return;
  }
  settings.trace_file = path(value);
  if (const auto usable = traces::check_trace_path(settings.trace_file); !usable) wrong_value(usable.failure().message);
  settings.options.trace = true;
}

void set_emulated_gpus(Settings& settings, py::handle value) {
  if (py::isinstance<py::str>(value)) {
    auto parsed = platform::parse_emulated_gpus(text(value));
    if (!parsed) wrong_value(parsed.failure().message);
    settings.options.emulated_gpus = std::move(parsed).value();
  } else {
    settings.options.emulated_gpus.assign(integer<std::uint8_t>(value), {});
  }
}

const std::vector<Option<Settings>> kRuntimeOptions{
    {"cores", "int", "cores to use; 0: all that this process may use",
     [](Settings& s, py::handle v) { s.options.cores = integer<int>(v); }},
    {"policy", "str", "where tasks run: a name, and options behind a colon",
     [](Settings& s, py::handle v) { s.options.policy = text(v); }},
    {"trace", "bool or path", "record what runs when; with a path (.json, .paje) it is written when the runtime ends",
     &set_trace},
    {"gpus", "int", "CUDA GPUs to use", [](Settings& s, py::handle v) { s.options.gpus = integer<int>(v); }},
    {"clusters", "str", "which cores work together: '2x10', 'socket', 'auto' ...",
     [](Settings& s, py::handle v) { s.options.clusters = text(v); }},
    {"regroup", "bool", "clusters can be changed while tasks run",
     [](Settings& s, py::handle v) { s.options.regroup = flag(v); }},
    {"restrict", "str", "kernels that only some devices may run: 'potrf,trsm:cores'",
     [](Settings& s, py::handle v) { s.options.restrict = text(v); }},
    {"model_folder", "path", "where learned kernel times are kept; 'default': in the user's cache; 'none': nowhere",
     [](Settings& s, py::handle v) { s.options.model_folder = path(v); }},
    {"on_warning", "callable(str)", "told of what is wrong and keeps nothing from going on; default: warnings.warn",
     [](Settings& s, py::handle v) {
       s.options.on_warning = [f = callable(v)](const std::string& message) { call(*f, message); };
     }},
    {"window", "int", "tasks that may be in flight before a submission waits",
     [](Settings& s, py::handle v) {
       s.options.window = integer<std::size_t>(v);
       if (s.options.window == 0) wrong_value("at least 1 is needed");
     }},
    {"bind", "bool", "bind each worker's thread to its core",
     [](Settings& s, py::handle v) { s.options.bind = flag(v); }},
    {"oversubscribe", "bool", "allow more workers than cores",
     [](Settings& s, py::handle v) { s.options.oversubscribe = flag(v); }},
    {"use_hyperthreads", "bool", "every hyperthread is a core of its own",
     [](Settings& s, py::handle v) { s.options.use_hyperthreads = flag(v); }},
    {"restrict_to", "str", "only these processing units: '0-3,8'",
     [](Settings& s, py::handle v) { s.options.restrict_to = text(v); }},
    {"spin", "float", "seconds that an idle worker looks for work before it sleeps",
     [](Settings& s, py::handle v) { s.options.spin = time(v); }},
    {"why_after", "float", "tell on_stall when nothing has started or ended for so many seconds; 0: never",
     [](Settings& s, py::handle v) { s.options.why_after = time(v); }},
    {"on_stall", "callable(str)", "told why tasks do not go on; default: written to the standard error",
     [](Settings& s, py::handle v) {
       s.options.on_stall = [f = callable(v)](const WhyReport& report) { call(*f, report.to_text()); };
     }},
    {"trace_limit", "int", "entries that a trace may have",
     [](Settings& s, py::handle v) { s.options.trace_limit = integer<std::size_t>(v); }},
    {"seed", "int", "of the random choices of policies",
     [](Settings& s, py::handle v) { s.options.seed = integer<std::uint64_t>(v); }},
    {"deterministic", "bool", "run everything in the thread that waits, in an order drawn from the seed: for tests",
     [](Settings& s, py::handle v) { s.options.deterministic = flag(v); }},
    {"emulated_gpus", "int or str", "accelerators that are emulated on cores: 2, '2:memory=256MiB,bandwidth=8GB/s'",
     &set_emulated_gpus},
    {"gpu_memory", "int or str", "the most memory that data may take on each CUDA GPU: '8GB'",
     [](Settings& s, py::handle v) { s.options.gpu_memory = bytes(v); }},
    {"opencl", "str", "OpenCL devices: 'all', 'gpu', 'cpu', or numbers: '0,2'",
     [](Settings& s, py::handle v) { s.options.opencl = text(v); }},
    {"opencl_memory", "int or str", "the most memory that data may take on each OpenCL device",
     [](Settings& s, py::handle v) { s.options.opencl_memory = bytes(v); }},
    {"opencl_copies", "bool", "OpenCL devices that share the host's memory work on copies, too",
     [](Settings& s, py::handle v) { s.options.opencl_copies = flag(v); }},
    {"opencl_alignment", "int", "bytes at whose multiples data must begin for OpenCL devices to work in place",
     [](Settings& s, py::handle v) { s.options.opencl_alignment = integer<std::size_t>(v); }},
    {"gpu_lookahead", "int", "tasks whose data an accelerator fetches while its kernels run",
     [](Settings& s, py::handle v) { s.options.gpu_lookahead = integer<std::size_t>(v); }},
    {"core_lookahead", "int", "the same for a core, where there are accelerators",
     [](Settings& s, py::handle v) { s.options.core_lookahead = integer<std::size_t>(v); }},
    {"issue_ahead", "int", "tasks that an accelerator is given beyond those that it takes at a time",
     [](Settings& s, py::handle v) { s.options.issue_ahead = integer<std::size_t>(v); }},
    {"eviction", "str", "what leaves a full memory first: 'next-use', 'reuse' or 'lru'",
     [](Settings& s, py::handle v) { s.options.eviction = text(v); }},
    {"reuse_profile", "path", "a file that says how often each piece of data is used",
     [](Settings& s, py::handle v) { s.options.reuse_profile = path(v); }},
};

/// Returns true if the calling thread is in a function of the package itself; Python would show a line of that
/// function.
bool in_package() {
  PyObject* const globals = PyEval_GetGlobals();
  if (globals == nullptr) return false;
  const py::object name = py::reinterpret_borrow<py::object>(PyDict_GetItemString(globals, "__name__"));
  return name && py::isinstance<py::str>(name) && std::string(py::str(name)).starts_with("troupe.");
}

/// Emits a Python warning, in any thread.
void warn(const std::string& message) {
  const WithGil lock;
  const int level = in_package() ? 2 : 1;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), level) != 0) PyErr_WriteUnraisable(nullptr);
}

void tell_of_stall(const WhyReport& report) {
  const WithGil lock;
  PySys_FormatStderr("%s", report.to_text().c_str());
}

}  // namespace

RuntimeState::Settings settings_of(const py::kwargs& keywords) {
  Settings settings;
  settings.options.on_warning = &warn;
  settings.options.on_stall = &tell_of_stall;
  const std::span<const Option<Settings>> options = kRuntimeOptions;
  for (const auto& [key, value] : keywords) {
    const std::string name = py::str(key);
    const Option<Settings>* const option = option_named(options, name);
    if (option == nullptr) {
      const std::string meant = did_you_mean(name, names_of(options));
      throw py::type_error(fmt::format("Runtime has no option '{}'{}", name,
                                       meant.empty() ? "; help(troupe.Runtime) lists those that it has" : meant));
    }
    set_option(*option, "Runtime", settings, value);
  }
  return settings;
}

std::vector<std::string> setting_names() { return names_of(std::span<const Option<Settings>>(kRuntimeOptions)); }

std::string settings_text() {
  std::string text;
  for (const Option<Settings>& option : kRuntimeOptions) {
    text += fmt::format("{} ({}): {}\n", option.name, option.type, option.text);
  }
  return text;
}

}  // namespace troupe::python
