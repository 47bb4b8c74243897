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
#include "service/codelets/kernel_limit.hpp"
#include "service/memory/client_memory.hpp"
#include "service/nesting/kernel_backend.hpp"
#include "service/nesting/kernel_budget.hpp"
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

/// One client's graph, and the meaning of the client's numbers. Only one thread may use this class, except for
/// functions whose comment allows more.
class SessionWork {
 public:
  struct Collaborators {
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
    /// The user who runs the program, and the program's weight, which decides its share of the workers.
    std::uint32_t user = 0;
    double weight = 1;
  };
  /// `wake` is called, in any thread, when there is news for the client or a request to finish.
  SessionWork(const Collaborators& collaborators, const Options& options, std::function<void()> wake);
  /// Calls `wind_up` and removes the client's data.
  ~SessionWork();
  SessionWork(const SessionWork&) = delete;
  SessionWork& operator=(const SessionWork&) = delete;

  [[nodiscard]] SessionOutbox& outbox() { return outbox_; }
  /// Ensures that the user's account has room for the client's objects and `bytes` more. If this fails, the session
  /// ends.
  Result<void> make_room(std::uint64_t bytes);
  /// Executes one operation. If this fails, the client broke the protocol or there is no room, and the session ends.
  Result<void> apply(const v1::Operation& operation);
  /// Finishes requests that are ready, and fills a message with the news for the client: ends of tasks before replies.
  /// Returns true if the message is not empty. Ends for which the client does not wait are held back until `tell_at`,
  /// unless `at_once` is true.
  bool tell(v1::ServiceMessage& message, bool at_once = false);
  using Clock = std::chrono::steady_clock;
  /// Returns the time at which to call `tell` even if no event has occurred; nothing if there is no such time.
  [[nodiscard]] std::optional<Clock::time_point> tell_at() const { return tell_at_; }
  /// Returns true if the client has so many open replies, requests and acquired data that its messages should not be
  /// read for now.
  [[nodiscard]] bool overloaded() const;
  /// Returns true if every task has ended and all ends and replies have been sent to the client.
  [[nodiscard]] bool idle() const { return tasks_.in_flight() == 0 && outbox_.empty(); }

  /// Cancels tasks that have not started, gives back the data that the client has acquired, and waits for running
  /// kernels.
  void wind_up();
  /// Returns the largest number of bytes, roughly, that the session has needed for the client at any time.
  [[nodiscard]] std::uint64_t highest_bytes() const { return charge_.highest(); }
  /// Cancels the tasks, and refuses later tasks for this reason.
  void withdraw(const Failure& reason);
  /// Refuses new tasks from now on for this reason; present tasks continue.
  void refuse_more(const Failure& reason) { tasks_.withdraw(reason); }

  // Any thread may call the following functions.
  struct Counts {
    std::uint64_t submitted = 0;
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;
  };
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Duration worker_time() const { return graph_->worker_time(); }
  [[nodiscard]] WhyReport why() const { return graph_->why(); }
  /// Returns the number of tasks that have not ended.
  [[nodiscard]] std::uint64_t in_flight() const;

 private:
  /// Returns the estimated size of all objects that the service keeps for the client.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Counts the objects that the operation adds against the user's budgets. If this fails, the session ends.
  Result<void> count_against_budgets(const v1::Operation& operation);
  Result<void> set_reduction(const v1::SetReduction& message);
  Result<void> keep(const v1::Keep& message);
  Result<void> let_go(const v1::LetGo& message);
  Result<void> open_codelet(const v1::OpenCodelet& message);
  /// Called after tasks were submitted to the graph: begins the refusal of the tasks that could not be submitted.
  Result<void> note_submitted(Result<void> submitted);
  void take_endings();
  [[nodiscard]] bool may_hold() const;
  /// Returns true if the client waits for one of the tasks in `batch_.succeeded` from `looked_at_` on.
  bool took_awaited();
  /// Returns true if all ends of tasks can wait for a later message.
  bool holds_endings(Clock::time_point now);
  void tell_endings(v1::ServiceMessage& message);
  [[nodiscard]] bool told_all_endings() const {
    return told_succeeded_ == batch_.succeeded.size() && told_others_ == batch_.others.size();
  }

  const Collaborators collaborators_;
  const std::function<void()> wake_;
  MemoryCharge charge_;
  BudgetHold requests_hold_;
  BudgetHold recorded_hold_;
  EndingCollector endings_;
  /// Counts what kernels of nested tasks take; `charge_` counts what the client takes.
  KernelBudget nesting_;
  const std::unique_ptr<actors::ClientGraph> graph_;
  const KernelLimit kernels_;
  const std::shared_ptr<KernelBackend> for_kernels_;
  SessionOutbox outbox_;
  SessionCodelets codelets_;
  SessionData data_;
  SessionTasks tasks_;
  SessionRequests requests_;
  /// The handles that `RuntimeSystem::lock` protects from eviction, by the client's number of the `Keep`.
  std::unordered_map<std::uint64_t, std::vector<HandleId>> kept_;
  std::uint64_t kept_bytes_ = 0;

  /// The ends that were taken from the collector. The next two members count the ends that have been sent.
  EndingCollector::Batch batch_;
  std::size_t told_succeeded_ = 0;
  std::size_t told_others_ = 0;
  /// The number of successes in the batch that `took_awaited` has searched for tasks for which the client waits.
  std::size_t looked_at_ = 0;
  std::optional<Clock::time_point> tell_at_;

  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<std::uint64_t> failed_{0};
};

}  // namespace troupe::service
