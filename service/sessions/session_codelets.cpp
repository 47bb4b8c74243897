#include "service/sessions/session_codelets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "service/sessions/session_costs.hpp"
#include "service/sessions/wire_checks.hpp"

namespace troupe::service {
namespace {

Result<std::vector<ArgumentType>> read_arguments(const v1::OpenCodelet& message, std::size_t& bytes) {
  constexpr std::uint32_t kLargestAlignment = 8;
  std::vector<ArgumentType> types;
  bytes = 0;
  if (static_cast<std::size_t>(message.arguments_size()) > Arguments::kMaxArguments) {
    return violation("open_codelet.arguments",
                     fmt::format("{} arguments; {} are the most", message.arguments_size(), Arguments::kMaxArguments));
  }
  for (const v1::Argument& argument : message.arguments()) {
    if (argument.size() == 0 || argument.size() > Arguments::kMaxBytes) {
      return violation("open_codelet.arguments.size", fmt::format("{} bytes", argument.size()));
    }
    if (!std::has_single_bit(argument.alignment()) || argument.alignment() > kLargestAlignment) {
      return violation("open_codelet.arguments.alignment",
                       fmt::format("{}; 1, 2, 4 and 8 can be", argument.alignment()));
    }
    bytes = (bytes + argument.alignment() - 1) / argument.alignment() * argument.alignment() + argument.size();
    types.push_back(
        {argument.tag(), static_cast<std::uint8_t>(argument.size()), static_cast<std::uint8_t>(argument.alignment())});
  }
  if (bytes > Arguments::kMaxBytes) {
    return violation("open_codelet.arguments",
                     fmt::format("{} bytes in all; {} are the most", bytes, Arguments::kMaxBytes));
  }
  return types;
}

Result<std::vector<DataParameter>> read_parameters(const v1::OpenCodelet& message) {
  std::vector<DataParameter> parameters;
  for (const v1::Parameter& parameter : message.parameters()) {
    ViewShape shape = ViewShape::any;
    switch (parameter.shape()) {
      case v1::Parameter::ANY: break;
      case v1::Parameter::SCALAR: shape = ViewShape::scalar; break;
      case v1::Parameter::VECTOR: shape = ViewShape::vector; break;
      case v1::Parameter::MATRIX: shape = ViewShape::matrix; break;
      case v1::Parameter::VOLUME: shape = ViewShape::volume; break;
      default:
        return violation("open_codelet.parameters.shape",
                         fmt::format("there is no shape {}", static_cast<int>(parameter.shape())));
    }
    parameters.push_back({shape, parameter.element_tag(), parameter.writable()});
  }
  return parameters;
}

Failure mismatch(const std::string& name, const std::string& what) {
  return {
      ErrorCode::signature_mismatch,
      fmt::format("codelet '{}': {}: the program and the service were built from different sources of it", name, what)};
}

std::string in_words(const std::vector<AccessMode>& modes) {
  constexpr std::size_t kMost = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, modes.size()); ++i) {
    text += (text.empty() ? "" : ", ") + std::string(to_string(modes[i]));
  }
  if (modes.size() > kMost) text += fmt::format(" and {} more", modes.size() - kMost);
  return text.empty() ? "no data" : text;
}

/// Returns the first difference between the client's codelet and the service's codelet; nothing if they agree.
std::optional<Failure> compare(const SessionCodelet& client, const v1::OpenCodelet& message,
                               const std::vector<DataParameter>& parameters, const CodeletDefinition& own) {
  if (client.variadic != own.variadic) {
    return mismatch(own.name, own.variadic ? "the service's takes any number of handles, the program's does not"
                                           : "the program's takes any number of handles, the service's does not");
  }
  if (client.modes != own.modes) {
    return mismatch(own.name, fmt::format("the service's has the access modes {}, the program's {}",
                                          in_words(own.modes), in_words(client.modes)));
  }
  if (!own.typed) return std::nullopt;
  if (message.typed() && parameters != own.parameters) {
    return mismatch(own.name, "the kernels take data of other shapes or types");
  }
  // A client without a kernel of its own need not declare the arguments' types. The arguments of its tasks are still
  // checked.
  if ((message.typed() || !client.arguments.empty()) && client.arguments != own.argument_types) {
    return mismatch(own.name, "the kernels take other arguments by value");
  }
  return std::nullopt;
}

std::size_t packed_size(const std::vector<ArgumentType>& types) {
  std::size_t bytes = 0;
  for (const ArgumentType& type : types)
    bytes = (bytes + type.alignment - 1) / type.alignment * type.alignment + type.size;
  return bytes;
}

Failure unknown(const std::string& name) {
  return {ErrorCode::no_implementation,
          fmt::format("the service knows no codelet '{}': only the built-in ones and those of plug-ins run there. Make "
                      "it a plug-in (docs/plugins.md), which the service's administrator installs, or run the program "
                      "with a runtime of its own",
                      name)};
}

}  // namespace

Result<std::optional<Failure>> SessionCodelets::open(const v1::OpenCodelet& message) {
  if (message.codelet() != codelets_.size()) {
    return violation("open_codelet.codelet",
                     fmt::format("{} comes, and {} would be next", message.codelet(), codelets_.size()));
  }
  if (codelets_.size() >= kMostCodelets) {
    return violation("open_codelet.codelet", fmt::format("{} codelets are the most", kMostCodelets));
  }
  if (auto named = check_name("open_codelet.name", message.name()); !named) return named.failure();
  std::vector<AccessMode> modes;
  for (const int value : message.modes()) {
    const auto mode = check_mode("open_codelet.modes", value);
    if (!mode) return mode.failure();
    modes.push_back(mode.value());
  }
  if (message.variadic() && !modes.empty()) {
    return violation("open_codelet.modes", "a variadic codelet has none");
  }
  std::size_t bytes = 0;
  auto arguments = read_arguments(message, bytes);
  if (!arguments) return arguments.failure();
  auto parameters = read_parameters(message);
  if (!parameters) return parameters.failure();

  const ServiceCodelet* const found = source_.find(message.name());
  SessionCodelet codelet{.variadic = message.variadic(),
                         .modes = std::move(modes),
                         .arguments = std::move(arguments).value(),
                         .argument_bytes = bytes,
                         .refused = refused_.codelet(found != nullptr ? message.name() : "unknown codelet")};
  const std::optional<Failure> refusal =
      found == nullptr ? unknown(message.name())
                       : compare(codelet, message, parameters.value(), found->codelet.definition());
  if (refusal) {
    codelet.refusal = std::make_shared<const Failure>(*refusal);
  } else {
    codelet.known = found;
    if (found->codelet.definition().typed) {
      codelet.arguments = found->codelet.definition().argument_types;
      codelet.argument_bytes = packed_size(codelet.arguments);
    }
  }
  codelets_.push_back(std::move(codelet));
  bytes_ += costs::of_codelet(message);
  return refusal;
}

}  // namespace troupe::service
