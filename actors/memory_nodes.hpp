/// The memories of a run beside the host's, and what copies between them: real, emulated or in virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/memory/memory_command.hpp"
#include "actors/memory/memory_options.hpp"
#include "actors/reporting/transfer_report.hpp"
#include "actors/scheduler/models/transfer_model.hpp"
#include "graph/codelets/layout.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "proto/ids.hpp"

namespace troupe::actors {

class HostViews;

class MemoryNodes {
 public:
  virtual ~MemoryNodes() = default;

  [[nodiscard]] virtual memory::MemoryOptions memory_options() const = 0;
  /// What the scheduler believes of copies.
  [[nodiscard]] virtual scheduler::TransferModel believed_links() const = 0;
  /// Copies move bytes, and kernels work on them; else data need no memory at all and are never touched.
  [[nodiscard]] virtual bool holds_data() const = 0;
  /// Begins a copy. `done` is called at its end, after the bytes have moved, never inside the call; by any thread.
  virtual void copy(const memory::Command& transfer, platform::CopyDone done) = 0;
  /// Somebody waits for a copy that was begun as one that nobody waits for.
  virtual void hurry(memory::TransferId transfer) = 0;
  /// Where a node has the data that the host has at `host`; with `holds_data`.
  [[nodiscard]] virtual DataView replica(const DataView& host, NodeId node, std::uint64_t offset) const = 0;
  /// Whether memory for a task's data can be had on the node; false only where a fault is wanted.
  [[nodiscard]] virtual bool allocates(NodeId /*node*/) { return true; }
  /// For people: "host memory", "emulated GPU 1".
  [[nodiscard]] virtual std::string name(NodeId node) const = 0;
  /// Bytes and times of copies; what the memory manager knows is added by others. Any thread.
  [[nodiscard]] virtual TransferReport transfers() const = 0;
};

}  // namespace troupe::actors
