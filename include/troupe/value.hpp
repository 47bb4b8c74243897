/// Values that tasks and coroutines return.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/inline_kernel.hpp"

namespace troupe {

class Runtime;
template <class R>
class Value;
namespace client {
class Backend;
}
namespace graph {
struct CallPlace;
}

namespace detail {

/// The functions that all coroutines share, whatever the type of their values.
struct Resumption {
  /// Resumes the coroutine `waiting` when the task has ended. Throws `Error` if the coroutine cannot be resumed.
  static void after(const Future& future, std::coroutine_handle<> waiting);
  /// Throws the failure, if there is one, of a task that has ended.
  static void check_outcome(const Future& future);
  /// Waits until a coroutine has ended, whatever its outcome. Throws `wait_in_kernel` where `Started::get` does.
  static void wait(const Future& end);
  /// Notes that the program has got the outcome of a coroutine, so that no wait reports the outcome as unknown.
  static void note_told(const Future& end);
  /// Sets the future of a coroutine's end, and resumes the coroutine in a task. If the function throws `Error`, it has
  /// not resumed the coroutine.
  static void begin(client::Backend& backend, Future& end, std::coroutine_handle<> coroutine);
  static void end(const Future& end, const std::exception_ptr& error) noexcept;
};

/// A function call that a task makes, with its outcome. The task and a `Value` own this object together.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): only `release` destroys the object, by this class.
class AsyncCall {
 public:
  AsyncCall() = default;
  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;

  /// Calls the function. Throws what it throws.
  virtual void run() = 0;
  /// Gives up one of the two references; the second call destroys the object.
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Waits for the task. Throws what the function threw, or `Error` if the task did not succeed for another reason.
  void wait();

  /// Does what `wait` does, for a task that has ended.
  void check_outcome() const;

  /// Returns true if the outcome is known.
  [[nodiscard]] bool done() const { return at_once_ || future_.done(); }
  /// Returns the task's future. If the call ran without a task, submits an empty one.
  [[nodiscard]] Future future();

  /// Submits the task of a call. If `options` is null, the function may run the call without a task instead
  /// (`Runtime::async`). If this function throws, it has destroyed the call.
  static void submit(Runtime& runtime, const Codelet& codelet, const TaskOptions* options, AsyncCall* call);
  /// Makes a codelet for calls.
  [[nodiscard]] static Codelet make_codelet(std::string name);

 protected:
  virtual ~AsyncCall() = default;

  std::exception_ptr error_;

 private:
  /// Runs the call in the calling thread, without a task. Returns false if the called function threw, or if a task
  /// failed that this function has submitted: the caller then submits a task that reports the failure.
  bool call_at_once(client::Backend& backend, graph::CallPlace place);
  void submit_task(const Codelet& codelet, const TaskOptions* options);

  std::atomic<int> references_{2};
  /// True if the call ran without a task and succeeded.
  bool at_once_ = false;
  /// The number of the call without a task (client/async_call.cpp) whose function has made this call; 0 if there is
  /// none.
  std::uint64_t maker_ = 0;
  /// Set by the thread that submits the task.
  Future future_;
  client::Backend* backend_ = nullptr;
};

template <class R>
class AsyncResult : public AsyncCall {
 public:
  [[nodiscard]] R take() { return std::move(*value_); }

 protected:
  std::optional<R> value_;
};
template <class R>
class AsyncResult<R&> : public AsyncCall {
 public:
  [[nodiscard]] R& take() { return *value_; }

 protected:
  R* value_ = nullptr;
};
template <>
class AsyncResult<void> : public AsyncCall {
 public:
  void take() {}
};

/// Returns the name of a type, such as "main()::<lambda(int)>".
template <class T>
constexpr std::string_view type_name() {
  constexpr std::string_view here = __PRETTY_FUNCTION__;
  constexpr std::size_t begin = here.find("T = ") + 4;
  return here.substr(begin, here.find_first_of(";]", begin) - begin);
}

/// A call of a function of type `F` with copies of these arguments.
template <class R, class F, class... A>
class AsyncCallOf final : public AsyncResult<R> {
 public:
  template <class Function, class... Given>
  explicit AsyncCallOf(Function&& function, Given&&... given)
      : given_(std::in_place, std::forward<Function>(function), std::forward<Given>(given)...) {}

