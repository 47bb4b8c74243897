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

/// The requests Acquire, Partition, SetReduction, ReleaseData and WaitAll. Each request begins at once. When the tasks
/// that it waits for have ended, `finish_ready` finishes and answers it. No thread waits. Only the session's thread may
/// use this class.
class SessionRequests {
 public:
  struct Collaborators {
    graph::TaskGraph& graph;
    SessionData& data;
    SessionOutbox& outbox;
    const EndingCollector& endings;
    const CodeletSource& codelets;
  };
  /// `wake` is called in any thread when `finish_ready` has a request to finish.
  SessionRequests(const Collaborators& collaborators, std::function<void()> wake);

  // The following functions fail only if the client broke the protocol.
  Result<void> acquire(const v1::Acquire& message);
  Result<void> give_back(const v1::GiveBack& message);
  Result<void> partition(const v1::Partition& message);
  Result<void> set_reduction(const v1::SetReduction& message);
  Result<void> release(const v1::ReleaseData& message);
  Result<void> wait_all(const v1::WaitAll& message);
  /// Takes back a request, whose answer then is a failure. Does nothing if the request was answered.
  Result<void> withdraw(const v1::Withdraw& message);

  /// Ends a refused task in its turn, without running it. The data in `written`, which the task would have written,
  /// have no valid content from then on. If this function fails, the graph does not take the task, and the session has
  /// to end: otherwise invalid data would count as valid.
  Result<void> refuse(std::uint64_t task, std::span<const Handle> written, Failure why);
  /// Moves the ends of refused tasks to `batch`, in the order in which the tasks ended.
  void take_refused(EndingCollector::Batch& batch);

  void finish_ready();
  /// Returns true if a WaitAll waits and all its tasks have ended.
  [[nodiscard]] bool can_finish_waits() const {
    if (waits_.empty() || refusals_ != 0) return false;
    // The ends are counted first, as kernels may submit children at any time.
    const std::uint64_t ended = collaborators_.endings.count();
    return ended >= collaborators_.graph.progress().submitted;
  }
  [[nodiscard]] bool any_waits() const { return !waits_.empty(); }
  /// Blocks until `finish_ready` can finish a request; for callers that have no other work.
  void wait_ready();
  /// Returns the number of requests without an answer, including refused tasks. Acquired data do not count.
  [[nodiscard]] std::size_t pending() const { return pending_.size() + waits_.size(); }
  /// Returns the number of requests without an answer, not counting refused tasks.
  [[nodiscard]] std::size_t unanswered() const { return pending() - refusals_; }
  [[nodiscard]] std::size_t held() const { return held_.size(); }

  /// Called when the client has gone and its tasks are cancelled. Gives back the data that the client has acquired, and
  /// later the data of acquires that still wait. Call `finish_ready` until `pending` is 0 to finish the other requests.
  void abandon();

 private:
  /// A `withdrawn` request has its answer, and waits for the end of the hold that the graph has begun for it.
  enum class Kind { acquire, partition, repartition, set_reduction, release, refusal, withdrawn };
  struct Pending {
    Kind kind = Kind::acquire;
    std::uint64_t request = 0;
    std::unique_ptr<graph::PendingHold> hold;
    /// True for an acquire whose data the client has given back before it got the data.
    bool returned = false;
    // A partition and a repartition use `added`, a set_reduction `methods`, and a release `removed`.
    SessionData::NewBlocks added = {};
    ReductionMethods methods = {};
    SessionData::Removed removed = {};
    // A refusal uses the number of the task and the reason why the task was refused.
    std::uint64_t task = 0;
    graph::FailureLog::Cause why = nullptr;
  };
  /// The list of requests that can be finished. Callbacks add the numbers of requests.
  struct ReadyList {
    Mutex mutex;
    std::condition_variable arrived;
    std::vector<std::uint64_t> numbers TROUPE_GUARDED_BY(mutex);
    std::function<void()> wake;
  };

  std::function<void()> ready_callback();
  /// Keeps a request whose wait has begun. If `hold` is a failure, answers the request with this failure.
  void begin(Pending pending, Result<std::unique_ptr<graph::PendingHold>> hold);
  void finish(Pending& pending);
  void finish_acquire(Pending& pending);
  void finish_refusal(const Pending& pending);
  /// Begins to replace blocks, or replaces them.
  void repartition(std::uint64_t request, SessionData::NewBlocks added, bool may_wait);
  /// Answers a request for blocks, whose handles the graph has made or refused.
  void add_blocks(std::uint64_t request, const SessionData::NewBlocks& added,
                  const Result<std::vector<Handle>>& handles);
  void finish_waits();

  const Collaborators collaborators_;
  const std::shared_ptr<ReadyList> ready_ = std::make_shared<ReadyList>();
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, Pending> pending_;
  /// The acquires that the client has not given back: their keys in `pending_`, by the client's number of the request.
  std::unordered_map<std::uint64_t, std::uint64_t> acquiring_;
  /// The tasks of the graph that hold acquired data, by the client's number of the request.
  std::unordered_map<std::uint64_t, graph::Task*> held_;
  std::vector<std::uint64_t> waits_;
  /// The number of refused tasks whose turn has not come.
  std::size_t refusals_ = 0;
  std::vector<EndingCollector::Unsuccessful> refused_;
  bool abandoned_ = false;
};

}  // namespace troupe::service
