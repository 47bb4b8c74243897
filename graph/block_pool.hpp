/// Memory for records of one size that one thread allocates and others free.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "graph/spin_lock.hpp"

namespace troupe::graph {

/// Objects of type `T`, never given back to the system before the pool dies and constructed once: a record that is
/// used again keeps its members. `T` has a member `T* next`. Threads allocate and free through a `Cache` of their own
/// and meet only once per `kBatch` objects.
template <class T>
class BlockPool {
 public:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kSlab = 256;

  /// One thread's free objects. A cache must be used by one thread at a time and not outlive its pool.
  class alignas(64) Cache {
   public:
    T* head = nullptr;
    std::size_t count = 0;
  };

  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// Throws `std::bad_alloc`.
  T* allocate(Cache& cache) {
    if (cache.head == nullptr) refill(cache);
    T* object = cache.head;
    cache.head = object->next;
    --cache.count;
    return object;
  }

  void free(Cache& cache, T* object) noexcept {
    object->next = cache.head;
    cache.head = object;
    if (++cache.count >= 2 * kBatch) give_back(cache);
  }

  /// Bytes taken from the system.
  [[nodiscard]] std::size_t footprint() const {
    const std::lock_guard lock(mutex_);
    return slabs_.size() * kSlab * sizeof(T);
  }

  /// The memory taken so far, `kSlab` objects each. It stays as long as the pool.
  [[nodiscard]] std::vector<const T*> slabs() const {
    const std::lock_guard lock(mutex_);
    std::vector<const T*> all;
    for (const auto& slab : slabs_) all.push_back(slab.get());
    return all;
  }

 private:
  /// Moves `kBatch` objects to the shared list. Room in `batches_` was reserved with the slabs, so this cannot throw.
  void give_back(Cache& cache) noexcept {
    T* first = cache.head;
    T* last = first;
    for (std::size_t i = 1; i < kBatch; ++i) last = last->next;
    cache.head = last->next;
    cache.count -= kBatch;
    last->next = nullptr;
    const std::lock_guard lock(mutex_);
    batches_.push_back(first);
  }

  void refill(Cache& cache) {
    const std::lock_guard lock(mutex_);
    if (!batches_.empty()) {
      cache.head = batches_.back();
      cache.count = kBatch;
      batches_.pop_back();
      return;
    }
    const std::size_t batches = (slabs_.size() + 1) * (kSlab / kBatch);
    if (batches_.capacity() < batches) batches_.reserve(2 * batches);
    slabs_.push_back(std::make_unique<T[]>(kSlab));
    T* objects = slabs_.back().get();
    for (std::size_t i = kSlab; i-- > 0;) {
      objects[i].next = cache.head;
      cache.head = &objects[i];
    }
    cache.count = kSlab;
  }

  mutable SpinLock mutex_;
  std::vector<T*> batches_;                  // guarded by mutex_
  std::vector<std::unique_ptr<T[]>> slabs_;  // guarded by mutex_
};

}  // namespace troupe::graph
