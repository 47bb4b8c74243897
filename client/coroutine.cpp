/// The functions for coroutines (troupe/value.hpp) that do not depend on the type of a value.
#include <exception>
#include <optional>
#include <string>

#include "client/backend.hpp"
#include "graph/tasks/task_owner.hpp"
#include "troupe/value.hpp"

namespace troupe::detail {

namespace {

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& thrown) {
    return {thrown.code(), std::string("a coroutine failed: ") + thrown.what()};
  } catch (const std::exception& thrown) {
    return {ErrorCode::kernel_failed, std::string("a coroutine threw: ") + thrown.what()};
  } catch (...) {
    return {ErrorCode::kernel_failed, "a coroutine threw something that is no std::exception"};
  }
}

graph::TaskOwner& owner_of(const Future& future) {
  if (!future.valid()) throw Error(ErrorCode::invalid_argument, "a coroutine awaits an empty future");
  return *future.owner();
}

}  // namespace

void Resumption::after(const Future& future, std::coroutine_handle<> waiting) {
  const Result<void> resumed = owner_of(future).resume_after(future, waiting);
  if (!resumed) throw Error(resumed.failure());
}

void Resumption::check_outcome(const Future& future) {
  const Result<void> outcome = owner_of(future).outcome(future);
  if (!outcome) throw Error(outcome.failure());
}

void Resumption::wait(const Future& end) {
  const Result<void> ended = end.owner()->wait(end);
  // If the wait itself was refused, `ended` tells why it was refused, and not how the coroutine ended.
  if (!ended && !end.done()) throw Error(ended.failure());
}

void Resumption::note_told(const Future& end) { (void)end.owner()->outcome(end); }

void Resumption::begin(client::Backend& backend, Future& end, std::coroutine_handle<> coroutine) {
  graph::TaskOwner& tasks = backend.tasks();
  end = tasks.begin_coroutine().value_or_throw();
  const Result<void> begun = tasks.resume_after({}, coroutine);
  if (begun) return;
  tasks.end_coroutine(end, {});
  throw Error(begun.failure());
}

void Resumption::end(const Future& end, const std::exception_ptr& error) noexcept {
  std::optional<Failure> failure;
  if (error != nullptr) failure = failure_of(error);
  end.owner()->end_coroutine(end, std::move(failure));
}

}  // namespace troupe::detail
