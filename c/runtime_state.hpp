/// A runtime of a C program, and the objects that end with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "proto/mutex.hpp"
#include "troupe/runtime.hpp"
#include "troupe/troupe.h"

namespace troupe::c {

/// An object that depends on a runtime and must end before it does: a hold, a recording, factors.
class Dependent {
 public:
  /// `first` is true if tasks may wait for this object; then it ends before the runtime waits for its tasks.
  explicit Dependent(bool first = false) : first_(first) {}
  virtual ~Dependent() = default;
  Dependent(const Dependent&) = delete;
  Dependent& operator=(const Dependent&) = delete;

  /// Ends the object once. The closing runtime and the owner that frees the object may both call this; the second
  /// caller waits until the first has finished.
  void end() noexcept {
    std::call_once(ended_, [this] { do_end(); });
  }
  [[nodiscard]] bool first() const { return first_; }

 private:
  virtual void do_end() noexcept = 0;

  const bool first_;
  std::once_flag ended_;
};

/// The runtime behind a `troupe_runtime`. It lives as long as anybody uses it; its dependent objects hold weak pointers
/// to it. Thread-safe.
class RuntimeState {
 public:
  /// Makes a runtime under a number that no other runtime of the process has had.
  static std::shared_ptr<RuntimeState> make(std::unique_ptr<Runtime> runtime, bool has_memory);
  /// Throws `stopped` if the runtime has gone.
  [[nodiscard]] static std::shared_ptr<RuntimeState> find(std::uint64_t number);

  explicit RuntimeState(std::unique_ptr<Runtime> runtime, std::uint64_t number, bool has_memory)
      : runtime_(std::move(runtime)), number_(number), has_memory_(has_memory) {}

  [[nodiscard]] Runtime& runtime() const { return *runtime_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Returns false in virtual time without real buffers: there data need no memory.
  [[nodiscard]] bool has_memory() const { return has_memory_; }

  /// Throws `stopped` if the runtime is about to end.
  void add(const std::shared_ptr<Dependent>& dependent);
  /// Called after the dependent object has ended.
  void remove(const std::shared_ptr<Dependent>& dependent) noexcept;

  [[nodiscard]] troupe_future to_c(const Future& future);
  [[nodiscard]] Future from_c(const troupe_future& future) const;

  /// Throws if this thread must not wait: in a kernel, a callback or a recorded program.
  void check_wait() const;
  /// Ends the dependent objects, and waits for calls that give the runtime more to do (`GivingCall`) and for all tasks.
  /// Afterwards `find` does not return the runtime any more. At the end this throws what has failed since the last
  /// wait.
  void close();

 private:
  friend class GivingCall;

  [[nodiscard]] bool in_kernel() const;
  /// See `GivingCall`; returns false if the call is not counted.
  [[nodiscard]] bool begin_call();
  void end_call() noexcept;

  const std::unique_ptr<Runtime> runtime_;
  const std::uint64_t number_;
  const bool has_memory_;
  /// The owner of all futures of this runtime; known from the first future on.
  std::atomic<graph::TaskOwner*> owner_{nullptr};

  /// Calls that are running. A call increments this before it reads `closed_`; `close` sets `closed_` before it waits
  /// for this. All four operations are sequentially consistent, so at least one side sees the other.
  std::atomic<int> calls_{0};
  /// Written only under the lock.
  std::atomic<bool> closed_{false};

  Mutex mutex_;
  /// The dependent objects, in the order in which they were made.
  std::vector<std::shared_ptr<Dependent>> dependents_ TROUPE_GUARDED_BY(mutex_);
};

/// A call that gives the runtime data or tasks. As long as one exists, the runtime does not end.
class GivingCall {
 public:
  /// Throws `stopped` if the runtime is about to end. It does not throw in the runtime's own kernels and callbacks,
  /// because the runtime waits for these anyway.
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

/// Returns the runtime of an object; throws `stopped` if it has gone.
[[nodiscard]] inline std::shared_ptr<RuntimeState> living(const std::weak_ptr<RuntimeState>& state) {
  if (auto found = state.lock()) return found;
  throw Error(ErrorCode::stopped, "the runtime of this object has been freed");
}

}  // namespace troupe::c
