/// Storages for a while, which are used again.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "opencl/execution/storage.hpp"
#include "platform/memory/host_buffer.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Of one runtime. Thread-safe.
class StoragePool {
 public:
  /// At least as large, with undefined content; goes back when the last owner lets go of it. Refuses with
  /// CL_MEM_OBJECT_ALLOCATION_FAILURE.
  [[nodiscard]] static std::shared_ptr<Storage> take(const std::shared_ptr<Execution>& execution, std::size_t size);

  /// Ends those that nobody has; later ones are not kept. Not by a worker.
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
