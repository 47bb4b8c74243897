/// Requests: operations that the service answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "graph/tasks/calling_thread.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"

namespace troupe::remote {

/// The requests that wait for their answers. Thread-safe.
class PendingRequests {
 public:
  /// The value of `Reply.count`, or the failure.
  using Answer = Result<std::uint64_t>;

  /// A thread that waits for an answer.
  class Waiting {
   public:
    /// Blocks until there is an answer.
    Answer wait() {
      waiter_.wait();
      return std::move(answer_);
    }
    /// Blocks until there is an answer, or until the calling thread gives up the wait (`graph::WaitInterrupt`); returns
    /// false then. A call of `wait` has to follow.
    [[nodiscard]] bool wait_interruptibly() { return waiter_.wait(graph::WaitInterrupt::here()); }

   private:
    friend class PendingRequests;
    graph::TaskWaiter waiter_;
    Answer answer_{0};
  };

  /// Begins a request and returns its number; `waiting` gets the answer. If the service is lost, `waiting` gets that
  /// failure at once.
  std::uint64_t begin(Waiting& waiting);
  /// Begins a request for which no thread waits: `then` is called with the answer, in the thread that received it.
  /// Returns 0, and does not call `then`, if the service is lost already.
  std::uint64_t begin(std::function<void(const Answer&)> then);

  void answer(std::uint64_t request, Answer answer);
  /// Answers all requests, including future requests, with this failure.
  void lose(const Failure& cause);
  /// Returns true if some thread has got the loss of the service as its answer.
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
