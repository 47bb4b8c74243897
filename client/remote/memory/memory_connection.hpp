/// Memory that a service shares with this program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "graph/tasks/home_process.hpp"
#include "platform/files/file_descriptor.hpp"
#include "proto/mutex.hpp"
#include "proto/wire/memory_packets.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::remote {

/// One piece of shared memory, mapped in this program.
struct Segment {
  /// The number of the segment; never 0.
  std::uint64_t id = 0;
  std::byte* data = nullptr;
  Bytes size;
};

/// A source of shared memory. Thread-safe.
class SegmentSource {
 public:
  SegmentSource() = default;
  virtual ~SegmentSource() = default;
  SegmentSource(const SegmentSource&) = delete;
  SegmentSource& operator=(const SegmentSource&) = delete;

  /// Returns zeroed memory of at least `size`. Fails with `out_of_memory` or `service_lost`.
  virtual Result<Segment> allocate(Bytes size) = 0;
  /// Called when this program does not use the segment any more.
  virtual void release(const Segment& segment) noexcept = 0;
};

/// The connection to a service's memory socket. While the connection is open, the service considers this program alive.
class MemoryConnection final : public SegmentSource {
 public:
  /// Connects to the service whose sockets are in `folder`. Fails with `io`, `platform` (no permission, another
  /// version), or `service_lost`.
  static Result<std::unique_ptr<MemoryConnection>> open(const std::string& folder);

  /// The token that names this connection in the session's `Hello`.
  [[nodiscard]] const std::array<std::uint8_t, wire::kTokenSize>& token() const { return token_; }

  Result<Segment> allocate(Bytes size) override;
  void release(const Segment& segment) noexcept override;

 private:
  explicit MemoryConnection(platform::FileDescriptor socket) : socket_(std::move(socket)) {}
  /// Sends one request and receives its reply. `passed` gets the file descriptor that came with the reply, if any.
  Result<wire::MemoryReply> call(wire::MemoryRequest request, platform::FileDescriptor& passed);

  const graph::HomeProcess home_;
  Mutex mutex_;
  platform::FileDescriptor socket_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t last_request_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::array<std::uint8_t, wire::kTokenSize> token_{};
};

}  // namespace troupe::remote
