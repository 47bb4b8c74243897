/// The list of all errors, and the types that carry them.
#pragma once

#include <cassert>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace troupe {

/// The errors that can occur at run time. Programming errors inside the runtime are asserts instead.
enum class ErrorCode {
  /// An option or argument has a value that cannot be used; the message names it.
  invalid_argument,
  /// A handle was used after it was released, or belongs to another runtime.
  invalid_handle,
  /// One task names the same data twice with modes that exclude one another.
  conflicting_access,
  /// Sub-handles of one handle would overlap, or leave its bounds.
  overlapping_handles,
  /// A task passes another number of handles, other modes, types or arguments than its codelet declares.
  signature_mismatch,
  /// No worker of this runtime has a device that the codelet has an implementation for.
  no_implementation,
  /// A kernel or a callback called a function that waits for its own runtime, which could never end this wait.
  wait_in_kernel,
  /// A submission came after the runtime began to stop.
  stopped,
  /// A kernel threw something other than an `Error` (an `Error` keeps its code); the message names the task, the
  /// codelet, the device and the cause.
  kernel_failed,
  /// A task did not run, or not to its end: something that it needed failed, or it was cancelled.
  cancelled,
  /// A completion callback threw.
  callback_failed,
  /// A placing policy threw, or placed a task where it cannot run. The tasks were placed on the least loaded workers.
  policy_failed,
  /// Memory could not be allocated, and the message says how much was asked for; or the system refused a thread.
  out_of_memory,
  /// Data could not be copied between memory nodes.
  transfer_failed,
  /// A device stopped working: all that ran on it, and data that only its memory held, are lost.
  device_lost,
  /// The machine could not be inspected, or has fewer cores than were asked for.
  platform,
  /// A file could not be read or written.
  io,
  /// An input file or matrix does not have the form that was expected.
  bad_input,
  /// A factorization broke down: not positive definite, or exactly singular.
  numerical,
  /// The service of this node is not there, or has ended the connection: all that this program had there is lost.
  service_lost,
};

/// Returns the name of an error code as it appears in JSON, such as `kernel_failed`.
[[nodiscard]] const char* to_string(ErrorCode code);

/// A failure. `code` is for programs; `message` tells a person what is wrong, and what to do.
struct Failure {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string message;
};

/// The one exception type of the public interface.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  explicit Error(const Failure& failure) : Error(failure.code, failure.message) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// A value, or the failure that prevented it. Used inside the runtime; the public interface throws `Error`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                               // NOLINT
  Result(Failure failure) : failure_(std::make_shared<const Failure>(std::move(failure))) {}  // NOLINT

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  // NOLINTBEGIN(bugprone-unchecked-optional-access): callers ask `ok` first, as the assertions say.
  [[nodiscard]] T& value() & {
    assert(ok() && "value() of a failed Result");
    return *value_;
  }
  [[nodiscard]] const T& value() const& {
    assert(ok() && "value() of a failed Result");
    return *value_;
  }
  [[nodiscard]] T&& value() && {
    assert(ok() && "value() of a failed Result");
    return *std::move(value_);
  }
  [[nodiscard]] const Failure& failure() const {
    assert(!ok() && "failure() of a successful Result");
    return *failure_;
  }

  /// Returns the value, or throws the failure as an `Error`.
  T value_or_throw() && {
    if (!ok()) throw Error(failure());
    return *std::move(value_);
  }
  // NOLINTEND(bugprone-unchecked-optional-access)

 private:
  std::optional<T> value_;
  /// The failure; null if there is a value.
  std::shared_ptr<const Failure> failure_;
};

/// Success without a value, or the failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : failure_(std::move(failure)) {}  // NOLINT

  [[nodiscard]] bool ok() const { return !failure_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Failure& failure() const {
    assert(!ok() && "failure() of a successful Result");
    return *failure_;  // NOLINT(bugprone-unchecked-optional-access): callers ask `ok` first
  }
  void value_or_throw() && {
    if (failure_) throw Error(*failure_);
  }

 private:
  std::optional<Failure> failure_;
};

}  // namespace troupe
