#include "client/remote/codelet_numbers.hpp"

#include <fmt/format.h>

#include "client/remote/connection/wire_text.hpp"
#include "graph/codelets/codelet_definition.hpp"

namespace troupe::remote {

namespace {

v1::Parameter::Shape wire_shape(ViewShape shape) {
  switch (shape) {
    case ViewShape::any: return v1::Parameter::ANY;
    case ViewShape::scalar: return v1::Parameter::SCALAR;
    case ViewShape::vector: return v1::Parameter::VECTOR;
    case ViewShape::matrix: return v1::Parameter::MATRIX;
    case ViewShape::volume: return v1::Parameter::VOLUME;
  }
  return v1::Parameter::ANY;
}

void fill(v1::OpenCodelet& open, const CodeletDefinition& definition) {
  open.set_name(definition.known_name());
  for (const AccessMode mode : definition.modes) open.add_modes(to_wire(mode));
  open.set_variadic(definition.variadic);
  open.set_typed(definition.typed);
  for (const DataParameter& parameter : definition.parameters) {
    v1::Parameter& filled = *open.add_parameters();
    filled.set_shape(wire_shape(parameter.shape));
    filled.set_element_tag(parameter.element_tag);
    filled.set_writable(parameter.writable);
  }
  for (const ArgumentType& argument : definition.argument_types) {
    v1::Argument& filled = *open.add_arguments();
    filled.set_tag(argument.tag);
    filled.set_size(argument.size);
    filled.set_alignment(argument.alignment);
  }
}

}  // namespace

Result<std::uint32_t> CodeletNumbers::number_of(const Codelet& codelet) {
  const CodeletDefinition* definition = &codelet.definition();
  auto& recent = recent_[(reinterpret_cast<std::uintptr_t>(definition) >> 6U) % recent_.size()];
  // Acquire: pairs with the release store below, which publishes the entry.
  const Entry* known = recent.load(std::memory_order_acquire);
  if (known != nullptr && known->definition.get() == definition) return known->number;
  const LockGuard lock(mutex_);
  std::unique_ptr<Entry>& entry = entries_[definition];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
    entry->definition = codelet.shared_definition();
    entry->number = ask(*definition);
  }
  recent.store(entry.get(), std::memory_order_release);
  return entry->number;
}

Result<std::uint32_t> CodeletNumbers::ask(const CodeletDefinition& definition) {
  const std::string& name = definition.known_name();
  if (definition.inline_kernel) {
    return Failure{ErrorCode::no_implementation,
                   fmt::format("kernel '{}' is a lambda of this program, and a service never runs code of its clients: "
                               "submit a codelet that the service knows (docs/plugins.md)",
                               definition.name)};
  }
  if (name != wire_text(name)) {
    return Failure{ErrorCode::no_implementation,
                   fmt::format("codelet '{}' cannot be known to a service: its name is longer than 256 bytes, or no "
                               "text",
                               definition.name)};
  }
  const std::uint32_t number = next_++;
  const auto answer = session_.call(session_.sender().lock(), [&](v1::Operation& operation, std::uint64_t request) {
    v1::OpenCodelet& open = *operation.mutable_open_codelet();
    open.set_request(request);
    open.set_codelet(number);
    fill(open, definition);
  });
  if (answer) return number;
  const Failure& failure = answer.failure();
  if (failure.code != ErrorCode::no_implementation) return failure;
  return Failure{failure.code,
                 fmt::format("codelet '{}' does not run on the service: {} (a service runs the kernels that come with "
                             "Troupe and those of its plug-ins, never code of its clients: docs/plugins.md)",
                             definition.name, failure.message)};
}

}  // namespace troupe::remote
