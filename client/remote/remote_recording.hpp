/// Graphs that a service has recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "client/backend.hpp"
#include "client/remote/remote_backend.hpp"
#include "graph/recording/recording.hpp"

namespace troupe::remote {

/// The bit that is set in the ids of recorded tasks. The ids of other tasks are their numbers in the session with the
/// service.
inline constexpr std::uint64_t kRecordedBit = std::uint64_t{1} << 63U;

[[nodiscard]] inline bool is_recorded(TaskId id) { return (id.value() & kRecordedBit) != 0; }

/// The recording as the program sees it. This object has the list of data that the recording uses, so that runs are
/// checked as in an embedded runtime. The service has the tasks.
class RemoteBackend::Recorded final : public client::RecordedTasks {
 public:
  /// `number` is the service's number of the recording; 0 if the service does not have the recording, because data that
  /// it uses were released before it was complete.
  Recorded(RemoteBackend& backend, std::shared_ptr<graph::Recording> recording, std::uint64_t number, std::size_t size)
      : backend_(backend), session_(backend.session_), recording_(std::move(recording)), number_(number), size_(size) {}
  ~Recorded() override;

  Result<Future> run(std::span<const Rebinding> rebindings) override { return backend_.replay(*this, rebindings); }
  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] const graph::Recording& recording() const { return *recording_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  RemoteBackend& backend_;
  /// A weak pointer, because the program may keep a recording for longer than the backend.
  std::weak_ptr<Session> session_;
  std::shared_ptr<graph::Recording> recording_;
  std::uint64_t number_;
  std::size_t size_;
};

}  // namespace troupe::remote