  void run() override {
    // The call has failed without a task. This is the task that reports the exception.
    if (this->error_ != nullptr) std::rethrow_exception(this->error_);
    try {
      const auto call = [](F& function, A&... arguments) -> R {
        return std::invoke(std::move(function), std::move(arguments)...);
      };
      if constexpr (std::is_void_v<R>) {
        std::apply(call, *given_);
      } else if constexpr (std::is_reference_v<R>) {
        this->value_ = std::addressof(std::apply(call, *given_));
      } else {
        this->value_.emplace(std::apply(call, *given_));
      }
    } catch (...) {
      this->error_ = std::current_exception();
      throw;
    }
    // The function's captures and its arguments are destroyed here, in the task, and not with the `Value`.
    given_.reset();
  }

  /// Returns the codelet of calls of this function. All function objects of one type without a name have the same
  /// codelet. If `name` is null, the name of the function's type names it.
  [[nodiscard]] static const Codelet& codelet_for([[maybe_unused]] const F& function, const char* name) {
    const auto make = [name] { return AsyncCall::make_codelet(name != nullptr ? name : std::string(type_name<F>())); };
    const void* key = nullptr;
    if constexpr (std::is_pointer_v<F>) {
      if (function == nullptr) InlineCodelets::refuse_null();
      key = reinterpret_cast<const void*>(function);
    }
    if (key != nullptr || name != nullptr) {
      return InlineCodelets::kept_by<AsyncCallOf>(key, name != nullptr ? name : "", make);
    }
    // The codelet is never destroyed: static objects of the program may submit tasks while they are destroyed.
    static const Codelet& one = *new Codelet(make());
    return one;
  }

 private:
  std::optional<std::tuple<F, A...>> given_;
};

}  // namespace detail

/// The value that a function will return; the function runs as a task (`Runtime::async`). The object must not be used
/// after its runtime was destroyed. A value that is destroyed without `get` does not wait: its task runs all the same,
/// and a failure is reported like the failure of any other task.
template <class R>
class Value {
 public:
  Value() = default;
  Value(Value&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  Value& operator=(Value&& other) noexcept {
    std::swap(call_, other.call_);
    return *this;
  }
  ~Value() {
    if (call_ != nullptr) call_->release();
  }

  /// Returns false if there is nothing to get: the object is empty, or `get` has returned the value.
  [[nodiscard]] bool valid() const { return call_ != nullptr; }
  /// Waits until the function has returned, and returns its value; the object is empty then. Throws what the function
  /// threw, in which case the object is not empty, and `Error`: `cancelled` if the function was not called, the failure
  /// of a task that the function submitted, and what `Future::wait` throws. In a kernel, `get` waits for values of
  /// tasks that this kernel has submitted.
  R get() {
    check_valid();
    call_->wait();
    return take();
  }
  /// Returns the future of the task, with which the program can wait for the task or make other tasks depend on it.
  [[nodiscard]] Future future() const { return call_ != nullptr ? call_->future() : Future(); }
  [[nodiscard]] bool done() const { return call_ != nullptr && call_->done(); }

  /// Lets a coroutine wait for the value: `long n = co_await runtime.async(count, x);`. The coroutine goes on in a task
  /// of its own when the value is known. Throws what `get` throws. In contrast to `get` in a kernel, it can wait for
  /// any task's value.
  auto operator co_await() {
    struct Awaiting {
      [[nodiscard]] bool await_ready() const {
        value.check_valid();
        return value.done();
      }
      void await_suspend(std::coroutine_handle<> waiting) const {
        detail::Resumption::after(value.call_->future(), waiting);
      }
      R await_resume() const {
        value.call_->check_outcome();
        return value.take();
      }
      Value& value;
    };
    return Awaiting{*this};
  }

 private:
  friend class Runtime;
  explicit Value(detail::AsyncResult<R>* call) : call_(call) {}

  void check_valid() const {
    if (call_ != nullptr) return;
    throw Error(ErrorCode::invalid_argument, "a value was asked for that is empty, or was got before");
  }
  R take() {
    struct Release {
      ~Release() { call->release(); }
      detail::AsyncResult<R>* call;
    } release{std::exchange(call_, nullptr)};
    return release.call->take();
  }

  detail::AsyncResult<R>* call_ = nullptr;
};

/// Lets a coroutine wait for a task: `co_await runtime.submit(…);`. The coroutine goes on in a task of its own when
/// that task has ended. Throws `Error`, as `Future::wait` does, if the task did not succeed.
inline auto operator co_await(const Future& future) {
  struct Awaiting {
    [[nodiscard]] bool await_ready() const { return future.done(); }
    void await_suspend(std::coroutine_handle<> waiting) const { detail::Resumption::after(future, waiting); }
    void await_resume() const { detail::Resumption::check_outcome(future); }
    Future future;
  };
  return Awaiting{future};
}

template <class R>
class Coroutine;

namespace detail {

/// The result of a coroutine: a value, or an exception.
template <class R>
struct CoroutineResult {
  std::optional<R> value;
  std::exception_ptr error;

