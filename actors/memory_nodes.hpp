/// Memory nodes: the memories of a run beside the host's, and the copies between them: real, emulated or in virtual
/// time.
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
  /// The copy times that the scheduler assumes.
  [[nodiscard]] virtual scheduler::TransferModel believed_links() const = 0;
  /// True if copies move bytes and kernels work on them. False: data need no memory at all and are never touched.
  [[nodiscard]] virtual bool holds_data() const = 0;
  /// Begins a copy. `done` is called at its end, after the bytes have moved, by any thread, and never inside this call.
  virtual void copy(const memory::Command& transfer, platform::CopyDone done) = 0;
  /// A request now waits for a copy that was begun as one that nobody waits for.
  virtual void hurry(memory::TransferId transfer) = 0;
  /// Returns where a node has the data that the host has at `host`; only with `holds_data`.
  [[nodiscard]] virtual DataView replica(const DataView& host, NodeId node, std::uint64_t offset) const = 0;
  /// Returns true if memory for a task's data can be had on the node; false only if a fault is to be injected.
  [[nodiscard]] virtual bool allocates(NodeId /*node*/) { return true; }
  /// The node's name for people: "host memory", "emulated GPU 1".
  [[nodiscard]] virtual std::string name(NodeId node) const = 0;
  /// Bytes and times of copies; the memory manager's counts are added by others. Any thread may call it.
  [[nodiscard]] virtual TransferReport transfers() const = 0;
};

}  // namespace troupe::actors
