/// A pool of storages. A command uses a storage temporarily; later commands use it again.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "opencl/execution/storage.hpp"
#include "platform/memory/host_buffer.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// The pool of one runtime. Thread-safe.
class StoragePool {
 public:
  /// Returns a storage of at least this size, with undefined content. The storage returns to the pool when its last
  /// owner releases it. Refuses with CL_MEM_OBJECT_ALLOCATION_FAILURE.
  [[nodiscard]] static std::shared_ptr<Storage> take(const std::shared_ptr<Execution>& execution, std::size_t size);

  /// Destroys the unused storages; storages that are returned later are not kept. A worker must not call this.
  void close();

 private:
  struct Kept {
    platform::HostBuffer memory;
    std::unique_ptr<Storage> storage;
  };

  void give_back(std::size_t size, std::shared_ptr<Kept> kept);

  Mutex mutex_;
  bool closed_ TROUPE_GUARDED_BY(mutex_) = false;
  std::size_t bytes_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::multimap<std::size_t, std::shared_ptr<Kept>> kept_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
