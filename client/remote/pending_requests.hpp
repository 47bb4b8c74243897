/// Operations that the service answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "graph/tasks/task_waiter.hpp"
#include "proto/errors.hpp"
#include "proto/mutex.hpp"

namespace troupe::remote {

/// Thread-safe.
class PendingRequests {
 public:
  /// `Reply.count`, or the problem.
  using Answer = Result<std::uint64_t>;

  /// A thread that waits for an answer.
  class Waiting {
   public:
    /// Blocks until there is an answer.
    Answer wait() {
      waiter_.wait();
      return std::move(answer_);
    }

   private:
    friend class PendingRequests;
    graph::TaskWaiter waiter_;
    Answer answer_{0};
  };

  /// The number of a request whose answer `waiting` gets. Once the service is lost, that is the answer at once.
  std::uint64_t begin(Waiting& waiting);
  /// The same where nobody waits: `then` is called with the answer, in the thread that heard it. 0, and it is not
  /// called, where the service is lost already.
  std::uint64_t begin(std::function<void(const Answer&)> then);

  void answer(std::uint64_t request, Answer answer);
  /// All requests, those to come too, are answered with this.
  void lose(const Failure& cause);
  /// Some thread has been answered so.
  [[nodiscard]] bool loss_told() const {
    const LockGuard lock(mutex_);
    return loss_told_;
  }

 private:
  struct Request {
    Waiting* waiting = nullptr;
    std::function<void(const Answer&)> then;
  };
  std::uint64_t add(Request request);
  static void give(Request& request, Answer answer);

  mutable Mutex mutex_;
  bool loss_told_ TROUPE_GUARDED_BY(mutex_) = false;
  std::uint64_t last_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Request> requests_ TROUPE_GUARDED_BY(mutex_);
  std::unique_ptr<const Failure> lost_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::remote
