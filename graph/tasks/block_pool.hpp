/// Memory for records of one type. One thread may allocate a record, and another thread may free it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "proto/mutex.hpp"
#include "proto/prefetch.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::graph {

/// Prefetches the cache lines that the next owner of a free record writes first. Types may have an overload.
template <class T>
void prefetch_free_record(T& record) {
  prefetch_to_write(&record);
}

/// Objects of type `T`. Each is constructed once and destroyed with the pool, so a record that is used again still has
/// the values of its last use. Each thread allocates and frees through a `Cache` of its own, and takes the pool's lock
/// only once per `kBatch` objects, to exchange a whole *magazine* (an array of pointers to free objects). Free objects
/// do not form a linked list, so an allocation need not wait for a cache line that another core has written last. The
/// next objects are prefetched.
///
/// A cache holds two magazines; all other magazines are full or empty, and are in the pool's lists. There are enough
/// magazines for all objects, so freeing always finds an empty magazine and cannot fail.
template <class T>
class BlockPool {
 public:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kSlab = 256;

  struct Magazine {
    std::array<T*, kBatch> objects;
    std::size_t count = 0;
  };

  /// One thread's free objects. A cache must be used by one thread at a time and not outlive its pool.
  class alignas(64) Cache {
   public:
    Magazine* current = nullptr;
    Magazine* other = nullptr;

    [[nodiscard]] std::size_t count() const {
      return (current != nullptr ? current->count : 0) + (other != nullptr ? other->count : 0);
    }
  };

  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// Returns a free object. Throws `std::bad_alloc`.
  T* allocate(Cache& cache) {
    if (cache.current == nullptr || cache.current->count == 0) refill(cache);
    Magazine& magazine = *cache.current;
    T* object = magazine.objects[--magazine.count];
    if (magazine.count >= kAhead) prefetch_free_record(*magazine.objects[magazine.count - kAhead]);
    return object;
  }

  /// Frees an object. Before, the cache must have been used to allocate, or been passed to `prepare`.
  void free(Cache& cache, T* object) noexcept {
    if (cache.current->count == kBatch) make_room(cache);
    Magazine& magazine = *cache.current;
    magazine.objects[magazine.count++] = object;
  }

  /// Makes a cache ready for `free`. Throws `std::bad_alloc`.
  void prepare(Cache& cache) {
    const LockGuard lock(mutex_);
    if (cache.current == nullptr) cache.current = new_magazine();
    if (cache.other == nullptr) cache.other = new_magazine();
    // Space for the magazines' pointers is reserved now, because `make_room` must not allocate.
    reserve();
  }

  /// Returns the bytes taken from the system.
  [[nodiscard]] std::size_t footprint() const {
    const LockGuard lock(mutex_);
    return slabs_.size() * kSlab * sizeof(T) + magazines_.size() * sizeof(Magazine);
  }

  /// Returns the memory taken so far, in slabs of `kSlab` objects each. It stays as long as the pool.
  [[nodiscard]] std::vector<const T*> slabs() const {
    const LockGuard lock(mutex_);
    std::vector<const T*> all;
    for (const auto& slab : slabs_) all.push_back(slab.get());
    return all;
  }

 private:
  /// An allocation prefetches the object that will be allocated after this number of further allocations.
  static constexpr std::size_t kAhead = 4;

  Magazine* new_magazine() TROUPE_REQUIRES(mutex_) {
    magazines_.push_back(std::make_unique<Magazine>());
    return magazines_.back().get();
  }
  void reserve() TROUPE_REQUIRES(mutex_) {
    if (full_.capacity() < magazines_.size()) full_.reserve(2 * magazines_.size());
    if (empty_.capacity() < magazines_.size()) empty_.reserve(2 * magazines_.size());
  }
  void add_slab() TROUPE_REQUIRES(mutex_) {
    // Each object's constructor sets all that must be set; zeroing the memory first would touch all of it twice.
    slabs_.push_back(std::make_unique_for_overwrite<T[]>(kSlab));
    T* objects = slabs_.back().get();
    for (std::size_t batch = 0; batch < kSlab / kBatch; ++batch) {
      Magazine* magazine = new_magazine();
      reserve();
      // The object with the lowest address is allocated first.
      for (std::size_t i = 0; i < kBatch; ++i) {
        magazine->objects[i] = &objects[(kSlab / kBatch - batch) * kBatch - 1 - i];
      }
      magazine->count = kBatch;
      full_.push_back(magazine);
    }
  }

  void refill(Cache& cache) {
    if (cache.current == nullptr) prepare(cache);
    std::swap(cache.current, cache.other);
    if (cache.current->count > 0) return;
    const LockGuard lock(mutex_);
    if (full_.empty()) add_slab();
    empty_.push_back(cache.current);
    cache.current = full_.back();
    full_.pop_back();
  }

  void make_room(Cache& cache) noexcept {
    std::swap(cache.current, cache.other);
    if (cache.current->count < kBatch) return;
    const LockGuard lock(mutex_);
    full_.push_back(cache.current);
    cache.current = empty_.back();
    empty_.pop_back();
  }

  mutable SpinLock mutex_;
  std::vector<Magazine*> full_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Magazine*> empty_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Magazine>> magazines_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<T[]>> slabs_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::graph
