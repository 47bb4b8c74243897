#include "c/runtime_state.hpp"

#include <exception>
#include <map>
#include <string>
#include <utility>

#include "c/handle_slots.hpp"
#include "client/backend.hpp"
#include "troupe/errors.hpp"

namespace troupe::c {

namespace {

/// The runtimes of the process, by number.
struct LivingRuntimes {
  Mutex mutex;
  std::map<std::uint64_t, std::weak_ptr<RuntimeState>> states TROUPE_GUARDED_BY(mutex);
  std::uint64_t last TROUPE_GUARDED_BY(mutex) = 0;

  static LivingRuntimes& get() {
    static auto* const all = new LivingRuntimes;
    return *all;
  }
};

Error being_freed() { return {ErrorCode::stopped, "the runtime is being freed"}; }

}  // namespace

std::shared_ptr<RuntimeState> RuntimeState::make(std::unique_ptr<Runtime> runtime, bool has_memory) {
  LivingRuntimes& all = LivingRuntimes::get();
  const LockGuard lock(all.mutex);
  auto state = std::make_shared<RuntimeState>(std::move(runtime), ++all.last, has_memory);
  all.states.emplace(state->number(), state);
  return state;
}

std::shared_ptr<RuntimeState> RuntimeState::find(std::uint64_t number) {
  if (number == 0) throw Error(ErrorCode::invalid_argument, "an empty future was used: it stands for no task");
  LivingRuntimes& all = LivingRuntimes::get();
  const LockGuard lock(all.mutex);
  const auto found = all.states.find(number);
  if (found != all.states.end()) {
    if (auto state = found->second.lock()) return state;
  }
  throw Error(ErrorCode::stopped, "a future was used after its runtime had been freed");
}

void RuntimeState::add(const std::shared_ptr<Dependent>& dependent) {
  const LockGuard lock(mutex_);
  if (closed_ && !in_kernel()) throw being_freed();
  dependents_.push_back(dependent);
}

void RuntimeState::remove(const std::shared_ptr<Dependent>& dependent) noexcept {
  const LockGuard lock(mutex_);
  std::erase(dependents_, dependent);
}

troupe_future RuntimeState::to_c(const Future& future) {
  owner_.store(future.owner());
  return {number_, future.task(), future.id().value()};
}

Future RuntimeState::from_c(const troupe_future& future) const {
  if (future.runtime != number_) {
    throw Error(ErrorCode::invalid_argument, "a future of another runtime was used, or an empty one");
  }
  return {owner_.load(), static_cast<graph::Task*>(future.task), TaskId(future.id)};
}

void RuntimeState::check_may_end() const {
  if (in_kernel()) {
    throw Error(ErrorCode::wait_in_kernel,
                "a kernel or callback tried to free the runtime that runs it, which would wait for it: free the "
                "runtime in the program");
  }
  try {
    // The handle is empty. The call therefore fails with `invalid_handle` if waiting is allowed, and otherwise with
    // another error.
    runtime_->wait(Handle());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_handle) throw;
  }
}

bool RuntimeState::in_kernel() const { return runtime_->backend().end_here() == client::Backend::End::inside_of_task; }

bool RuntimeState::begin_call() {
  calls_.fetch_add(1);
  if (!closed_) return true;
  end_call();
  if (in_kernel()) return false;
  throw being_freed();
}

void RuntimeState::end_call() noexcept {
  if (calls_.fetch_sub(1) == 1 && closed_) calls_.notify_all();
}

void RuntimeState::close() {
  std::vector<std::shared_ptr<Dependent>> dependents;
  {
    const LockGuard lock(mutex_);
    closed_ = true;
    dependents.swap(dependents_);
  }
  for (const auto& dependent : dependents) {
    if (dependent->first()) dependent->end();
  }
  for (int calls = calls_; calls != 0; calls = calls_) calls_.wait(calls);
  std::exception_ptr failed;
  try {
    runtime_->wait();
  } catch (...) {
    failed = std::current_exception();
  }
  for (const auto& dependent : dependents) dependent->end();
  {
    LivingRuntimes& all = LivingRuntimes::get();
    const LockGuard lock(all.mutex);
    all.states.erase(number_);
  }
  HandleSlots::get().remove_all(number_);
  if (failed) std::rethrow_exception(failed);
}

}  // namespace troupe::c
