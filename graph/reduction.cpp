#include "graph/reduction.hpp"

namespace troupe::graph {

DataView Reduction::partial(std::size_t worker, const Layout& layout) {
  Partial& partial = partials_.at(worker);
  if (!partial.memory) {
    partial.layout = layout.packed();
    partial.memory = std::make_unique_for_overwrite<std::byte[]>(layout.payload().count);
  }
  const DataView view{partial.memory.get(), partial.layout};
  if (!partial.in_use) {
    methods_.initialize(view);
    partial.in_use = true;
  }
  return view;
}

void Reduction::combine(const DataView& into) {
  for (Partial& partial : partials_) {
    if (!partial.in_use) continue;
    methods_.combine(into, {partial.memory.get(), partial.layout});
    partial.in_use = false;
  }
}

void Reduction::discard() noexcept {
  for (Partial& partial : partials_) partial.in_use = false;
}

}  // namespace troupe::graph
