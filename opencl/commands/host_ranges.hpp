/// Which commands in flight use which of the program's memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "opencl/commands/command.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// What a command reads from or writes to memory that is no buffer's.
struct HostRange {
  const std::byte* begin = nullptr;
  std::size_t size = 0;
  bool writes = false;
};

/// Commands of an in-order queue may run out of order where nobody can tell. By the program's memory somebody could:
/// commands that conflict there run in the order of their submission. Thread-safe.
class HostRanges {
 public:
  /// Adds a command, and those before it that it conflicts with to `awaited`. Called in the order of submission.
  void add(const std::shared_ptr<Command>& command, const HostRange& range,
           std::vector<std::shared_ptr<Command>>& awaited);

 private:
  struct Use {
    HostRange range;
    std::shared_ptr<Command> command;
  };

  Mutex mutex_;
  /// In the order of their submission; those that have ended go with the next one.
  std::vector<Use> uses_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
