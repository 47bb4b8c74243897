#include "service/sessions/session_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/peak.hpp"
#include "service/sessions/wire_checks.hpp"

namespace troupe::service {
namespace {

/// Limits for one message: the ends of successful tasks, the ends of other tasks, and the bytes in the text of a
/// failure. They keep messages below gRPC's limit of four megabytes.
constexpr std::size_t kMostSuccesses = 100'000;
constexpr std::size_t kMostOthers = 1'000;
constexpr std::size_t kLongestProblem = 2'000;
/// Ends of tasks for which the client does not wait are collected for this time and sent together, because a message
/// costs as much as a small kernel.
constexpr std::chrono::milliseconds kPatience{20};
/// The session is overloaded if more replies than this wait to be sent.
constexpr std::size_t kMostReplies = 4'096;

/// Returns the speed of the cores, which the first call measures.
double speed_of_cores() {
  static const double speed = kernels::core_speed();
  return speed;
}

/// Cuts a long text between two characters.
Failure shortened(const Failure& failure) {
  if (failure.message.size() <= kLongestProblem) return failure;
  std::size_t size = kLongestProblem;
  while (size > 0 && (static_cast<unsigned char>(failure.message[size]) & 0xC0U) == 0x80U) --size;
  return {failure.code, failure.message.substr(0, size) + " …"};
}

}  // namespace

SessionWork::SessionWork(const Collaborators& collaborators, const Options& options, std::function<void()> wake)
    : collaborators_(collaborators),
      wake_(std::move(wake)),
      charge_(collaborators_.memory->account().above()),
      requests_hold_(collaborators_.budgets, Resource::requests, options.user),
      recorded_hold_(collaborators_.budgets, Resource::recorded_tasks, options.user),
      endings_(wake_),
      nesting_({collaborators.limits.tasks, collaborators.limits.handles, costs::kChild, costs::kHandle},
               collaborators_.memory->account().above(), collaborators_.budgets, options.user),
      graph_(collaborators.system.open_graph({.name = options.name,
                                              .weight = options.weight,
                                              .endings = &endings_,
                                              .nesting = &nesting_,
                                              .user = options.user})),
      kernels_({.longest = collaborators.limits.kernel_time,
                .seen = [this](const std::string& codelet) { return graph_->best_speed(codelet); },
                .core_speed = speed_of_cores,
                .kinds = collaborators.system.kinds()}),
      for_kernels_(std::make_shared<KernelBackend>(
          graph_->graph(),
          KernelBackend::Collaborators{collaborators_.system, collaborators_.codelets, kernels_, nesting_})),
      codelets_(collaborators.codelets, collaborators.refused),
      data_(graph_->graph(), *collaborators_.memory, collaborators.limits.handles),
      tasks_({graph_->graph(), codelets_, data_, collaborators.refused, outbox_, collaborators.limits, kernels_}),
      requests_({graph_->graph(), data_, outbox_, endings_, collaborators.codelets}, wake_) {}

SessionWork::~SessionWork() {
  wind_up();
  for (const auto& [number, handles] : kept_) collaborators_.system.unlock(handles);
}

void SessionWork::wind_up() {
  tasks_.abandon();
  graph_->graph().cancel_all();
  requests_.abandon();
  // Requests that have begun must be finished. The loop waits only for running kernels.
  while (requests_.pending() > 0) {
    requests_.wait_ready();
    requests_.finish_ready();
  }
  // The outcome is ignored, because no client is left to read about failures.
  [[maybe_unused]] const auto outcome = graph_->graph().wait_until_ended();
}

std::uint64_t SessionWork::bytes() const {
  const std::uint64_t requests = requests_.pending() + requests_.held() + outbox_.size();
  return tasks_.bytes() + data_.bytes() + codelets_.bytes() + requests * costs::kRequest + kept_bytes_;
}

Result<void> SessionWork::make_room(std::uint64_t bytes) { return charge_.set(this->bytes() + bytes); }

Result<void> SessionWork::count_against_budgets(const v1::Operation& operation) {
  // Counts are rounded up to steps of 64, so that a session seldom takes the lock that all sessions share.
  constexpr std::uint64_t kStep = 64;
  const auto in_steps = [](std::uint64_t count) { return (count + kStep - 1) / kStep * kStep; };
  const std::uint64_t recorded = operation.has_tasks() && tasks_.recording()
                                     ? static_cast<std::uint64_t>(operation.tasks().codelet_size())
                                     : (operation.has_begin_recording() ? 1U : 0U);
  if (auto held = recorded_hold_.set(in_steps(tasks_.recorded() + recorded)); !held) return held;
  const std::uint64_t requests = requests_.pending() + requests_.held();
  return requests_hold_.set(in_steps(requests + (costs::is_request(operation) ? 1 : 0)));
}

Result<void> SessionWork::apply(const v1::Operation& operation) {
  if (auto room = make_room(costs::of_operation(operation)); !room) return room;
  if (auto counted = count_against_budgets(operation); !counted) return counted;
  switch (operation.kind_case()) {
    case v1::Operation::kHello: return violation("hello", "it comes once, as the first operation");
    case v1::Operation::kOpenCodelet: return open_codelet(operation.open_codelet());
    case v1::Operation::kRegisterData: return data_.add(operation.register_data());
    case v1::Operation::kPartition: return requests_.partition(operation.partition());
    case v1::Operation::kSetReduction: return set_reduction(operation.set_reduction());
    case v1::Operation::kReleaseData: return requests_.release(operation.release_data());
    case v1::Operation::kTasks: return note_submitted(tasks_.submit(operation.tasks()));
    case v1::Operation::kBeginRecording: return tasks_.begin_recording(operation.begin_recording());
    case v1::Operation::kEndRecording: return tasks_.end_recording(operation.end_recording());
    case v1::Operation::kDropRecording: return tasks_.drop_recording(operation.drop_recording());
    case v1::Operation::kReplay: return note_submitted(tasks_.replay(operation.replay()));
    case v1::Operation::kAcquire: return requests_.acquire(operation.acquire());
    case v1::Operation::kGiveBack: return requests_.give_back(operation.give_back());
    case v1::Operation::kWaitAll: return requests_.wait_all(operation.wait_all());
    case v1::Operation::kWithdraw: return requests_.withdraw(operation.withdraw());
    case v1::Operation::kCancelTask: return tasks_.cancel(operation.cancel_task());
    case v1::Operation::kAwait: looked_at_ = 0; return tasks_.await(operation.await());
    case v1::Operation::kCancelAll: graph_->graph().cancel_all(); return {};
    case v1::Operation::kDiscard: {
      const auto data = data_.get("discard.handle", operation.discard().handle());
      if (!data) return data.failure();
      return graph_->graph().discard(data.value()->handle);
    }
    case v1::Operation::kSetReuse: {
      const auto data = data_.get("set_reuse.handle", operation.set_reuse().handle());
      if (!data) return data.failure();
      // The index is only a hint: if the policy cannot use it, the hint has no effect.
      [[maybe_unused]] const auto hinted =
          collaborators_.system.set_reuse(data.value()->handle, operation.set_reuse().index(), &graph_->graph());
      return {};
    }
    case v1::Operation::kKeep: return keep(operation.keep());
    case v1::Operation::kLetGo: return let_go(operation.let_go());
    case v1::Operation::KIND_NOT_SET: break;
  }
  return violation("operations", "an operation of a kind that the service does not know");
}

Result<void> SessionWork::note_submitted(Result<void> submitted) {
  submitted_.store(tasks_.submitted(), std::memory_order_relaxed);
  for (SessionTasks::Refused& refused : tasks_.take_refused()) {
    auto begun = requests_.refuse(refused.task, refused.written, std::move(refused.why));
    if (submitted) submitted = std::move(begun);
  }
  return submitted;
}

Result<void> SessionWork::open_codelet(const v1::OpenCodelet& message) {
  const auto refused = codelets_.open(message);
  if (!refused) return refused.failure();
  outbox_.reply(message.request(), refused.value());
  return {};
}

Result<void> SessionWork::set_reduction(const v1::SetReduction& message) {
  if (const SessionHandle* const data = data_.find(message.handle())) {
    // Each worker may have a partial result of its own.
    const std::uint64_t before = data->partial_bytes;
    data_.note_partials(message.handle(), collaborators_.system.workers() * data->layout.payload().count);
    if (const auto room = charge_.set(bytes()); !room) {
      data_.note_partials(message.handle(), before);
      outbox_.reply(message.request(), room.failure());
      return {};
    }
  }
  return requests_.set_reduction(message);
}

Result<void> SessionWork::keep(const v1::Keep& message) {
  const auto data = data_.get("keep.handle", message.handle());
  if (!data) return data.failure();
  if (kept_.contains(message.keep())) {
    return violation("keep.keep", fmt::format("the number {} is in use", message.keep()));
  }
  if (kept_.size() >= collaborators_.limits.handles) {
    return violation("keep.keep", fmt::format("the client keeps {} handles, and may keep no more", kept_.size()));
  }
  auto handles = collaborators_.system.lock(data.value()->handle, &graph_->graph());
  auto& kept = kept_[message.keep()];
  if (handles) kept = std::move(handles).value();
  kept_bytes_ += costs::kRequest + kept.size() * sizeof(HandleId);
  return {};
}

Result<void> SessionWork::let_go(const v1::LetGo& message) {
  const auto found = kept_.find(message.keep());
  if (found == kept_.end()) return violation("let_go.keep", fmt::format("nothing is kept as {}", message.keep()));
  collaborators_.system.unlock(found->second);
  kept_bytes_ -= costs::kRequest + found->second.size() * sizeof(HandleId);
  kept_.erase(found);
  return {};
}

void SessionWork::take_endings() {
  if (told_all_endings()) {
    batch_.clear();
    told_succeeded_ = told_others_ = looked_at_ = 0;
  }
  endings_.take(batch_);
  requests_.take_refused(batch_);
}

bool SessionWork::may_hold() const {
  // Ends of tasks are sent at once if there is a failure or a reply to send. They are also sent at once if half of the
  // client's limit of tasks is in flight, because the client may be waiting for the number to fall.
  return batch_.others.empty() && outbox_.empty() && tasks_.in_flight() < collaborators_.limits.tasks / 2;
}

bool SessionWork::took_awaited() {
  if (!tasks_.any_awaited()) return false;
  const auto first = batch_.succeeded.begin() + static_cast<std::ptrdiff_t>(looked_at_);
  looked_at_ = batch_.succeeded.size();
  return std::any_of(first, batch_.succeeded.end(), [this](std::uint64_t task) { return tasks_.is_awaited(task); });
}

bool SessionWork::holds_endings(Clock::time_point now) {
  if (!may_hold() || (tell_at_ && now >= *tell_at_)) return false;
  // Until `tell_at_`, take nothing from the collector, so that the collector wakes this thread only once.
  if (tell_at_ && !tasks_.any_awaited() && !requests_.any_waits()) return true;
  take_endings();
  // If no other task is in flight, there are no further ends to wait for.
  if (batch_.empty() || tasks_.in_flight() <= batch_.size() || !may_hold() || took_awaited()) return false;
  if (!tell_at_) tell_at_ = now + kPatience;
  return true;
}

bool SessionWork::tell(v1::ServiceMessage& message, bool at_once) {
  message.Clear();
  requests_.finish_ready();
  // True if the batch may be filled: either all of its ends have been sent, or none.
  const bool takes = told_all_endings() || (told_succeeded_ == 0 && told_others_ == 0);
  if (takes) {
    if (!at_once && holds_endings(Clock::now())) return false;
    tell_at_.reset();
    take_endings();
    std::sort(batch_.succeeded.begin(), batch_.succeeded.end());
  }
  if (!told_all_endings()) tell_endings(message);
  // A reply may imply that tasks have ended. Replies are therefore sent only after all ends that came before the reply.
  // A batch that was filled in an earlier call may lack some of these ends.
  if (takes && told_all_endings()) outbox_.move_to(message);
  // The last task may have ended after `finish_ready` checked the WaitAll requests, and its end may have been taken
  // above. Then no other thread wakes the session.
  if (requests_.can_finish_waits()) wake_();
  data_.settle_former();
  // Events that have been sent need no memory any more. If the account is still exceeded, the next operation fails.
  [[maybe_unused]] const auto charged = charge_.set(bytes());
  if (nesting_.used()) nesting_.settle(graph_->graph().handles(), data_.count());
  return message.events_size() > 0;
}

void SessionWork::tell_endings(v1::ServiceMessage& message) {
  v1::Endings& endings = *message.add_events()->mutable_endings();
  const auto count = [this](std::uint64_t task, TaskStatus status) {
    tasks_.ended(task, status);
    ended_.fetch_add(1, std::memory_order_relaxed);
  };
  const std::size_t last = std::min(batch_.succeeded.size(), told_succeeded_ + kMostSuccesses);
  while (told_succeeded_ < last) {
    const std::uint64_t first = batch_.succeeded[told_succeeded_];
    std::uint64_t length = 0;
    while (told_succeeded_ < last && batch_.succeeded[told_succeeded_] == first + length) {
      count(first + length, TaskStatus::succeeded);
      ++length;
      ++told_succeeded_;
    }
    endings.add_succeeded(first);
    endings.add_succeeded(length);
  }
  const std::size_t last_other = std::min(batch_.others.size(), told_others_ + kMostOthers);
  for (; told_others_ < last_other; ++told_others_) {
    const EndingCollector::Unsuccessful& other = batch_.others[told_others_];
    // The failure's code is `cancelled` for a task that was refused because another task did not succeed.
    const bool cancelled =
        other.status == TaskStatus::cancelled || (other.cause && other.cause->code == ErrorCode::cancelled);
    count(other.task, cancelled ? TaskStatus::cancelled : TaskStatus::failed);
    if (!cancelled) failed_.fetch_add(1, std::memory_order_relaxed);
    v1::Ended& ended = *endings.add_others();
    ended.set_task(other.task);
    ended.set_status(cancelled ? v1::Ended::CANCELLED : v1::Ended::FAILED);
    if (other.cause) fill(*ended.mutable_problem(), shortened(*other.cause));
  }
}

bool SessionWork::overloaded() const {
  return outbox_.size() > kMostReplies || requests_.unanswered() + requests_.held() > collaborators_.limits.handles;
}

void SessionWork::withdraw(const Failure& reason) {
  tasks_.withdraw(reason);
  graph_->graph().cancel_all(reason.message);
}

SessionWork::Counts SessionWork::counts() const {
  Counts counts;
  // The number of ended tasks is read first, so that it never exceeds the number of submitted tasks.
  counts.failed = failed_.load(std::memory_order_relaxed);
  counts.ended = ended_.load(std::memory_order_relaxed);
  counts.submitted = std::max(counts.ended, submitted_.load(std::memory_order_relaxed));
  return counts;
}

std::uint64_t SessionWork::in_flight() const {
  const Counts now = counts();
  return now.submitted - now.ended;
}

}  // namespace troupe::service
