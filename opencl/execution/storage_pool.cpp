#include "opencl/execution/storage_pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "opencl/commands/worker_scope.hpp"
#include "opencl/objects/memory.hpp"

namespace troupe::opencl {

namespace {

/// The largest amount of unused memory that the pool keeps.
constexpr std::size_t kMostBytes = std::size_t{1} << 28U;

/// Rounds a size up, by at most an eighth, so that storages can be used again for slices of similar size.
std::size_t rounded(std::size_t size) {
  constexpr std::size_t kPage = 4096;
  const std::size_t step = std::max(kPage, std::bit_floor(size) / 8);
  return (size + step - 1) / step * step;
}

}  // namespace

std::shared_ptr<Storage> StoragePool::take(const std::shared_ptr<Execution>& execution, std::size_t size) {
  const std::size_t whole = rounded(size);
  StoragePool& pool = execution->pool();
  std::shared_ptr<Kept> one;
  {
    const LockGuard lock(pool.mutex_);
    if (const auto found = pool.kept_.extract(whole); !found.empty()) {
      one = std::move(found.mapped());
      pool.bytes_ -= whole;
    }
  }
  if (one == nullptr) {
    one = std::make_shared<Kept>();
    one->memory = host_memory(whole);
    one->storage = std::make_unique<Storage>(execution, one->memory.data(), whole, Storage::Content::undefined);
  }
  Storage* const storage = one->storage.get();
  // The storage may be released after the pool's runtime has stopped. This deleter owns `execution`, which owns the
  // pool, so the pool still exists then.
  return {storage, [execution, whole, one = std::move(one)](Storage* /*storage*/) mutable {
            execution->pool().give_back(whole, std::move(one));
          }};
}

void StoragePool::give_back(std::size_t size, std::shared_ptr<Kept> kept) {
  std::vector<std::shared_ptr<Kept>> gone;
  {
    const LockGuard lock(mutex_);
    if (!closed_ && size <= kMostBytes) {
      while (bytes_ + size > kMostBytes) {
        bytes_ -= kept_.begin()->first;
        gone.push_back(std::move(kept_.begin()->second));
        kept_.erase(kept_.begin());
      }
      bytes_ += size;
      kept_.emplace(size, std::move(kept));
    }
  }
  if (kept != nullptr) gone.push_back(std::move(kept));
  if (!gone.empty()) run_outside_of_workers([last = std::move(gone)]() mutable { last.clear(); });
}

void StoragePool::close() {
  // `kept` is declared before the lock, so that the storages are destroyed after the lock is released.
  std::multimap<std::size_t, std::shared_ptr<Kept>> kept;
  const LockGuard lock(mutex_);
  closed_ = true;
  kept = std::exchange(kept_, {});
  bytes_ = 0;
}

}  // namespace troupe::opencl
