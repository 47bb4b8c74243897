/// Memory nodes: the memories of a run (the host's and those of devices), and the copies between them. Memories and
/// copies are real, emulated or in virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/memory/memory_command.hpp"
#include "actors/memory/memory_options.hpp"
#include "actors/scheduler/models/transfer_model.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "troupe/ids.hpp"
#include "troupe/layout.hpp"
#include "troupe/report.hpp"

namespace troupe::actors {

class HostViews;

class MemoryNodes {
 public:
  virtual ~MemoryNodes() = default;

  [[nodiscard]] virtual memory::MemoryOptions memory_options() const = 0;
  /// Returns the copy times that the scheduler assumes.
  [[nodiscard]] virtual scheduler::TransferModel believed_links() const = 0;
  /// Returns true if copies really move bytes and kernels really compute. If not, data need no memory at all and are
  /// never touched.
  [[nodiscard]] virtual bool holds_data() const = 0;
  /// Begins a copy. `done` is called after the bytes have moved; in any thread, but never inside this call.
  virtual void copy(const memory::Command& transfer, platform::CopyDone done) = 0;
  /// Makes a copy more urgent. Called when a request begins to wait for a copy that was begun as a prefetch or an early
  /// write-back.
  virtual void hurry(memory::TransferId transfer) = 0;
  /// Returns the view of a node's copy of the data at `host`. The copy begins `offset` bytes into the node's memory; on
  /// the host it is `host` itself. Must be called only if `holds_data` is true.
  [[nodiscard]] virtual DataView replica(const DataView& host, NodeId node, std::uint64_t offset) const = 0;
  /// Returns false if a fault is to be injected: then the next task on the node fails as if the node had no memory.
  [[nodiscard]] virtual bool allocates(NodeId /*node*/) { return true; }
  /// Returns the node's name for messages to people, such as "host memory" or "emulated GPU 1".
  [[nodiscard]] virtual std::string name(NodeId node) const = 0;
  /// Returns the bytes and times of copies, without the memory manager's own counts. May be called from any thread.
  [[nodiscard]] virtual TransferReport transfers() const = 0;
};

}  // namespace troupe::actors
