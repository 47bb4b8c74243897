#include "graph/codelets/codelet.hpp"

#include <algorithm>

#include "proto/errors.hpp"

namespace troupe {

Codelet::Codelet(std::string name, std::vector<AccessMode> modes)
    : definition_(std::make_shared<CodeletDefinition>()), shared_(definition_) {
  definition_->name = std::move(name);
  definition_->modes = std::move(modes);
}

Codelet Codelet::variadic(std::string name, std::vector<HandleGroup> groups) {
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    if (!groups[i].repeated || groups[i].parameter.element_tag != groups[i + 1].parameter.element_tag) continue;
    throw Error(ErrorCode::signature_mismatch, "codelet '" + name + "': nobody could tell where its handles of group " +
                                                   std::to_string(i) + " end, as the next ones have the same type");
  }
  Codelet result(std::move(name), {});
  result.definition_->variadic = true;
  result.definition_->groups = std::move(groups);
  return result;
}

Codelet& Codelet::implement(DeviceKind kind, Kernel kernel) & {
  definition_->kernels[static_cast<std::size_t>(kind)] = std::move(kernel);
  if (kind == DeviceKind::cpu_core) definition_->team_on_core = false;
  return *this;
}

Codelet& Codelet::implement_team(Kernel kernel, int most) {
  CodeletDefinition& d = *definition_;
  if (most < 1) {
    throw Error(ErrorCode::invalid_argument, "codelet '" + d.name + "': its kernel for a team uses at most " +
                                                 std::to_string(most) + " cores: name 1 or more");
  }
  Kernel& on_core = d.kernels[static_cast<std::size_t>(DeviceKind::cpu_core)];
  d.team_on_core = d.team_on_core || !on_core;
  if (d.team_on_core) on_core = kernel;
  d.team_kernel = std::move(kernel);
  d.most_cores = most;
  return *this;
}

Codelet& Codelet::prologue(TeamPrologue prologue) & {
  definition_->prologue = prologue;
  return *this;
}

Codelet Codelet::prologue(TeamPrologue prologue) && {
  this->prologue(prologue);
  return *this;
}

Codelet Codelet::internal(std::string name, std::vector<AccessMode> modes) {
  Codelet result(std::move(name), std::move(modes));
  result.definition_->internal = true;
  return result;
}

Codelet Codelet::copy() const {
  Codelet result(*this);
  result.definition_ = std::make_shared<CodeletDefinition>(*definition_);
  result.shared_ = result.definition_;
  return result;
}

Codelet Codelet::only_on(DeviceSet devices, DevicesHere here) const {
  Codelet result = copy();
  result.definition_->devices = std::move(devices);
  result.definition_->devices_here = std::move(here);
  return result;
}

Codelet& Codelet::timed_as(std::string kernel) & {
  definition_->timed_as = std::move(kernel);
  return *this;
}

Codelet Codelet::timed_as(std::string kernel) && {
  timed_as(std::move(kernel));
  return *this;
}

Codelet& Codelet::known_as(std::string name) & {
  definition_->known_as = std::move(name);
  return *this;
}

Codelet Codelet::known_as(std::string name) && {
  known_as(std::move(name));
  return *this;
}

Codelet& Codelet::takes(std::vector<ArgumentType> arguments) & {
  std::size_t bytes = 0;
  for (const ArgumentType& type : arguments) {
    bytes = (bytes + type.alignment - 1) / type.alignment * type.alignment + type.size;
  }
  if (arguments.size() > Arguments::kMaxArguments || bytes > Arguments::kMaxBytes) {
    throw Error(ErrorCode::invalid_argument, "codelet '" + definition_->name + "' takes " +
                                                 std::to_string(arguments.size()) + " arguments, " +
                                                 std::to_string(bytes) + " bytes in all: 7 and 40 are the most");
  }
  definition_->argument_types = std::move(arguments);
  return *this;
}

Codelet& Codelet::flops(FlopCount count) & {
  definition_->flops = std::move(count);
  return *this;
}

Codelet Codelet::flops(FlopCount count) && {
  flops(std::move(count));
  return *this;
}

Codelet& Codelet::environment(Environment environment) & {
  definition_->environment = environment;
  return *this;
}

Codelet Codelet::environment(Environment environment) && {
  this->environment(environment);
  return *this;
}

void Codelet::take_parameters(std::string_view whose, CodeletDefinition described) {
  CodeletDefinition& d = *definition_;
  const bool same = d.parameters == described.parameters && d.argument_types == described.argument_types;
  const auto compare = [&](std::string_view other, const Kernel& kernel) {
    if (!d.typed || same || other == whose || !kernel) return;
    throw Error(ErrorCode::signature_mismatch, "codelet '" + d.name + "': its kernel for a " + std::string(whose) +
                                                   " takes other handles or arguments than the one for a " +
                                                   std::string(other) + ": let both take the same types");
  };
  for (const DeviceTraits& row : kDeviceTraits) {
    const bool is_the_teams = row.kind == DeviceKind::cpu_core && d.team_on_core;
    if (!is_the_teams) compare(row.name, d.kernels[static_cast<std::size_t>(row.kind)]);
  }
  compare(kTeam, d.team_kernel);
  d.typed = true;
  d.parameters = std::move(described.parameters);
  d.argument_types = std::move(described.argument_types);
  check_parameters();
}

void Codelet::check_no_reduction() const {
  const auto& modes = definition_->modes;
  const auto found = std::ranges::find(modes, AccessMode::reduce);
  if (found == modes.end()) return;
  throw Error(ErrorCode::invalid_argument, "codelet '" + definition_->name + "' reduces handle " +
                                               std::to_string(found - modes.begin()) +
                                               ", which only CPU cores can: let it commute instead, or leave out its "
                                               "implementation for CUDA");
}

void Codelet::check_parameters() const {
  const CodeletDefinition& d = *definition_;
  if (d.variadic) return;
  if (d.parameters.size() != d.modes.size()) {
    throw Error(ErrorCode::signature_mismatch, "codelet '" + d.name + "' declares " + std::to_string(d.modes.size()) +
                                                   " access modes, but its kernel takes " +
                                                   std::to_string(d.parameters.size()) + " handles");
  }
  for (std::size_t i = 0; i < d.modes.size(); ++i) {
    if (d.parameters[i].writable == writes(d.modes[i])) continue;
    throw Error(ErrorCode::signature_mismatch,
                "codelet '" + d.name + "': handle " + std::to_string(i) + " has mode " + to_string(d.modes[i]) +
                    ", but the kernel takes it as " + (d.parameters[i].writable ? "writable" : "const") +
                    (writes(d.modes[i]) ? ": drop the const" : ": add const to its element type"));
  }
}

}  // namespace troupe
