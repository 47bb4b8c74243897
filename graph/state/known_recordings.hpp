/// The recordings that a graph knows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/recording/recording.hpp"

namespace troupe::graph {

/// The recordings that are being made, and those that have been run. Guarded by the submission lock.
class KnownRecordings {
 public:
  void open(Recording& recording) { open_.push_back(&recording); }
  void close(Recording& recording) { std::erase(open_, &recording); }
  [[nodiscard]] std::span<Recording* const> open() const { return open_; }
  /// Returns true if an open recording uses the record. The recording would not know parts that change now.
  [[nodiscard]] bool use(const DataRecord& record) const;
  /// Returns true if an open recording uses parts of the record.
  [[nodiscard]] bool use_inside(const DataRecord& record) const;
  /// Lets the open recordings forget the parts of the record.
  void forget_inside(const DataRecord& record) const;

  /// Adds a recording to the list of recordings that have been run. `inspect` finds recorded tasks through this list.
  /// Returns the recordings that only this graph still owned: nobody can run them, and their last run has ended. The
  /// caller destroys them without the lock.
  [[nodiscard]] std::vector<std::shared_ptr<Recording>> keep(const std::shared_ptr<Recording>& recording);
  /// Returns the recordings of which a run is in progress.
  [[nodiscard]] std::vector<const Recording*> running() const;

 private:
  std::vector<Recording*> open_;
  std::vector<std::shared_ptr<Recording>> run_;
};

}  // namespace troupe::graph
