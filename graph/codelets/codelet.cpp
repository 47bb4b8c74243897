#include "troupe/codelet.hpp"

#include <algorithm>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"

namespace troupe {

const Kernel& CodeletDefinition::kernel_in_place_of(DeviceKind kind) const {
  static const Kernel none;
  if ((devices_here.kinds & kind_set(kind)) == 0 || internal) return none;
  return kernels[static_cast<std::size_t>(traits(kind).stands_in_for)];
}

Codelet::Codelet(std::string name, std::vector<AccessMode> modes)
    : definition_(std::make_shared<CodeletDefinition>()), shared_(definition_) {
  definition_->name = std::move(name);
  definition_->modes = std::move(modes);
}

const std::string& Codelet::name() const { return definition_->name; }

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
  if (kind == DeviceKind::cpu_core) check_no_pieces();
  definition_->kernels[static_cast<std::size_t>(kind)] = std::move(kernel);
  if (kind == DeviceKind::cpu_core) definition_->team.on_core = false;
  return *this;
}

Codelet& Codelet::implement_team(Kernel kernel, int most) {
  CodeletDefinition& d = *definition_;
  if (most < 1) {
    throw Error(ErrorCode::invalid_argument, "codelet '" + d.name + "': its kernel for a team uses at most " +
                                                 std::to_string(most) + " cores: name 1 or more");
  }
  check_no_pieces();
  Kernel& on_core = d.kernels[static_cast<std::size_t>(DeviceKind::cpu_core)];
  d.team.on_core = d.team.on_core || !on_core;
  if (d.team.on_core) on_core = kernel;
  d.team.kernel = std::move(kernel);
  d.team.most_cores = most;
  return *this;
}

void Codelet::check_pieces(std::size_t grain) const {
  const CodeletDefinition& d = *definition_;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "codelet '" + d.name + "': " + why);
  };
  if (grain < 1 || grain > static_cast<std::size_t>(Pieces::kMost)) {
    refuse("a core takes " + std::to_string(grain) + " of its pieces at a time: let it be 1 or more");
  }
  if (d.pieces == nullptr && d.kernels[static_cast<std::size_t>(DeviceKind::cpu_core)]) {
    refuse("it has an implementation for cores already, so that its pieces would never run: give it one of the two");
  }
  const bool group_reduces = std::ranges::find(d.groups, AccessMode::reduce, &HandleGroup::mode) != d.groups.end();
  if (group_reduces || std::ranges::find(d.modes, AccessMode::reduce) != d.modes.end()) {
    refuse(
        "it reduces, which pieces cannot, as they run on several workers and partial results are each worker's: let "
        "its tasks commute instead, or give it an implementation with Codelet::cpu");
  }
}

void Codelet::check_count_takes(const KernelParameters& parameters) const {
  const CodeletDefinition& d = *definition_;
  const auto alike = [](const DataParameter& a, const DataParameter& b) {
    return a.shape == b.shape && a.element_tag == b.element_tag;
  };
  if (!d.typed ||
      (std::ranges::equal(d.parameters, parameters.data, alike) && d.argument_types == parameters.arguments)) {
    return;
  }
  throw Error(ErrorCode::signature_mismatch, "codelet '" + d.name +
                                                 "': what counts its pieces takes other handles or arguments than they "
                                                 "do: let both take the same types");
}

Codelet& Codelet::implement_pieces(PieceCount count, PieceKernel piece, std::size_t grain) {
  CodeletDefinition& d = *definition_;
  const auto shared =
      std::make_shared<const Pieces>(Pieces{std::move(count), std::move(piece), static_cast<std::uint32_t>(grain)});
  d.kernels[static_cast<std::size_t>(DeviceKind::cpu_core)] = [shared](const KernelContext& context) {
    const std::uint32_t all = shared->count_of(context);
    shared->run(0, all, all, context);
  };
  d.pieces = shared;
  d.team.most_cores = std::numeric_limits<int>::max();
  return *this;
}

void Codelet::check_no_pieces() const {
  if (definition_->pieces == nullptr) return;
  throw Error(ErrorCode::invalid_argument, "codelet '" + definition_->name +
                                               "': cores run its pieces, so that another implementation for cores "
                                               "would never run: give it one of the two");
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

Codelet Codelet::reported_by_futures(std::string name) {
  Codelet result(std::move(name), {});
  result.definition_->reported_by_futures = true;
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

Codelet Codelet::modelled_on(KindSet kinds, int most_cores) const {
  Codelet result = copy();
  CodeletDefinition& d = *result.definition_;
  const Kernel never_called = [name = d.name](const KernelContext&) {
    throw Error(ErrorCode::no_implementation, "codelet '" + name + "' was called without an implementation");
  };
  const bool on_cores = (kinds & kind_set(DeviceKind::cpu_core)) != 0;
  Kernel& on_core = d.kernels[static_cast<std::size_t>(DeviceKind::cpu_core)];
  if (on_cores && !on_core && most_cores > 1) {
    d.team.kernel = never_called;
    d.team.most_cores = most_cores;
  }
  if (!on_cores) {
    d.team.kernel = nullptr;
    d.pieces = nullptr;
  }
  for (const DeviceTraits& row : kDeviceTraits) {
    Kernel& kernel = d.kernels[static_cast<std::size_t>(row.kind)];
    if ((kinds & kind_set(row.kind)) == 0) {
      kernel = nullptr;
    } else if (!kernel) {
      kernel = never_called;
    }
  }
  return result;
}

Codelet Codelet::untimed_on(KindSet kinds) const {
  Codelet result = modelled_on(kinds, 1);
  result.definition_->untimed = true;
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

Codelet& Codelet::footprint(Footprint footprint) & {
  definition_->footprint = std::move(footprint);
  return *this;
}

Codelet Codelet::footprint(Footprint footprint) && {
  this->footprint(std::move(footprint));
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

void Codelet::take_parameters(std::string_view whose, KernelParameters parameters) {
  CodeletDefinition& d = *definition_;
  const bool same = d.parameters == parameters.data && d.argument_types == parameters.arguments;
  const auto compare = [&](std::string_view other, const Kernel& kernel) {
    if (!d.typed || same || other == whose || !kernel) return;
    throw Error(ErrorCode::signature_mismatch, "codelet '" + d.name + "': its kernel for a " + std::string(whose) +
                                                   " takes other handles or arguments than the one for a " +
                                                   std::string(other) + ": let both take the same types");
  };
  for (const DeviceTraits& row : kDeviceTraits) {
    const bool is_the_teams = row.kind == DeviceKind::cpu_core && d.team.on_core;
    if (!is_the_teams) compare(row.name, d.kernels[static_cast<std::size_t>(row.kind)]);
  }
  compare(kTeam, d.team.kernel);
  d.typed = true;
  d.takes_context = d.takes_context || parameters.takes_context;
  d.parameters = std::move(parameters.data);
  d.argument_types = std::move(parameters.arguments);
  check_parameters();
}

void Codelet::check_no_reduction(DeviceKind kind) const {
  const auto& modes = definition_->modes;
  const auto found = std::ranges::find(modes, AccessMode::reduce);
  if (found == modes.end()) return;
  throw Error(ErrorCode::invalid_argument, "codelet '" + definition_->name + "' reduces handle " +
                                               std::to_string(found - modes.begin()) +
                                               ", which only CPU cores can: let it commute instead, or leave out its "
                                               "implementation for " +
                                               to_string(kind));
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
