/// A client's requests that last until tasks have ended.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/task_graph.hpp"
#include "proto/mutex.hpp"
#include "service/codelets/codelet_source.hpp"
#include "service/sessions/ending_collector.hpp"
#include "service/sessions/session_data.hpp"
#include "service/sessions/session_outbox.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Acquire, Partition, SetReduction, ReleaseData and WaitAll: each begins at once, ends in `finish_ready` when what it
/// waited for is there, and is answered then. No thread waits. One thread, the session's.
class SessionRequests {
 public:
  struct Parts {
    graph::TaskGraph& graph;
    SessionData& data;
    SessionOutbox& outbox;
    const EndingCollector& endings;
    const CodeletSource& codelets;
  };
  /// `wake` is called, in any thread, when `finish_ready` has something to do.
  SessionRequests(const Parts& parts, std::function<void()> wake);

  // A failure is a violation of the protocol.
  Result<void> acquire(const v1::Acquire& message);
  Result<void> give_back(const v1::GiveBack& message);
  Result<void> partition(const v1::Partition& message);
  Result<void> set_reduction(const v1::SetReduction& message);
  Result<void> release(const v1::ReleaseData& message);
  Result<void> wait_all(const v1::WaitAll& message);

  /// A task that will not run, and what it would have written: that has no valid content when its turn has come, and
  /// the task has ended. A failure: the graph does not take it, and the session has to end, as data would count as
  /// valid that are not.
  Result<void> refuse(std::uint64_t task, std::span<const Handle> written, Failure why);
  /// The ends of refused tasks, in the order in which they came; taken.
  void take_refused(EndingCollector::Batch& batch);

  void finish_ready();
  /// Everything that a WaitAll waits for has ended.
  [[nodiscard]] bool can_finish_waits() const {
    return !waits_.empty() && refusals_ == 0 && parts_.endings.count() >= parts_.graph.progress().submitted;
  }
  [[nodiscard]] bool any_waits() const { return !waits_.empty(); }
  /// Blocks until there is something that `finish_ready` can finish: for who has nothing else to do.
  void wait_ready();
  /// Returns the number of requests without an answer, refused tasks included, and of data that the client holds.
  [[nodiscard]] std::size_t pending() const { return pending_.size() + waits_.size(); }
  /// Without the refused tasks.
  [[nodiscard]] std::size_t unanswered() const { return pending() - refusals_; }
  [[nodiscard]] std::size_t held() const { return held_.size(); }

  /// The client is gone, and its tasks are cancelled: gives back what it holds, and from now on whatever it still gets.
  /// What is pending is finished by `finish_ready` until `pending` says 0.
  void abandon();

 private:
  enum class Kind { acquire, partition, set_reduction, release, refusal };
  struct Pending {
    Kind kind = Kind::acquire;
    std::uint64_t request = 0;
    std::unique_ptr<graph::PendingHold> hold;
    /// Acquire: the client has given it back before it got it.
    bool returned = false;
    // Partition.
    std::uint64_t whole = 0;
    std::vector<Block> blocks = {};
    std::vector<std::uint64_t> numbers = {};
    ReductionMethods methods = {};
    SessionData::Removed removed = {};
    // Refusal.
    std::uint64_t task = 0;
    graph::FailureLog::Cause why = nullptr;
  };
  /// Where `ready` callbacks leave the numbers of those that can be finished.
  struct ReadyList {
    Mutex mutex;
    std::condition_variable arrived;
    std::vector<std::uint64_t> numbers TROUPE_GUARDED_BY(mutex);
    std::function<void()> wake;
  };

  std::function<void()> ready_callback();
  /// Takes the beginning of a wait, or answers with why there is none.
  void begin(Pending pending, Result<std::unique_ptr<graph::PendingHold>> hold);
  void finish(Pending& pending);
  void finish_acquire(Pending& pending);
  void finish_refusal(const Pending& pending);
  void finish_partition(Pending& pending);
  void finish_waits();

  const Parts parts_;
  const std::shared_ptr<ReadyList> ready_ = std::make_shared<ReadyList>();
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, Pending> pending_;
  /// For each request that acquires data which the client has not given back, the data's number.
  std::unordered_map<std::uint64_t, std::uint64_t> acquiring_;
  /// The tasks that hold data, by request.
  std::unordered_map<std::uint64_t, graph::Task*> held_;
  std::vector<std::uint64_t> waits_;
  /// Refused tasks whose turn has not come.
  std::size_t refusals_ = 0;
  std::vector<EndingCollector::Unsuccessful> refused_;
  bool abandoned_ = false;
};

}  // namespace troupe::service
