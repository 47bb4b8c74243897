#include "client/graph_backend.hpp"

#include <utility>

#include "graph/codelets/type_names.hpp"

namespace troupe::client {

Result<Handle> GraphBackend::register_data(graph::DataDescription description) {
  if (data_have_memory() && description.host == nullptr && description.layout.elements() > 0) {
    return Failure{ErrorCode::invalid_argument,
                   (description.name.empty() ? std::string("data") : "'" + description.name + "'") + " of " +
                       shape_text(description.layout) +
                       " elements at a null pointer: only runs in virtual time without buffers do without memory"};
  }
  return graph_.register_apart(std::move(description));
}

Result<std::vector<Handle>> GraphBackend::partition(const Handle& whole, std::span<const Block> blocks) {
  return graph_.partition(whole, blocks);
}

Result<std::vector<Handle>> GraphBackend::repartition(const Handle& whole, std::span<const Block> blocks) {
  return graph_.repartition(whole, blocks);
}

Result<std::vector<Handle>> GraphBackend::halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) {
  return graph_.halos(whole, blocks, rim);
}

Result<Layout> GraphBackend::layout_of(const Handle& handle) { return graph_.layout_of(handle); }

Result<void> GraphBackend::set_reduction(const Handle& handle, ReductionMethods methods) {
  return graph_.set_reduction(handle, std::move(methods));
}

Result<void> GraphBackend::release(const Handle& handle) { return graph_.release(handle); }

Result<void> GraphBackend::discard(const Handle& handle) { return graph_.discard(handle); }

void GraphBackend::let_go(const Handle& handle) noexcept { graph_.let_go(handle); }

void GraphBackend::cancel_all() { graph_.cancel_all(); }

Result<void> GraphBackend::stop_submissions() { return graph_.stop_submissions(); }

Result<void> GraphBackend::wait_all() { return graph_.wait_all(); }

Result<void> GraphBackend::wait_for(const Handle& handle) {
  auto hold = graph_.acquire(handle, AccessMode::read);
  if (!hold) return hold.failure();
  graph_.give_back(hold.value());
  return {};
}

Result<Backend::Acquired> GraphBackend::acquire(const Handle& handle, AccessMode mode) {
  auto hold = graph_.acquire(handle, mode);
  if (!hold) return hold.failure();
  const DataView view = graph::TaskGraph::view_of(handle);
  if (view.data == nullptr && view.layout.elements() > 0) {
    graph_.give_back(hold.value());
    return Failure{ErrorCode::invalid_argument,
                   "the program cannot acquire data without memory: in virtual time nothing is computed, so there is "
                   "nothing to read; wait for them instead"};
  }
  return Acquired{hold.value(), view};
}

void GraphBackend::give_back(void* hold) noexcept { graph_.give_back(static_cast<graph::Task*>(hold)); }

void GraphBackend::hand_on(void* hold) noexcept { graph_.hand_on(static_cast<graph::Task*>(hold)); }

Progress GraphBackend::progress() const { return graph_.progress(); }

}  // namespace troupe::client
