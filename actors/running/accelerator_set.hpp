/// The memories of this machine's accelerators (emulated, CUDA or OpenCL), in real time.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "actors/copy_ends.hpp"
#include "actors/host_views.hpp"
#include "actors/memory_nodes.hpp"
#include "platform/machine/clock.hpp"
#include "platform/memory/host_buffer.hpp"
#include "proto/mutex.hpp"

namespace troupe::actors {

/// Node 0 is the host; node i + 1 is accelerator i. Thread-safe.
///
/// A copy between two accelerators that cannot access each other's memory passes through a buffer in host memory.
class AcceleratorSet final : public MemoryNodes {
 public:
  struct Setup {
    std::vector<std::unique_ptr<platform::Accelerator>> accelerators;
    /// Outlives this object.
    HostViews* views = nullptr;
    const platform::Clock* clock = nullptr;
    /// The largest number of copies that are remembered for `take_copies` between two calls; 0 to remember none.
    std::size_t record = 0;
  };

  explicit AcceleratorSet(Setup setup);
  /// Waits for the copies under way, as `stop` does.
  ~AcceleratorSet() override;

  /// Sets the function that is called when a node turns out to be lost. The function may be called from any thread, and
  /// more than once for a node. Must be called before the first copy.
  void on_lost(std::function<void(NodeId)> act) { on_lost_ = std::move(act); }

  [[nodiscard]] platform::Accelerator& accelerator(NodeId node) { return *setup_.accelerators[node.index() - 1]; }
  [[nodiscard]] const platform::Accelerator& accelerator(NodeId node) const {
    return *setup_.accelerators[node.index() - 1];
  }

  [[nodiscard]] memory::MemoryOptions memory_options() const override;
  [[nodiscard]] scheduler::TransferModel believed_links() const override;
  [[nodiscard]] bool holds_data() const override { return true; }
  void copy(const memory::Command& transfer, platform::CopyDone done) override;
  void hurry(memory::TransferId transfer) override;
  [[nodiscard]] DataView replica(const DataView& host, NodeId node, std::uint64_t offset) const override;
  [[nodiscard]] bool allocates(NodeId node) override;
  [[nodiscard]] std::string name(NodeId node) const override;
  [[nodiscard]] TransferReport transfers() const override;

  /// Returns the copies that have ended since the last call.
  [[nodiscard]] std::vector<TraceTransfer> take_copies();
  /// Waits for the copies under way. Copies that have not begun, and copies that are requested later, fail. Afterwards
  /// no copy touches data in host memory.
  void stop();

 private:
  struct Running {
    memory::Command transfer;
    platform::CopyDone done;
    TimeStamp asked{};
    bool urgent = false;
    /// The buffer of a copy between two accelerators through the host.
    std::unique_ptr<platform::HostBuffer> staging;
    CopyEnds ends = {};
    /// True if the data's host memory is borrowed (`HostViews`) until the copy has ended.
    bool borrowed = false;
  };

  [[nodiscard]] std::size_t nodes() const { return setup_.accelerators.size() + 1; }
  [[nodiscard]] platform::CopySpeed speed(std::size_t from, std::size_t to) const;
  void begin(Running& running);
  void begin_staged(Running& running);
  void stage_arrived(memory::TransferId transfer, const Result<void>& outcome);
  void end(memory::TransferId transfer, const Result<void>& outcome);
  [[nodiscard]] std::unique_ptr<platform::HostBuffer> take_staging(Bytes size);

  Setup setup_;
  std::function<void(NodeId)> on_lost_;
  mutable Mutex mutex_;
  // The map is never iterated over. References to its elements stay valid.
  std::unordered_map<memory::TransferId, Running> running_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<platform::HostBuffer>> spare_staging_ TROUPE_GUARDED_BY(mutex_);
  std::vector<TraceTransfer> copies_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::actors
