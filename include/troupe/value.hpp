/// Values that tasks return.
#pragma once

#include <atomic>
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

/// A call that a task makes, with its outcome. The task and a `Value` own it together.
class AsyncCall {
 public:
  AsyncCall() = default;
  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;

  /// Calls the function. Throws what it throws.
  virtual void run() = 0;
  /// Gives up one of the two references; the last one destroys the object.
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Waits for the task. Throws what the function threw, or `Error` if the task did not succeed for another reason.
  void wait();

  /// Returns true if the outcome is there.
  [[nodiscard]] bool done() const { return at_once_ || future_.done(); }
  /// Returns the future of the task. If the call was made at once, makes a task for it.
  [[nodiscard]] Future future();

  /// Submits the task of a call. If this throws, the call is destroyed.
  static void submit(Runtime& runtime, const Codelet& codelet, AsyncCall* call);
  /// Makes a codelet for calls.
  [[nodiscard]] static Codelet make_codelet(std::string name);

 protected:
  virtual ~AsyncCall() = default;

  std::exception_ptr error_;

 private:
  /// Makes the call in the calling thread. Returns false if the function threw, or a task that it has submitted failed:
  /// the task then tells of this as of any failure.
  bool call_at_once(client::Backend& backend, graph::CallPlace place);
  void submit_task(const Codelet& codelet);

  std::atomic<int> references_{2};
  /// True if the call was made at once, so that there is no task.
  bool at_once_ = false;
  /// The number of the call, made at once, that has submitted this one (client/async_call.cpp); 0 if there is none.
  std::uint64_t maker_ = 0;
  /// Set by the thread that submits the task.
  Future future_;
  Runtime* runtime_ = nullptr;
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
    // A call that was made at once, and failed, has a task that fails with the same exception.
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
    // The function's captures and its arguments end in the task.
    given_.reset();
  }

  /// Returns the codelet of this function's calls, and of all other calls of this type if the function is an object
  /// without a name. If `name` is null, the name of the function's type names it.
  [[nodiscard]] static const Codelet& codelet_for([[maybe_unused]] const F& function, const char* name) {
    const auto make = [name] { return AsyncCall::make_codelet(name != nullptr ? name : std::string(type_name<F>())); };
    const void* key = nullptr;
    if constexpr (std::is_pointer_v<F>) key = reinterpret_cast<const void*>(function);
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

/// The value that a function will return, which runs as a task (`Runtime::async`). It must not be used after its
/// runtime was destroyed. A value that is destroyed without `get` does not wait: its task runs all the same, and a
/// failure is reported as those of other tasks are.
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
  /// threw, in which case the object is not empty, and `Error`: `cancelled` if it was not called, the failure of a task
  /// that it submitted, and what `Future::wait` throws. In a kernel, `get` waits for values of tasks that this kernel
  /// has submitted.
  R get() {
    if (call_ == nullptr)
      throw Error(ErrorCode::invalid_argument, "a value was asked for that is empty, or was got before");
    call_->wait();
    struct Release {
      ~Release() { call->release(); }
      detail::AsyncResult<R>* call;
    } release{std::exchange(call_, nullptr)};
    return release.call->take();
  }
  /// Returns the future of the task, to wait for it, to cancel it, or to make other tasks depend on it.
  [[nodiscard]] Future future() const { return call_ != nullptr ? call_->future() : Future(); }
  [[nodiscard]] bool done() const { return call_ != nullptr && call_->done(); }

 private:
  friend class Runtime;
  explicit Value(detail::AsyncResult<R>* call) : call_(call) {}

  detail::AsyncResult<R>* call_ = nullptr;
};

}  // namespace troupe
