#include "c/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"
#include "proto/tokens.hpp"
#include "troupe/errors.hpp"
#include "troupe/machine.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::c {

namespace {

/// Copies fields of `troupe_options` to the options of the same names: of the run in virtual time if there is one and
/// it has them, otherwise of the runtime. A field that is zero changes nothing.
class Fields {
 public:
  /// `simulation` may be null.
  Fields(RuntimeOptions& options, SimulationOptions* simulation) : options_(options), simulation_(simulation) {}

  void take(const char* word, const char* text) {
    if (text != nullptr) set(*option_of(word), text, fmt::format("troupe_options.{}", word));
  }
  template <class Number>
  void take(const char* word, Number number) {
    if (number != 0) take(word, std::to_string(number).c_str());
  }
  void take_flag(const char* word, int given) {
    if (given != 0) take(word, "true");
  }
  /// Sets an option from a text such as "lookahead=2".
  void take_named(const std::string& given) {
    const std::size_t equals = given.find('=');
    const RuntimeOption* const option = option_of(given.substr(0, equals));
    if (option == nullptr || !option->has(OptionDoor::c) || equals == std::string::npos) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("troupe_options.more: {} is no option: give a name and a value, such as lookahead=2 "
                              "(docs/reference/runtime-options.md lists the names)",
                              troupe::quoted(given)));
    }
    const std::string name = fmt::format("troupe_options.more: {}", option->word);
    set(*option, given.substr(equals + 1), name);
  }

 private:
  void set(const RuntimeOption& option, const std::string& text, const std::string& name) {
    const SimulationOption* const simulated = simulation_ == nullptr ? nullptr : simulation_option_of(option.word);
    // Policies draw from the runtime's seed, in virtual time, too.
    if (simulated == nullptr || option.word == "seed") option.set(options_, text, name).value_or_throw();
    if (simulated != nullptr) simulated->set(*simulation_, text, name).value_or_throw();
  }

  RuntimeOptions& options_;
  SimulationOptions* simulation_;
};

void set_observers(const troupe_options& given, RuntimeOptions& options) {
  if (options.observation.why_after > Duration{} || given.on_stall != nullptr) {
    options.observation.on_stall = [call = given.on_stall, user = given.user](const WhyReport& report) {
      if (call != nullptr) return call(report.to_text().c_str(), user);
      fmt::print(stderr, "troupe: stalled\n{}", report.to_text());
    };
  }
  if (given.on_warning != nullptr) {
    options.observation.on_warning = [call = given.on_warning, user = given.user](const std::string& what) {
      call(what.c_str(), user);
    };
  }
}

}  // namespace

troupe_options settled(const troupe_options* given) {
  // No version of the structure is larger than this, so a larger size is garbage.
  constexpr std::size_t kLargest = 65536;
  troupe_options options{};
  if (given == nullptr) return options;
  if (given->size < offsetof(troupe_options, policy) || given->size > kLargest) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("troupe_options.size is {}: set it to sizeof(troupe_options)", given->size));
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  const std::size_t known = std::min(given->size, sizeof options);
  if (std::any_of(bytes + known, bytes + given->size, [](unsigned char byte) { return byte != 0; })) {
    throw Error(ErrorCode::invalid_argument,
                "troupe_options has fields that this version of Troupe does not know: install the version that the "
                "program was compiled for");
  }
  std::memcpy(&options, given, known);
  return options;
}

RuntimeOptions to_runtime_options(const troupe_options& given) {
  RuntimeOptions options;
  std::shared_ptr<SimulationOptions> simulation;
  if (given.platform != nullptr) {
    simulation = std::make_shared<SimulationOptions>();
    simulation->machine = platform::load_machine(given.platform).value_or_throw();
    simulation->real_buffers = given.execute != 0;
  }
  Fields fields(options, simulation.get());
  fields.take("cores", given.cores);
  fields.take("gpus", given.gpus);
  fields.take("policy", given.policy);
  fields.take_flag("trace", given.trace);
  if (given.why_after != 0) fields.take("why_after", fmt::format("{}s", given.why_after).c_str());
  for (const char* const* one = given.more; one != nullptr && *one != nullptr; ++one) fields.take_named(*one);
  set_observers(given, options);
  if (simulation != nullptr) {
    for (int gpu = 0; gpu < options.gpus; ++gpu) simulation->gpus.push_back(gpu);
    options.gpus = 0;
    options.simulation = std::move(simulation);
  }
  return options;
}

}  // namespace troupe::c
