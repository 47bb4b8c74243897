#include "service/views/view_history.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "proto/json/json.hpp"

namespace troupe::service {

using Clock = std::chrono::steady_clock;

ViewHistory::ViewHistory(const ServiceViewSource& source, ViewHistoryOptions options)
    : source_(source), options_(options), sampler_([this] { run(); }) {}

ViewHistory::~ViewHistory() {
  {
    const LockGuard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  sampler_.join();
}

std::shared_ptr<const ServiceView> ViewHistory::look() { return take(options_.shared_for); }

std::shared_ptr<const ServiceView> ViewHistory::take(Duration oldest) {
  const LockGuard lock(looking_);
  if (latest_ && Clock::now() - taken_ < oldest) return latest_;
  latest_ = std::make_shared<const ServiceView>(source_.look());
  taken_ = Clock::now();
  return latest_;
}

bool ViewHistory::watched() const { return asked_ && Clock::now() - *asked_ < options_.watched_for; }

void ViewHistory::run() {
  UniqueLock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stop_ || watched(); });
    if (stop_) return;
    lock.unlock();
    std::shared_ptr<const ServiceView> view;
    try {
      view = take(options_.sample_every / 2);
    } catch (const std::exception&) {
      // If there is no memory for a view, this sample is left out.
    }
    lock.lock();
    if (view) append(*view);
    changed_.wait_for(lock, options_.sample_every, [this]() TROUPE_REQUIRES(mutex_) { return stop_; });
  }
}

void ViewHistory::append(const ServiceView& view) {
  // Limit the table of names: clients choose their names, and the names of clients that have gone must not pile up.
  constexpr std::size_t kMostNames = 1000;
  if (names_.size() > kMostNames) {
    names_.clear();
    samples_.clear();
  }
  Sample sample{.number = next_++, .age = view.age, .codelets = {}, .clients = {}};
  for (const LiveWorker& worker : view.runtime.workers) {
    const std::string& what = worker.codelet.empty() ? worker.task : worker.codelet;
    sample.codelets.push_back(what.empty() ? -1 : place_of(what));
    sample.clients.push_back(what.empty() || worker.client.empty() ? -1 : place_of(worker.client));
  }
  samples_.push_back(std::move(sample));
  if (samples_.size() > options_.most_samples) samples_.pop_front();
}

int ViewHistory::place_of(const std::string& name) {
  const auto place = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  if (place == names_.size()) names_.push_back(name);
  return static_cast<int>(place);
}

Json ViewHistory::samples_since(std::uint64_t after) {
  const LockGuard lock(mutex_);
  const bool asleep = !watched();
  asked_ = Clock::now();
  if (asleep) changed_.notify_all();
  Json rows = Json::array();
  for (const Sample& sample : samples_) {
    if (sample.number <= after) continue;
    rows.push_back({sample.number, seconds(sample.age), sample.codelets, sample.clients});
  }
  return {{"interval_seconds", seconds(options_.sample_every)}, {"names", names_}, {"rows", std::move(rows)}};
}

}  // namespace troupe::service
