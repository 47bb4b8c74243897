#include "python/module/runtime_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"
#include "proto/edit_distance.hpp"
#include "python/module/errors.hpp"
#include "python/module/gil.hpp"
#include "python/module/option_table.hpp"
#include "traces/files/trace_file.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

using Settings = RuntimeState::Settings;

/// Returns a Python function, held so that threads of the runtime may call it.
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

/// Options that only Python has, or for which Python accepts further values.
const std::vector<Option<Settings>> kOwnOptions{
    {"trace", "bool or path",
     "what runs when is recorded; with a path (.json, .paje) it is written when the runtime ends", &set_trace},
    {"on_warning", "callable(str)", "it is told of problems that do not stop the run; default: warnings.warn",
     [](Settings& s, py::handle v) {
       s.options.observation.on_warning = [f = callable(v)](const std::string& message) { call(*f, message); };
     }},
    {"on_stall", "callable(str)", "it is told why tasks do not go on; default: written to the standard error",
     [](Settings& s, py::handle v) {
       s.options.observation.on_stall = [f = callable(v)](const WhyReport& report) { call(*f, report.to_text()); };
     }},
};

const Option<Settings>* own_option(std::string_view name) {
  return option_named(std::span<const Option<Settings>>(kOwnOptions), std::string(name));
}

/// A keyword whose name has changed.
struct FormerName {
  std::string_view former;
  std::string_view now;
};
constexpr FormerName kFormerNames[]{{"restrict_to", "cpus"},
                                    {"use_hyperthreads", "hyperthreads"},
                                    {"model_folder", "models"},
                                    {"gpu_lookahead", "lookahead"}};

/// Returns true if the calling thread is in a function of the package itself. A warning must then show the line of the
/// caller.
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
  if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), level) == 0) return;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
    // The interrupt is for the program: whoever waits sees it at its next look.
    PyErr_Clear();
    PyErr_SetInterrupt();
    return;
  }
  PyErr_WriteUnraisable(nullptr);
}

void tell_of_stall(const WhyReport& report) {
  const WithGil lock;
  PySys_FormatStderr("%s", report.to_text().c_str());
}

}  // namespace

std::string text_of_value(OptionKind kind, py::handle value) {
  const bool is_text = PyUnicode_Check(value.ptr()) != 0;
  switch (kind) {
    case OptionKind::flag: return troupe::text_of(flag(value));
    case OptionKind::whole: return digits(value);
    case OptionKind::number: return troupe::text_of(number(value));
    case OptionKind::devices: return is_text ? text(value) : digits(value);
    case OptionKind::bytes: return is_text ? text(value) : digits(value) + "B";
    case OptionKind::time: return is_text ? text(value) : fmt::format("{}s", number(value));
    case OptionKind::path: return path(value);
    case OptionKind::text:
    case OptionKind::word: break;
  }
  return text(value);
}

RuntimeState::Settings settings_of(const py::kwargs& keywords) {
  Settings settings;
  settings.options.observation.on_warning = &warn;
  settings.options.observation.on_stall = &tell_of_stall;
  for (const auto& [key, value] : keywords) {
    const std::string name = py::str(key);
    if (const Option<Settings>* const own = own_option(name)) {
      set_option(*own, "Runtime", settings, value);
    } else if (const RuntimeOption* const shared = option_of(name)) {
      set_option(*shared, "Runtime", settings.options, value);
    } else {
      const auto former = std::ranges::find(kFormerNames, name, &FormerName::former);
      const std::string meant = former != std::end(kFormerNames) ? fmt::format("; it is called '{}' now", former->now)
                                                                 : did_you_mean(name, setting_names());
      throw py::type_error(fmt::format("Runtime has no option '{}'{}", name,
                                       meant.empty() ? "; help(troupe.Runtime) lists those that it has" : meant));
    }
  }
  return settings;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const RuntimeOption& option : runtime_options()) {
    if (own_option(option.word) == nullptr) names.emplace_back(option.word);
  }
  for (const Option<Settings>& own : kOwnOptions) names.emplace_back(own.name);
  return names;
}

std::string settings_text() {
  std::string text;
  for (const RuntimeOption& option : runtime_options()) {
    if (own_option(option.word) == nullptr) text += line_about(option);
  }
  for (const Option<Settings>& own : kOwnOptions) text += line_about(own);
  return text;
}

}  // namespace troupe::python