  template <class T>
  void return_value(T&& given) {
    value.emplace(std::forward<T>(given));
  }
  R take() {
    if (error != nullptr) std::rethrow_exception(error);
    return *std::move(value);
  }
};
template <>
struct CoroutineResult<void> {
  std::exception_ptr error;

  void return_void() {}
  void take() const {
    if (error != nullptr) std::rethrow_exception(error);
  }
};

/// The result of a coroutine that was begun by `Runtime::start`; the coroutine's frame and a `Started` own this object
/// together.
template <class R>
struct StartedCoroutine {
  CoroutineResult<R> result;
  Future end;
};

/// The state of an awaited coroutine: it runs, the coroutine that awaits it has suspended, or it has ended.
enum class AwaitedState : std::uint8_t { runs, awaited, ended };

/// The number of calls in which the thread runs a coroutine inside the coroutine that awaits it. Beyond a few, the
/// awaiting coroutine suspends first: a deep recursion then takes no stack, where the compiler makes tail calls.
class NestedCoroutines {
 public:
  NestedCoroutines() { ++depth_; }
  ~NestedCoroutines() { --depth_; }
  NestedCoroutines(const NestedCoroutines&) = delete;
  NestedCoroutines& operator=(const NestedCoroutines&) = delete;

  [[nodiscard]] static bool may_begin() { return depth_ < 32; }

 private:
  static inline thread_local constinit int depth_ = 0;
};

template <class R>
struct CoroutinePromise : CoroutineResult<R> {
  /// The coroutine that awaits this coroutine, from `AwaitedState::awaited` on; null if this coroutine was begun by
  /// `Runtime::start`.
  std::coroutine_handle<> awaiting;
  /// The state of this coroutine, if another one awaits it.
  std::atomic<AwaitedState> state{AwaitedState::runs};
  std::shared_ptr<StartedCoroutine<R>> started;

  Coroutine<R> get_return_object() {
    return Coroutine<R>(std::coroutine_handle<CoroutinePromise>::from_promise(*this));
  }
  std::suspend_always initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept {
    struct End {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<CoroutinePromise> ended) const noexcept {
        CoroutinePromise& promise = ended.promise();
        if (promise.started == nullptr) {
          // Unless the other coroutine has suspended, it looks at the state as soon as it is set, and destroys this
          // frame.
          const AwaitedState before = promise.state.exchange(AwaitedState::ended, std::memory_order_acq_rel);
          return before == AwaitedState::awaited ? promise.awaiting : std::noop_coroutine();
        }
        const std::shared_ptr<StartedCoroutine<R>> started = std::move(promise.started);
        static_cast<CoroutineResult<R>&>(started->result) = std::move(static_cast<CoroutineResult<R>&>(promise));
        // The frame is destroyed first: a thread that waits for the end may then free objects that the frame refers to.
        ended.destroy();
        Resumption::end(started->end, started->result.error);
        return std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    return End{};
  }
  void unhandled_exception() { this->error = std::current_exception(); }
};

}  // namespace detail

/// A coroutine that may await tasks, values and other coroutines, and returns a value:
///
///     Coroutine<long> sum_of(Runtime& runtime, const Tree& tree) {
///       Value<long> left = runtime.async(count, tree.left);
///       const long right = co_await sum_of(runtime, tree.right);
///       co_return right + co_await left;
///     }
///
/// The coroutine begins when it is awaited, or when it is passed to `Runtime::start`. Each section of it, from one
/// `co_await` that has to wait to the next, runs on a core as a task of its own. While the coroutine waits, it blocks
/// no worker. Tasks that it submits are ordered like those of the program. It keeps its parameters; objects to which
/// the parameters refer must live as long. Unless the object was passed on, its destructor destroys the coroutine.
template <class R = void>
class [[nodiscard]] Coroutine {
 public:
  using promise_type = detail::CoroutinePromise<R>;

