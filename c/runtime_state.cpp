#include "c/runtime_state.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c/handle_slots.hpp"
#include "client/backend.hpp"
#include "client/environment/warnings.hpp"
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

/// The time that the warnings at exit wait for tasks. Tasks that end within this time are not reported as unfinished.
constexpr std::chrono::milliseconds kPatienceAtExit{50};

/// Calls `done` until it returns true or the time is over.
template <class Done>
void poll_at_exit(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kPatienceAtExit;
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Returns the runtimes that the program has not freed. Does not wait for the lock for long: in a child of `fork`, the
/// lock may belong to a thread that does not exist there.
std::vector<std::shared_ptr<RuntimeState>> left_at_exit() {
  LivingRuntimes& all = LivingRuntimes::get();
  std::vector<std::shared_ptr<RuntimeState>> left;
  poll_at_exit([&] {
    if (!all.mutex.try_lock()) return false;
    const LockGuard lock(all.mutex, std::adopt_lock);
    for (const auto& [number, weak] : all.states) {
      if (auto state = weak.lock()) left.push_back(std::move(state));
    }
    return true;
  });
  return left;
}

/// Describes the unreported failures of a runtime, otherwise the number of its unfinished tasks; empty if none.
std::string unknown_at_exit(const Runtime& runtime) {
  std::uint64_t running = 0;
  poll_at_exit([&] {
    const Progress progress = runtime.progress();
    running = progress.submitted - progress.ended;
    return running == 0;
  });
  const std::string untold = runtime.backend().untold_failures();
  if (!untold.empty()) return "it had not asked what became of its tasks (troupe_wait says it): " + untold;
  if (running == 0) return {};
  return std::to_string(running) + (running == 1 ? " task had" : " tasks had") + " not ended (troupe_wait waits)";
}

/// Called when the process exits: warns about the runtimes that the program has not freed. The function writes to
/// standard error. It calls no `on_warning`, because the `user` of that function may have been destroyed at the end of
/// `main`.
void warn_at_exit() noexcept {
  try {
    for (const auto& state : left_at_exit()) {
      if (state->runtime().backend().end_here() == client::Backend::End::in_another_process) continue;
      const std::string unknown = unknown_at_exit(state->runtime());
      if (unknown.empty()) continue;
      client::warner(nullptr)("the program ended without troupe_runtime_free, and " + unknown);
    }
  } catch (...) {
    // There is no memory for the texts.
  }
}

Error being_freed() { return {ErrorCode::stopped, "the runtime is being freed"}; }

}  // namespace

std::shared_ptr<RuntimeState> RuntimeState::make(std::unique_ptr<Runtime> runtime, bool has_memory) {
  // The registration fails only if there is no memory. Then the program is not warned at its exit.
  static const int registered = std::atexit(warn_at_exit);
  static_cast<void>(registered);
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
  // This call reports the failures that no wait has reported, because the program perhaps ignores the error of the wait
  // below.
  runtime_->backend().finish();
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
