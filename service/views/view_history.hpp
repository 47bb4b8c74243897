/// The view of a service, for all users who watch the service. Requests at about the same time share one view, and a
/// short history records the tasks of the workers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proto/json/json.hpp"
#include "proto/mutex.hpp"
#include "service/views/service_view.hpp"

namespace troupe::service {

struct ViewHistoryOptions {
  /// Requests within this time get the same view, so that the cost does not grow with the number of watchers.
  Duration shared_for = std::chrono::milliseconds(100);
  /// The time between two samples of the workers' tasks. Tasks that are shorter appear only in some samples.
  Duration sample_every = std::chrono::milliseconds(50);
  /// The limit for the samples that are kept: enough for a minute.
  std::size_t most_samples = 1200;
  /// Samples are taken for this time after the last request for samples, so that a service without watchers does no
  /// work.
  Duration watched_for = std::chrono::seconds(5);
};

/// Shares and samples the views of a source. Thread-safe. The source must outlive this object.
class ViewHistory {
 public:
  explicit ViewHistory(const ServiceViewSource& source, ViewHistoryOptions options = {});
  ViewHistory(const ViewHistory&) = delete;
  ViewHistory& operator=(const ViewHistory&) = delete;
  ~ViewHistory();

  /// Returns the state of the service, at most `shared_for` old.
  [[nodiscard]] std::shared_ptr<const ServiceView> look();

  /// Returns the samples with a number above `after`, as JSON (docs/service.md). Also starts the sampling, or lets it
  /// continue.
  [[nodiscard]] Json samples_since(std::uint64_t after);

 private:
  /// The tasks of the workers at one moment, as indices into `names_`; -1 for no task.
  struct Sample {
    std::uint64_t number = 0;
    Duration age{};
    std::vector<int> codelets;
    std::vector<int> clients;
  };

  void run();
  [[nodiscard]] bool watched() const TROUPE_REQUIRES(mutex_);
  [[nodiscard]] std::shared_ptr<const ServiceView> take(Duration oldest);
  void append(const ServiceView& view) TROUPE_REQUIRES(mutex_);
  int place_of(const std::string& name) TROUPE_REQUIRES(mutex_);

  const ServiceViewSource& source_;
  const ViewHistoryOptions options_;

  /// Locked while a thread asks the source, so that no other thread asks the source at the same time.
  Mutex looking_;
  std::shared_ptr<const ServiceView> latest_ TROUPE_GUARDED_BY(looking_);
  std::chrono::steady_clock::time_point taken_ TROUPE_GUARDED_BY(looking_){};

  Mutex mutex_;
  std::condition_variable changed_;
  bool stop_ TROUPE_GUARDED_BY(mutex_) = false;
  std::optional<std::chrono::steady_clock::time_point> asked_ TROUPE_GUARDED_BY(mutex_);
  std::deque<Sample> samples_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t next_ TROUPE_GUARDED_BY(mutex_) = 1;
  std::vector<std::string> names_ TROUPE_GUARDED_BY(mutex_);

  std::thread sampler_;
};

}  // namespace troupe::service
