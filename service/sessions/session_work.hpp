/// The effects of one client's messages, without threads and streams.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/running/runtime_system.hpp"
#include "service/codelets/codelet_source.hpp"
#include "service/memory/client_memory.hpp"
#include "service/server_options.hpp"
#include "service/sessions/ending_collector.hpp"
#include "service/sessions/refused_tasks.hpp"
#include "service/sessions/session_codelets.hpp"
#include "service/sessions/session_data.hpp"
#include "service/sessions/session_outbox.hpp"
#include "service/sessions/session_requests.hpp"
#include "service/sessions/session_tasks.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// One client's graph and all that its numbers mean. One thread, apart from what says otherwise.
class SessionWork {
 public:
  struct Parts {
    actors::RuntimeSystem& system;
    const CodeletSource& codelets;
    const SessionLimits& limits;
    std::shared_ptr<ClientMemory> memory;
    RefusedTasks& refused;
    std::shared_ptr<UserBudgets> budgets;
  };
  struct Options {
    /// The graph's name in live views.
    std::string name;
    /// The user whose program it is, and his share of the workers.
    std::uint32_t user = 0;
    double weight = 1;
  };
  /// `wake` is called, in any thread, when there is something to tell the client or to finish.
  SessionWork(const Parts& parts, const Options& options, std::function<void()> wake);
  /// `wind_up`, and forgets the data.
  ~SessionWork();
  SessionWork(const SessionWork&) = delete;
  SessionWork& operator=(const SessionWork&) = delete;

  [[nodiscard]] SessionOutbox& outbox() { return outbox_; }
  /// Makes sure that the user's account has room for the client's objects and this many bytes more. A failure ends the
  /// session.
  Result<void> make_room(std::uint64_t bytes);
  /// Does what one operation says. A failure is a violation of the protocol, or says that there is no room, and ends
  /// the session.
  Result<void> apply(const v1::Operation& operation);
  /// Finishes what has become ready, and fills a message with what there is to tell: ends of tasks before replies.
  /// True: there is something. Ends that nobody waits for are held back until `tell_at`, unless `at_once`.
  bool tell(v1::ServiceMessage& message, bool at_once = false);
  using Clock = std::chrono::steady_clock;
  /// When to call `tell` though nothing has happened.
  [[nodiscard]] std::optional<Clock::time_point> tell_at() const { return tell_at_; }
  /// So much is waiting for the client that he should not be listened to until he has read.
  [[nodiscard]] bool overloaded() const;
  /// Every task has ended, and that has been told.
  [[nodiscard]] bool idle() const { return tasks_.in_flight() == 0 && outbox_.empty(); }

  /// Cancels what has not started, gives back what the client holds, and waits for kernels that run.
  void wind_up();
  /// The most that it ever needed for the client, about.
  [[nodiscard]] std::uint64_t highest_bytes() const { return charge_.highest(); }
  /// Cancels tasks; those that come later do not run, for this reason.
  void withdraw(const Failure& reason);
  /// Tasks that come from now on do not run, for this reason; the others go on.
  void refuse_more(const Failure& reason) { tasks_.withdraw(reason); }

  // Any thread.
  struct Counts {
    std::uint64_t submitted = 0;
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;
  };
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Duration worker_time() const { return graph_->worker_time(); }
  [[nodiscard]] WhyReport why() const { return graph_->why(); }
  /// Tasks that have not ended.
  [[nodiscard]] std::uint64_t in_flight() const;

 private:
  /// Returns the estimated size of what the service keeps for the client.
  [[nodiscard]] std::uint64_t bytes() const;
  /// A failure ends the session.
  Result<void> count_against_budgets(const v1::Operation& operation);
  Result<void> set_reduction(const v1::SetReduction& message);
  Result<void> keep(const v1::Keep& message);
  Result<void> let_go(const v1::LetGo& message);
  Result<void> open_codelet(const v1::OpenCodelet& message);
  /// The graph has been given what came, but for what is refused.
  Result<void> note_submitted(Result<void> submitted);
  void take_endings();
  [[nodiscard]] bool may_hold() const;
  /// The end of an awaited task is among what has been taken since the last look.
  bool took_awaited();
  /// There is nothing to tell yet.
  bool holds_endings(Clock::time_point now);
  void tell_endings(v1::ServiceMessage& message);
  [[nodiscard]] bool told_all_endings() const {
    return told_succeeded_ == batch_.succeeded.size() && told_others_ == batch_.others.size();
  }

  const Parts parts_;
  const std::function<void()> wake_;
  MemoryCharge charge_;
  BudgetHold requests_hold_;
  BudgetHold recorded_hold_;
  EndingCollector endings_;
  const std::unique_ptr<actors::ClientGraph> graph_;
  SessionOutbox outbox_;
  SessionCodelets codelets_;
  SessionData data_;
  SessionTasks tasks_;
  SessionRequests requests_;
  /// The client's numbers, and what was locked.
  std::unordered_map<std::uint64_t, std::vector<HandleId>> kept_;
  std::uint64_t kept_bytes_ = 0;

  /// Taken from the collector; told as far as these say.
  EndingCollector::Batch batch_;
  std::size_t told_succeeded_ = 0;
  std::size_t told_others_ = 0;
  /// Successes in which awaited ones have been looked for.
  std::size_t looked_at_ = 0;
  std::optional<Clock::time_point> tell_at_;

  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<std::uint64_t> failed_{0};
};

}  // namespace troupe::service
