/// A runtime of a C program, and what ends with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "client/c/troupe.h"
#include "client/runtime.hpp"
#include "proto/mutex.hpp"

namespace troupe::c {

/// What stands on a runtime and must end before it does: a hold, a recording, factors.
class Dependent {
 public:
  /// `first`: tasks may wait for it, so that it ends before these are waited for.
  explicit Dependent(bool first = false) : first_(first) {}
  virtual ~Dependent() = default;
  Dependent(const Dependent&) = delete;
  Dependent& operator=(const Dependent&) = delete;

  /// Once, whoever comes first: the runtime that goes, or whoever frees the object. Whoever comes second waits until it
  /// has ended.
  void end() noexcept {
    std::call_once(ended_, [this] { do_end(); });
  }
  [[nodiscard]] bool first() const { return first_; }

 private:
  virtual void do_end() noexcept = 0;

  const bool first_;
  std::once_flag ended_;
};

/// Lives as long as anybody uses it; its objects know it weakly. Thread-safe.
class RuntimeState {
 public:
  /// Under a number that no other runtime of the process has had.
  static std::shared_ptr<RuntimeState> make(std::unique_ptr<Runtime> runtime, bool has_memory);
  /// Throws `stopped` where it has gone.
  [[nodiscard]] static std::shared_ptr<RuntimeState> find(std::uint64_t number);

  explicit RuntimeState(std::unique_ptr<Runtime> runtime, std::uint64_t number, bool has_memory)
      : runtime_(std::move(runtime)), number_(number), has_memory_(has_memory) {}

  [[nodiscard]] Runtime& runtime() const { return *runtime_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// False in virtual time without real buffers: data need none.
  [[nodiscard]] bool has_memory() const { return has_memory_; }

  /// Throws `stopped` where the runtime is about to go.
  void add(const std::shared_ptr<Dependent>& dependent);
  /// After it has ended.
  void remove(const std::shared_ptr<Dependent>& dependent) noexcept;

  [[nodiscard]] troupe_future to_c(const Future& future);
  [[nodiscard]] Future from_c(const troupe_future& future) const;

  /// Throws where this thread must not wait: in a kernel, a callback or a recorded program.
  void check_wait() const;
  /// Ends what stands on it, and waits for calls that give it more to do (`GivingCall`) and for all tasks; nobody finds
  /// the runtime any more then. Throws what has failed since the last wait, at the end.
  void close();

 private:
  friend class GivingCall;

  [[nodiscard]] bool in_kernel() const;
  /// See `GivingCall`; false: it is not counted.
  [[nodiscard]] bool begin_call();
  void end_call() noexcept;

  const std::unique_ptr<Runtime> runtime_;
  const std::uint64_t number_;
  const bool has_memory_;
  /// What all its futures belong to; known from the first on.
  std::atomic<graph::TaskOwner*> owner_{nullptr};

  /// Calls count themselves before they look whether it is closed, and it is closed before they are waited for: all
  /// sequentially consistent, so that one of the two sees the other.
  std::atomic<int> calls_{0};
  /// Set under the lock.
  std::atomic<bool> closed_{false};

  Mutex mutex_;
  /// In the order in which they were made.
  std::vector<std::shared_ptr<Dependent>> dependents_ TROUPE_GUARDED_BY(mutex_);
};

/// While one lives, its thread is in a call that gives the runtime data or tasks, and the runtime does not go.
class GivingCall {
 public:
  /// Throws `stopped` where the runtime is about to go; not in its kernels and callbacks, which are waited for anyway.
  explicit GivingCall(std::shared_ptr<RuntimeState> state) : state_(std::move(state)), counted_(state_->begin_call()) {}
  ~GivingCall() {
    if (counted_) state_->end_call();
  }
  GivingCall(const GivingCall&) = delete;
  GivingCall& operator=(const GivingCall&) = delete;

  [[nodiscard]] const std::shared_ptr<RuntimeState>& state() const { return state_; }
  [[nodiscard]] Runtime& runtime() const { return state_->runtime(); }

 private:
  const std::shared_ptr<RuntimeState> state_;
  const bool counted_;
};

/// The runtime of an object; throws `stopped` where it has gone.
[[nodiscard]] inline std::shared_ptr<RuntimeState> living(const std::weak_ptr<RuntimeState>& state) {
  if (auto found = state.lock()) return found;
  throw Error(ErrorCode::stopped, "the runtime of this object has been freed");
}

}  // namespace troupe::c
