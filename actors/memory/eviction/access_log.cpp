#include "actors/memory/eviction/access_log.hpp"

namespace troupe::memory {

void AccessLog::admitted(NodeId node, std::span<const Use> uses) {
  requests_.push_back({node, uses_.size()});
  uses_.insert(uses_.end(), uses.begin(), uses.end());
}

void AccessLog::written(NodeId node, HandleId handle, Bytes bytes) {
  if (handle.index() >= not_on_host_.size()) not_on_host_.resize(handle.index() + 1);
  not_on_host_[handle.index()] = node == kHost ? Bytes{} : bytes;
}

void AccessLog::moved(NodeId to, HandleId handle, Bytes bytes) {
  moved_ += bytes;
  if (to == kHost && handle.index() < not_on_host_.size()) not_on_host_[handle.index()] = {};
}

AccessLog::Access AccessLog::operator[](std::size_t i) const {
  const std::size_t end = i + 1 < requests_.size() ? requests_[i + 1].uses_begin : uses_.size();
  return {requests_[i].node, {uses_.data() + requests_[i].uses_begin, end - requests_[i].uses_begin}};
}

Bytes AccessLog::not_on_host() const {
  Bytes sum;
  for (const Bytes bytes : not_on_host_) sum += bytes;
  return sum;
}

}  // namespace troupe::memory
