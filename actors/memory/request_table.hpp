/// Request table: the requests of the memory manager that have not ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proto/memory.hpp"

namespace troupe::memory {

struct Request {
  enum class Stage : std::uint8_t { waiting, admitted, acquired };

  RequestId id;
  NodeId node;
  /// The task to which the request belongs; invalid if there is none.
  TaskId task;
  Stage stage = Stage::waiting;
  /// True for a request of `MemoryCore::bring_home`, which ends as soon as it is acquired and is never released.
  bool lets_go = false;
  /// The number of requests that came before this request.
  std::uint64_t arrival = 0;
  /// The memory that the request's working set takes on a node with a limit.
  Bytes needed;
  /// The uses, with each handle only once. On a device, the list contains halo parts but not the data that they
  /// overlap.
  std::vector<Use> uses;
  /// The data that the halo parts among the uses overlap. The data of one halo part follow one another.
  std::vector<Use> overlaps;

  [[nodiscard]] const Use* use_of(HandleId handle) const {
    for (const Use& use : uses) {
      if (use.handle == handle) return &use;
    }
    return nullptr;
  }
};

/// Sets `merged` to a list with one use for each handle, which covers all uses of the handle. For a device, sets
/// `overlaps` to the data that halo parts overlap. For the host, `merged` contains these data and no halo parts.
void merge_uses(std::span<const Use> uses, NodeId node, std::vector<Use>& merged, std::vector<Use>& overlaps);

/// Stores requests in numbered places, and finds a request by its id in a hash table with open addressing. A place is
/// used again together with the memory of its request's lists, so that new requests allocate nothing in steady state. A
/// place stays valid until the request is removed.
class RequestTable {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNone = 0xffffffff;

  RequestTable();

  /// Adds a request. The table must not have this id yet.
  Place add(RequestId id);
  [[nodiscard]] Place find(RequestId id) const;
  void remove(Place place);
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Calls `visit(request)` for each request, in no particular order.
  template <class Visit>
  void visit(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.place != kNone) visit(requests_[entry.place]);
    }
  }
  [[nodiscard]] Request& operator[](Place place) { return requests_[place]; }
  [[nodiscard]] const Request& operator[](Place place) const { return requests_[place]; }

 private:
  struct Entry {
    RequestId id;
    Place place = kNone;
  };

  [[nodiscard]] std::size_t home(RequestId id) const;
  void insert(Entry entry);
  void grow();

  std::vector<Request> requests_;
  std::vector<Place> unused_;
  /// The size is a power of two; at most half of the entries are in use.
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace troupe::memory
