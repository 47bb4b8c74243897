#include "troupe/runtime.hpp"

#include "client/backend.hpp"
#include "troupe/errors.hpp"

namespace troupe {

Future RecordedGraph::run(std::span<const Rebinding> rebindings) const {
  return recording_->run(rebindings).value_or_throw();
}

std::size_t RecordedGraph::tasks() const { return recording_->size(); }

}  // namespace troupe
