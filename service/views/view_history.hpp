/// The view that a service shows to all who watch it: one for those who ask at the same time, and a short history of
/// the tasks of its workers.
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
  /// Whoever asks within this time gets the same view: what watching costs does not grow with who watches.
  Duration shared_for = std::chrono::milliseconds(100);
  /// Between two samples of what workers run. Tasks that are shorter show in proportion only.
  Duration sample_every = std::chrono::milliseconds(50);
  /// Samples that are kept: a minute.
  std::size_t most_samples = 1200;
  /// Samples are taken for so long after somebody asked for them; nothing is done while nobody watches.
  Duration watched_for = std::chrono::seconds(5);
};

/// Any thread may call. The source outlives it.
class ViewHistory {
 public:
  explicit ViewHistory(const ServiceViewSource& source, ViewHistoryOptions options = {});
  ViewHistory(const ViewHistory&) = delete;
  ViewHistory& operator=(const ViewHistory&) = delete;
  ~ViewHistory();

  /// The service as it is now, or was a moment ago.
  [[nodiscard]] std::shared_ptr<const ServiceView> look();

  /// Samples with a number above `after`, as JSON (docs/service.md), and sees that more are taken from now on.
  [[nodiscard]] Json samples_since(std::uint64_t after);

 private:
  /// The tasks of the workers at one moment: places in `names_`, -1 for nothing.
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

  /// Held while the source is asked, so that it is asked by one at a time.
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
