#include "kernels/checks/catalogue.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/type_names.hpp"
#include "kernels/element_codelets.hpp"
#include "kernels/tile_kernels.hpp"

namespace troupe::kernels {

namespace {

void equal_shapes(Conditions& c) {
  c.require(c.data(0).rows == c.data(1).rows && c.data(0).cols == c.data(1).cols,
            "X and Y must have as many rows and columns as each other");
}

void short_sleep(Conditions& c) { c.argument_up_to(0, kLongestSleep_ns, "the time in ns"); }

/// Returns the name of a type that occurs in built-in kernels; empty for other types.
std::string type_name(std::uint64_t tag) {
  if (tag == type_tag<float>()) return "float";
  if (tag == type_tag<double>()) return "double";
  if (tag == type_tag<std::int32_t>()) return "int32";
  if (tag == type_tag<std::int64_t>()) return "int64";
  if (tag == type_tag<std::uint64_t>()) return "uint64";
  return {};
}

/// Removes the first name from a list such as "A, B, C" or "A r, B r, C rw", and returns it.
std::string take_name(std::string_view& names) {
  const std::size_t end = names.find(", ");
  std::string name(names.substr(0, std::min(end, names.find(' '))));
  names.remove_prefix(end == std::string_view::npos ? names.size() : end + 2);
  return name;
}

void describe_parameters(CatalogueEntry& entry, std::string_view parameters) {
  const CodeletDefinition& codelet = entry.codelet.definition();
  const std::size_t semicolon = parameters.find("; ");
  std::string_view data = parameters.substr(0, semicolon);
  std::string_view arguments = semicolon == std::string_view::npos ? "" : parameters.substr(semicolon + 2);
  for (const HandleGroup& group : codelet.groups) {
    entry.data.push_back(
        {take_name(data), group.mode, group.parameter.shape, type_name(group.parameter.element_tag), group.repeated});
  }
  for (std::size_t i = 0; i < codelet.modes.size(); ++i) {
    const DataParameter parameter = i < codelet.parameters.size() ? codelet.parameters[i] : DataParameter{};
    entry.data.push_back({take_name(data), codelet.modes[i], parameter.shape, type_name(parameter.element_tag), false});
  }
  for (const ArgumentType& type : codelet.argument_types) {
    entry.arguments.push_back({take_name(arguments), type_name(type.tag)});
  }
}

void add(std::vector<CatalogueEntry>& entries, const Codelet& codelet, std::string_view description,
         std::string_view parameters, void (*conditions)(Conditions&) = nullptr) {
  entries.push_back({.name = codelet.definition().known_name(),
                     .codelet = codelet,
                     .description = std::string(description),
                     .check = make_check(codelet, conditions)});
  describe_parameters(entries.back(), parameters);
}

template <class T>
void add_all(std::vector<CatalogueEntry>& entries) {
  for (const TileKernel<T>& tile : tile_kernels<T>()) {
    add(entries, codelets<T>().*tile.codelet, tile.description, tile.parameters, tile.conditions);
  }
  const ElementCodelets<T>& small = element_codelets<T>();
  add(entries, small.copy, "Y <- X", "X, Y", equal_shapes);
  add(entries, small.fill, "all elements <- a value", "X; value");
  add(entries, small.axpy, "Y <- Y + alpha X", "X, Y; alpha", equal_shapes);
  add(entries, small.scale, "X <- alpha X", "X; alpha");
  add(entries, small.dot, "S <- S + the products of X's and Y's elements; reduces", "X, Y, S", equal_shapes);
}

std::vector<CatalogueEntry> build() {
  std::vector<CatalogueEntry> entries;
  add_all<float>(entries);
  add_all<double>(entries);
  add(entries, trial_codelets().nothing, "takes and does nothing: what a task costs", "");
  add(entries, trial_codelets().sleep, "sleeps so many nanoseconds, at most ten seconds", "; ns", short_sleep);
  entries.back().takes = [](const Arguments& arguments) {
    std::int64_t ns = 0;
    std::memcpy(&ns, arguments.bytes().data() + arguments.offsets()[0], sizeof ns);
    return Duration(ns);
  };
  std::ranges::sort(entries, {}, &CatalogueEntry::name);
  return entries;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = build();
  return entries;
}

const CatalogueEntry* find_in_catalogue(std::string_view name) {
  const auto entries = catalogue();
  const auto found = std::ranges::lower_bound(entries, name, {}, &CatalogueEntry::name);
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

}  // namespace troupe::kernels
