#include "graph/data/reduction.hpp"

namespace troupe::graph {

DataView Reduction::view_of(const Partial& partial) {
  return {reinterpret_cast<std::byte*>(partial.memory.get()), partial.layout};
}

DataView Reduction::partial(std::size_t worker, const Layout& layout) {
  Partial& partial = partials_.at(worker);
  if (!partial.memory) {
    partial.layout = layout.packed();
    partial.memory = std::make_unique_for_overwrite<Line[]>((layout.payload().count + sizeof(Line) - 1) / sizeof(Line));
  }
  const DataView view = view_of(partial);
  if (!partial.in_use) {
    methods_.initialize(view);
    partial.in_use = true;
  }
  return view;
}

void Reduction::combine(const DataView& into, bool without_content) {
  if (std::exchange(begins_with_neutral_, false) || without_content) methods_.initialize(into);
  for (Partial& partial : partials_) {
    if (!partial.in_use) continue;
    methods_.combine(into, view_of(partial));
    partial.in_use = false;
  }
}

void Reduction::discard() noexcept {
  begins_with_neutral_ = false;
  for (Partial& partial : partials_) partial.in_use = false;
}

}  // namespace troupe::graph
