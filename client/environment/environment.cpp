#include "client/environment/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "platform/environment_value.hpp"
#include "proto/edit_distance.hpp"

namespace troupe::client {

namespace {

constexpr std::string_view kPrefix = "TROUPE_";

Failure refused(const Variable& variable, const Failure& why) {
  return {ErrorCode::invalid_argument, fmt::format("the environment variable {}: {}", variable.name, why.message)};
}

bool is_known(std::string_view name) {
  return std::ranges::any_of(variables(), [name](const Variable& one) { return one.name == name; }) ||
         std::ranges::any_of(other_variables(), [name](const OtherVariable& one) { return one.name == name; });
}

/// Returns the known variable that the user probably meant with `name`, or an empty text if no known name is similar.
/// `name` is a variable that no code reads.
std::string meant_by(std::string_view name) {
  // The common prefix is left out, so that only the words that differ are compared.
  std::vector<std::string> ends;
  for (const Variable& one : variables()) ends.push_back(one.name.substr(kPrefix.size()));
  const std::string end = nearest_name(name.substr(kPrefix.size()), ends);
  return end.empty() ? end : std::string(kPrefix) + end;
}

/// Returns the variables that no code reads, with their values, in the order of their names.
std::vector<SetVariable> unknown_variables() {
  std::vector<SetVariable> found;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t end = text.find('=');
    if (end == std::string_view::npos || !text.starts_with(kPrefix) || is_known(text.substr(0, end))) continue;
    found.push_back({std::string(text.substr(0, end)), std::string(text.substr(end + 1))});
  }
  std::ranges::sort(found, {}, &SetVariable::name);
  return found;
}

}  // namespace

Result<FromEnvironment> with_environment(const RuntimeOptions& options) {
  FromEnvironment result{{options}};
  const bool watched_only = options.simulation != nullptr || options.threads.deterministic || options.threads.shared;
  for (const Variable& variable : variables()) {
    if (watched_only && !variable.watches) continue;
    const std::string value = platform::environment_value(variable.name);
    if (value.empty() || !variable.is_free(options)) continue;
    if (const Result<void> set = variable.set(result.settings, value); !set) {
      return refused(variable, set.failure());
    }
    result.taken.push_back(fmt::format("{}={}", variable.name, value));
  }
  return result;
}

std::vector<SetVariable> set_variables() {
  std::vector<SetVariable> found;
  for (const Variable& variable : variables()) {
    const std::string value = platform::environment_value(variable.name);
    if (value.empty()) continue;
    Settings ignored;
    const Result<void> set = variable.set(ignored, value);
    found.push_back({variable.name, value, set ? "" : set.failure().message});
  }
  for (const OtherVariable& variable : other_variables()) {
    const std::string value = platform::environment_value(variable.name);
    if (!value.empty()) found.push_back({std::string(variable.name), value});
  }
  for (SetVariable& unknown : unknown_variables()) {
    const std::string meant = meant_by(unknown.name);
    unknown.remark = "nothing reads it" + (meant.empty() ? "" : fmt::format(": did you mean {}?", meant));
    found.push_back(std::move(unknown));
  }
  return found;
}

std::vector<std::string> likely_mistakes() {
  std::vector<std::string> mistakes;
  for (const SetVariable& unknown : unknown_variables()) {
    const std::string meant = meant_by(unknown.name);
    if (meant.empty()) continue;
    mistakes.push_back(
        fmt::format("the environment variable {} is set, and nothing reads it: did you mean {}?", unknown.name, meant));
  }
  return mistakes;
}

}  // namespace troupe::client