  Coroutine(Coroutine&& other) noexcept : coroutine_(std::exchange(other.coroutine_, {})) {}
  Coroutine& operator=(Coroutine&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Coroutine() {
    if (coroutine_) coroutine_.destroy();
  }

  /// Runs the coroutine, and returns its value or throws its exception. Throws `invalid_argument` if the object is
  /// empty.
  auto operator co_await() && {
    check_valid();
    struct Awaiting {
      /// Runs the coroutine until it suspends. A coroutine that ends without a wait takes no stack for longer than
      /// that, although compilers make tail calls of resumptions only when they optimize.
      [[nodiscard]] bool await_ready() {
        if (!detail::NestedCoroutines::may_begin()) return false;
        const detail::NestedCoroutines nested;
        has_begun = true;
        coroutine.resume();
        return coroutine.promise().state.load(std::memory_order_acquire) == detail::AwaitedState::ended;
      }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) const {
        // After the exchange, this object may be gone, as the coroutine may end and resume the other one.
        const bool begun = has_begun;
        const std::coroutine_handle<promise_type> awaited = coroutine;
        awaited.promise().awaiting = waiting;
        const auto before = awaited.promise().state.exchange(detail::AwaitedState::awaited, std::memory_order_acq_rel);
        if (before == detail::AwaitedState::ended) return waiting;
        return begun ? std::noop_coroutine() : std::coroutine_handle<>(awaited);
      }
      R await_resume() const { return coroutine.promise().take(); }
      std::coroutine_handle<promise_type> coroutine;
      bool has_begun = false;
    };
    return Awaiting{coroutine_};
  }

 private:
  friend class Runtime;
  friend promise_type;
  explicit Coroutine(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}

  void check_valid() const {
    if (!coroutine_) throw Error(ErrorCode::invalid_argument, "a coroutine is empty: the object was moved from");
  }

  std::coroutine_handle<promise_type> coroutine_;
};

/// A coroutine that was begun by `Runtime::start`. It must not be used after its runtime was destroyed. If the object
/// is destroyed before the coroutine has ended, the coroutine goes on; if the coroutine throws, the next
/// `Runtime::wait` reports the exception.
template <class R = void>
class Started {
 public:
  Started() = default;

  [[nodiscard]] bool valid() const { return state_ != nullptr; }
  [[nodiscard]] bool done() const { return state_ != nullptr && state_->end.done(); }
  /// Waits until the coroutine has ended, and returns its value. The object is empty then, so `get` can return only
  /// once. Throws what the coroutine threw, and `wait_in_kernel` in callbacks and kernels, where a program uses
  /// `co_await` instead; but the kernel of a nested task may wait for coroutines that it has begun itself.
  R get() {
    check_valid();
    detail::Resumption::wait(state_->end);
    return std::exchange(state_, nullptr)->result.take();
  }
  /// Returns the future of the coroutine's end, for `TaskOptions::after`. The coroutine cannot be cancelled.
  [[nodiscard]] Future future() const { return state_ != nullptr ? state_->end : Future(); }

  auto operator co_await() {
    struct Awaiting {
      [[nodiscard]] bool await_ready() const {
        started.check_valid();
        return started.done();
      }
      void await_suspend(std::coroutine_handle<> waiting) const {
        detail::Resumption::after(started.state_->end, waiting);
      }
      R await_resume() const {
        detail::Resumption::note_told(started.state_->end);
        return std::exchange(started.state_, nullptr)->result.take();
      }
      Started& started;
    };
    return Awaiting{*this};
  }

 private:
  friend class Runtime;
  explicit Started(std::shared_ptr<detail::StartedCoroutine<R>> state) : state_(std::move(state)) {}

  void check_valid() const {
    if (state_ != nullptr) return;
    throw Error(ErrorCode::invalid_argument, "a started coroutine was asked for that is empty, or was got before");
  }

  std::shared_ptr<detail::StartedCoroutine<R>> state_;
};

}  // namespace troupe
