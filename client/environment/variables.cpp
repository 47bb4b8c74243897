#include "client/environment/variables.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"
#include "client/environment/run_writer.hpp"

namespace troupe::client {

namespace {

Result<void> set_switch(bool& on, const std::string& value) {
  const Result<bool> given = read_switch(value);
  if (!given) return given.failure();
  on = given.value();
  return {};
}

Result<void> set_trace(Settings& settings, const std::string& value) {
  settings.options.trace = true;
  settings.at_stop.trace = value;
  const RunWriter* const writer = run_writer();
  return writer == nullptr ? Result<void>{} : writer->check_trace_path(value);
}

Result<void> set_report(Settings& settings, const std::string& value) {
  if (auto usable = set_switch(settings.at_stop.report, value); !usable) return usable;
  settings.options.trace = settings.options.trace || settings.at_stop.report;
  return {};
}

Result<void> set_metrics(Settings& settings, const std::string& value) {
  return set_switch(settings.at_stop.metrics, value);
}

bool always(const RuntimeOptions& /*options*/) { return true; }

/// Variables that choose the output when a runtime stops.
const Variable kWritten[] = {
    {"TROUPE_TRACE", "`t.json`, `t.paje`",
     "what ran when is written there when the runtime stops; that of a second runtime of the process to `t-2.json`. "
     "`%p` stands for the number of the process",
     "RuntimeOptions::trace", true, always, set_trace},
    {"TROUPE_REPORT", "`true`, `false`",
     "where the time went is printed on standard error when the runtime stops. It records a trace",
     "RuntimeOptions::trace", true, always, set_report},
    {"TROUPE_METRICS", "`true`, `false`",
     "every actor's mailbox figures are printed on standard error when the runtime stops", "", true, always,
     set_metrics},
};

constexpr std::array kOthers{
    OtherVariable{"TROUPE_SOCKET_FOLDER",
                  "the folder of the service's sockets, for `Runtime::connect` and the commands "
                  "that ask a service ([service.md](service.md))"},
    OtherVariable{"TROUPE_CUDA_LIBRARIES",
                  "the folder of CUDA's libraries "
                  "([accelerators-cuda.md](accelerators-cuda.md))"},
    OtherVariable{"TROUPE_OPENCL_TRACE", "as `TROUPE_TRACE`, of programs in OpenCL ([opencl.md](opencl.md))"},
    OtherVariable{"TROUPE_OPENCL_SPLIT", "whether one launch of an OpenCL kernel runs on several devices"},
    OtherVariable{"TROUPE_OPENCL_CLANG", "the compiler that tells which arguments an OpenCL kernel never writes"},
    OtherVariable{"TROUPE_TEST_GPU", "of Troupe's own tests: a GPU to use in place of the fake"},
};

void tell_of_stall(const WhyReport& report) { fmt::print(stderr, "troupe: stalled\n{}", report.to_text()); }

std::string marked_values(const RuntimeOption& option) {
  if (option.kind == OptionKind::whole) return option.values();
  std::string text;
  for (const std::string& one : option.example_list()) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", one);
  return text;
}

Variable variable_of(const RuntimeOption& option) {
  std::string meaning(option.meaning);
  if (!option.page.empty()) meaning += fmt::format(" ([{0}]({0}))", option.page);
  return {option.variable(),
          marked_values(option),
          std::move(meaning),
          fmt::format("RuntimeOptions::{}", option.field),
          option.watches,
          [&option](const RuntimeOptions& options) {
            return option.is_default(options) && (option.word != "policy" || !options.placement.make_policy);
          },
          [&option](Settings& settings, const std::string& value) {
            RuntimeOptions& options = settings.options;
            Result<void> set = option.read(option, options, value);
            if (option.word == "why_after" && !options.observation.on_stall)
              options.observation.on_stall = tell_of_stall;
            return set;
          }};
}

}  // namespace

std::span<const Variable> variables() {
  static const std::vector<Variable> all = [] {
    std::vector<Variable> list;
    for (const RuntimeOption& option : runtime_options()) {
      if (option.has(OptionDoor::environment)) list.push_back(variable_of(option));
    }
    list.insert(list.end(), std::begin(kWritten), std::end(kWritten));
    return list;
  }();
  return all;
}
std::span<const OtherVariable> other_variables() { return kOthers; }

}  // namespace troupe::client
