#include "kernels/checks/catalogue.hpp"

#include <algorithm>
#include <vector>

#include "kernels/checks/tile_conditions.hpp"
#include "kernels/element_codelets.hpp"
#include "kernels/tile_codelet_list.hpp"

namespace troupe::kernels {

namespace {

void equal_shapes(Conditions& c) {
  c.require(c.data(0).rows == c.data(1).rows && c.data(0).cols == c.data(1).cols,
            "X and Y must have as many rows and columns as each other");
}

void short_sleep(Conditions& c) { c.argument_up_to(0, kLongestSleep_ns, "the time in ns"); }

void add(std::vector<CatalogueEntry>& entries, const Codelet& codelet, std::string_view description,
         void (*conditions)(Conditions&) = nullptr) {
  entries.push_back({.name = codelet.definition().known_name(),
                     .codelet = codelet,
                     .description = std::string(description),
                     .check = make_check(codelet, conditions)});
}

template <class T>
void add_all(std::vector<CatalogueEntry>& entries) {
  for (const TileCodeletEntry<T>& tile : tile_codelet_list<T>()) {
    add(entries, codelets<T>().*tile.codelet, tile.description, tile_conditions(tile.name));
  }
  const ElementCodelets<T>& small = element_codelets<T>();
  add(entries, small.copy, "Y <- X", equal_shapes);
  add(entries, small.fill, "all elements <- a value");
  add(entries, small.axpy, "Y <- Y + alpha X", equal_shapes);
  add(entries, small.scale, "X <- alpha X");
  add(entries, small.dot, "S <- S + the products of X's and Y's elements; reduces", equal_shapes);
}

std::vector<CatalogueEntry> build() {
  std::vector<CatalogueEntry> entries;
  add_all<float>(entries);
  add_all<double>(entries);
  add(entries, trial_codelets().nothing, "takes and does nothing: what a task costs");
  add(entries, trial_codelets().sleep, "sleeps so many nanoseconds, at most ten seconds", short_sleep);
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
