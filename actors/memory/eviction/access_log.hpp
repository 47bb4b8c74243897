/// What was used where, and what was moved for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proto/memory.hpp"

namespace troupe::memory {

/// One run's accesses, in the order in which their requests were admitted, on all nodes: for tools that ask what
/// another eviction policy would have moved. Written by the memory core; to be read when the run is over. 32 bytes a
/// use.
class AccessLog {
 public:
  struct Access {
    NodeId node;
    /// Each handle once.
    std::span<const Use> uses;
  };

  void admitted(NodeId node, std::span<const Use> uses);
  void written(NodeId node, HandleId handle, Bytes bytes);
  void moved(NodeId to, HandleId handle, Bytes bytes);

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] Access operator[](std::size_t i) const;
  /// By all copies, prefetches too.
  [[nodiscard]] Bytes moved() const { return moved_; }
  /// What the program would have to fetch to have all its data in host memory: content that the host does not have.
  [[nodiscard]] Bytes not_on_host() const;

 private:
  struct Request {
    NodeId node;
    std::size_t uses_begin = 0;
  };

  std::vector<Request> requests_;
  std::vector<Use> uses_;
  Bytes moved_;
  /// By handle: its bytes where the host does not have its content, else zero.
  std::vector<Bytes> not_on_host_;
};

}  // namespace troupe::memory
