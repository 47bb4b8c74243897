#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "client/backend.hpp"
#include "graph/tasks/call_place.hpp"
#include "graph/tasks/task_owner.hpp"
#include "troupe/runtime.hpp"

namespace troupe::detail {

namespace {

using graph::CallInProgress;

/// Returns a number that no other call in the process has.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local std::uint64_t number = threads.fetch_add(1, std::memory_order_relaxed) << 40U;
  return ++number;
}

}  // namespace

Codelet AsyncCall::make_codelet(std::string name) {
  const auto run = [](const KernelContext& context) { UncheckedViews::argument<AsyncCall*>(context, 0)->run(); };
  const auto ended = [](ArgumentsView arguments) {
    AsyncCall* call = nullptr;
    std::memcpy(&call, arguments.bytes + arguments.offsets[0], sizeof call);
    call->release();
  };
  return InlineCodelets::make_call(std::move(name), run, ended);
}

void AsyncCall::submit(Runtime& runtime, const Codelet& codelet, const TaskOptions* options, AsyncCall* call) {
  try {
    client::Backend& backend = *runtime.backend_;
    call->backend_ = &backend;
    const graph::CallPlace place = backend.call_place();
    const CallInProgress* const around = CallInProgress::innermost;
    if (around != nullptr && around->task == place.task) call->maker_ = around->number;
    const bool at_once = place.at_once && options == nullptr;
    if (!at_once || !call->call_at_once(backend, place)) call->submit_task(codelet, options);
  } catch (...) {
    delete call;
    throw;
  }
}

void AsyncCall::submit_task(const Codelet& codelet, const TaskOptions* options) {
  if (options == nullptr) options = &TaskOptions::none();
  if (!options->weak.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "a call by async has no data, so it takes no weak data either: submit a nested task of a kernel");
  }
  Arguments arguments;
  arguments.append(this);
  graph::TaskSpecification specification{codelet, {}, arguments, *options};
  specification.may_nest = true;
  future_ = backend_->submit(specification).value_or_throw();
}

bool AsyncCall::call_at_once(client::Backend& backend, graph::CallPlace place) {
  CallInProgress here{place.task, next_number(), place.first_handle, 0, CallInProgress::innermost};
  CallInProgress::innermost = &here;
  try {
    run();
  } catch (...) {
    // The exception need not be handled here, because `run` has kept it.
  }
  CallInProgress* const around = CallInProgress::innermost = here.outer;
  const std::uint64_t before = place.children;
  if (const Result<void> ended = backend.end_call(place, here.got); !ended && error_ == nullptr) {
    error_ = std::make_exception_ptr(Error(ended.failure()));
  }
  // All tasks that this call has submitted have ended, so a call around this call need not wait for them.
  if (around != nullptr && around->task == place.task) around->got += place.children - before;
  if (error_ != nullptr) return false;
  at_once_ = true;
  references_.store(1, std::memory_order_relaxed);
  // This call has ended, so the call that made it need not wait for it.
  if (around != nullptr && around->number == maker_) maker_ = 0;
  return true;
}

void AsyncCall::wait() {
  if (at_once_) return;
  const Result<void> ended = future_.owner()->wait(future_);
  // If the wait itself was refused, `ended` tells why it was refused, and not how the task ended.
  if (!ended && !future_.done()) throw Error(ended.failure());
  CallInProgress* const around = CallInProgress::innermost;
  if (around != nullptr && around->number == std::exchange(maker_, 0)) ++around->got;
  check_outcome();
}

void AsyncCall::check_outcome() const {
  if (at_once_) return;
  const Result<void> ended = future_.owner()->outcome(future_);
  if (ended) return;
  if (error_ != nullptr) std::rethrow_exception(error_);
  throw Error(ended.failure());
}

Future AsyncCall::future() {
  if (!future_.valid()) {
    static const Codelet& nothing = *new Codelet(Codelet("call made at once", {}).cpu([](const KernelContext&) {}));
    const Arguments arguments{};
    future_ = backend_->submit({nothing, {}, arguments, TaskOptions::none()}).value_or_throw();
  }
  return future_;
}

}  // namespace troupe::detail
