/// The ranges of the program's memory that commands in flight use.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "opencl/commands/command.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// A range of the program's memory, outside of buffers, that a command reads or writes.
struct HostRange {
  const std::byte* begin = nullptr;
  std::size_t size = 0;
  bool writes = false;
};

/// The memory ranges of the commands in flight. Commands of an in-order queue may run out of order as long as the
/// program cannot see a difference. The program can see its own memory at any time, so commands whose ranges there
/// conflict run in the order of their submission. Thread-safe.
class HostRanges {
 public:
  /// Adds a command, and appends to `awaited` the earlier commands whose ranges conflict with its own. Must be called
  /// in the order of submission.
  void add(const std::shared_ptr<Command>& command, const HostRange& range,
           std::vector<std::shared_ptr<Command>>& awaited);

 private:
  struct Use {
    HostRange range;
    std::shared_ptr<Command> command;
  };

  Mutex mutex_;
  /// The uses in the order of submission. Uses whose commands have ended are removed by the next call of `add`.
  std::vector<Use> uses_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
