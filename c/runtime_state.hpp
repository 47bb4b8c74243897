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

/// An object that must end before its runtime does: acquired data (`troupe_hold`), a recording, factors.
class Dependent {
 public:
  /// `first` is true if tasks may wait for the end of this object. A closing runtime ends such objects before it waits
  /// for its tasks.
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

/// The runtime behind a `troupe_runtime`. Shared pointers keep it alive; its dependent objects have weak pointers to
/// it. Thread-safe.
class RuntimeState {
 public:
  /// Makes a runtime under a number that no other runtime of the process has had.
  static std::shared_ptr<RuntimeState> make(std::unique_ptr<Runtime> runtime, bool has_memory);
  /// Returns the runtime with this number. Throws `stopped` if the runtime has been freed.
  [[nodiscard]] static std::shared_ptr<RuntimeState> find(std::uint64_t number);

  explicit RuntimeState(std::unique_ptr<Runtime> runtime, std::uint64_t number, bool has_memory)
      : runtime_(std::move(runtime)), number_(number), has_memory_(has_memory) {}

  [[nodiscard]] Runtime& runtime() const { return *runtime_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Returns whether data need memory. They need none in virtual time without real buffers.
  [[nodiscard]] bool has_memory() const { return has_memory_; }

  /// Adds an object that must end before the runtime. Throws `stopped` if the runtime is being closed, unless a kernel
  /// has made the object: kernels go on until all tasks have ended, and free the objects that they have made.
  void add(const std::shared_ptr<Dependent>& dependent);
  /// Removes a dependent object from the list. Call this after the object has ended.
  void remove(const std::shared_ptr<Dependent>& dependent) noexcept;

  [[nodiscard]] troupe_future to_c(const Future& future);
  [[nodiscard]] Future from_c(const troupe_future& future) const;

  /// Throws if this thread must not end the runtime: in a kernel, a callback or a recorded program.
  void check_may_end() const;
  /// Returns true if the calling thread runs a kernel or a callback of this runtime.
  [[nodiscard]] bool in_kernel() const;
  /// Ends the dependent objects, and waits for running calls that give the runtime data or tasks (`GivingCall`) and for
  /// all tasks. Afterwards `find` does not return the runtime any more. Finally this function throws the error of tasks
  /// that failed since the last wait.
  void close();

 private:
  friend class GivingCall;

  /// Counts a call in `calls_`, and returns true. While the runtime is closing, does not count: returns false in a
  /// kernel or callback, and throws `stopped` elsewhere.
  [[nodiscard]] bool begin_call();
  void end_call() noexcept;

  const std::unique_ptr<Runtime> runtime_;
  const std::uint64_t number_;
  const bool has_memory_;
  /// The owner of all futures of this runtime; null until the first future is converted.
  std::atomic<graph::TaskOwner*> owner_{nullptr};

  /// The number of running calls (`GivingCall`). A call increments this number before it reads `closed_`; `close` sets
  /// `closed_` before it reads this number. All four operations are sequentially consistent, so at least one side sees
  /// the other.
  std::atomic<int> calls_{0};
  /// True once `close` has begun. Written only under `mutex_`.
  std::atomic<bool> closed_{false};

  Mutex mutex_;
  /// The dependent objects, in the order in which they were made.
  std::vector<std::shared_ptr<Dependent>> dependents_ TROUPE_GUARDED_BY(mutex_);
};

/// A call that gives the runtime data or tasks. As long as such a call exists, the runtime does not end.
class GivingCall {
 public:
  /// Throws `stopped` if the runtime is being closed. In kernels and callbacks of the runtime the constructor does not
  /// throw, because the runtime waits for kernels and callbacks anyway.
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

/// Returns the runtime of an object. Throws `stopped` if the runtime has been freed.
[[nodiscard]] inline std::shared_ptr<RuntimeState> living(const std::weak_ptr<RuntimeState>& state) {
  if (auto found = state.lock()) return found;
  throw Error(ErrorCode::stopped, "the runtime of this object has been freed");
}

}  // namespace troupe::c
