/// Tasks and recordings of the C interface.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c/element_types.hpp"
#include "c/guard.hpp"
#include "c/objects.hpp"
#include "c/values.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/restrictions.hpp"

namespace troupe::c {

namespace {

Arguments arguments_of(const troupe_value* values, size_t count) {
  if (count != 0) require(values, "arguments");
  Arguments arguments;
  for (size_t i = 0; i < count; ++i) {
    require(values[i].value, "an argument");
    const ArgumentType type = argument_type(values[i].type);
    if (arguments.append_bytes(type.tag, type.size, type.alignment, values[i].value)) continue;
    throw Error(ErrorCode::invalid_argument, "a task takes at most seven arguments by value, and 40 bytes of them");
  }
  return arguments;
}

/// Refuses arguments for a codelet of the program that declares none. The runtime lets them pass, because in C++ a
/// codelet without declared types takes any arguments. Kernels that come with Troupe declare all types themselves.
void check_argument_count(const troupe_codelet& codelet, size_t count) {
  if (count == 0 || codelet.built_in || !codelet.arguments->empty()) return;
  throw Error(ErrorCode::signature_mismatch,
              "codelet '" + codelet.codelet.name() + "' declares no arguments by value, and the task has " +
                  std::to_string(count) + ": give the codelet the types of its arguments where it is defined");
}

/// Parses a text such as "cores", "h200" or "#0|gpus".
DeviceSet devices_of(const char* text) {
  const Restrictions parsed = parse_restrictions("task:" + std::string(text)).value_or_throw();
  if (parsed.size() == 1) return parsed.begin()->second;
  throw Error(ErrorCode::invalid_argument, "'" + std::string(text) +
                                               "' names no devices: cores, gpus, #3, h200, or "
                                               "several with | between them");
}

/// Returns the time this many seconds from now, or the clock's last time if that is earlier.
std::chrono::steady_clock::time_point seconds_from_now(double seconds) {
  using Clock = std::chrono::steady_clock;
  if (!(seconds >= 0)) {
    throw Error(ErrorCode::invalid_argument,
                "deadline_s is " + std::to_string(seconds) + ": give the seconds from now, or 0 for no deadline");
  }
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> ahead(seconds);
  if (ahead >= Clock::time_point::max() - now) return Clock::time_point::max();
  return now + std::chrono::duration_cast<Clock::duration>(ahead);
}

/// Copies `nested` and the weak data to `result`. Only children use weak data. The runtime checks the modes later.
void take_nested(const RuntimeState& state, const troupe_task_options& options, TaskOptions& result) {
  if (options.nested != 0 && options.nested != 1) {
    throw Error(ErrorCode::invalid_argument,
                "nested is " + std::to_string(options.nested) +
                    ": give 1 for a nested task and 0 for any other; troupe_task_options begin as zeros");
  }
  result.nested = options.nested == 1;
  if (options.weak_count == 0) return;
  require(options.weak, "weak");
  for (size_t i = 0; i < options.weak_count; ++i) {
    if (options.weak[i].mode != TROUPE_DECLARED) continue;
    throw Error(ErrorCode::invalid_argument,
                "weak data have mode TROUPE_DECLARED, but no codelet declares a mode for them: give each the mode in "
                "which the children use it");
  }
  result.weak.reserve(options.weak_count);
  HandleSlots::get().find_all(options.weak, options.weak_count, state.number(), result.weak);
}

TaskOptions options_of(const RuntimeState& state, const troupe_task_options* options) {
  if (options == nullptr) return {};
  TaskOptions result;
  result.priority = options->priority;
  result.name = text_of(options->name);
  if (options->after_count != 0) require(options->after, "after");
  for (size_t i = 0; i < options->after_count; ++i) result.after.push_back(state.from_c(options->after[i]));
  if (options->devices != nullptr) result.devices = devices_of(options->devices);
  if (options->deadline_s != 0) result.deadline = seconds_from_now(options->deadline_s);
  take_nested(state, *options, result);
  if (options->callback != nullptr) {
    result.callback = [call = options->callback, user = options->user](const TaskOutcome& outcome) {
      call(outcome.task.value(), c::to_c(outcome.status), outcome.message.c_str(), user);
    };
  }
  return result;
}

/// Marks a codelet as submitted before its task can run, because the task may free the codelet. The destructor removes
/// the mark if nothing was submitted.
class Submitted {
 public:
  explicit Submitted(std::atomic<bool>& submitted)
      // Most codelets are already marked. The load before the exchange then saves a write.
      : mark_(submitted.load(std::memory_order_relaxed) || submitted.exchange(true) ? nullptr : &submitted) {}
  ~Submitted() {
    if (mark_ != nullptr) *mark_ = false;
  }
  Submitted(const Submitted&) = delete;
  Submitted& operator=(const Submitted&) = delete;

  void keep() { mark_ = nullptr; }

 private:
  std::atomic<bool>* mark_;
};

}  // namespace
}  // namespace troupe::c

using namespace troupe;     // NOLINT: the functions of the interface lie outside of all namespaces
using namespace troupe::c;  // NOLINT

extern "C" {

troupe_error troupe_submit(troupe_runtime* runtime, const troupe_codelet* codelet, const troupe_access* accesses,
                           size_t access_count, const troupe_value* arguments, size_t argument_count,
                           const troupe_task_options* options, troupe_future* future) {
  return guarded([&] {
    require(runtime, "runtime");
    require(codelet, "codelet");
    if (access_count != 0) require(accesses, "accesses");
    check_argument_count(*codelet, argument_count);
    const GivingCall call(runtime->state);
    RuntimeState& state = *call.state();
    std::vector<Access> uses;
    uses.reserve(access_count);
    HandleSlots::get().find_all(accesses, access_count, state.number(), uses);
    Submitted mark(codelet->submitted);
    const Future submitted = state.runtime().submit(codelet->codelet, uses, arguments_of(arguments, argument_count),
                                                    options_of(state, options));
    mark.keep();
    if (future != nullptr) *future = state.to_c(submitted);
  });
}

troupe_error troupe_future_wait(troupe_future future) {
  return guarded([&] {
    const auto state = RuntimeState::find(future.runtime);
    state->from_c(future).wait();
  });
}

troupe_error troupe_future_status(troupe_future future, troupe_status* status) {
  return guarded([&] {
    require(status, "status");
    const auto state = RuntimeState::find(future.runtime);
    *status = c::to_c(state->from_c(future).status());
  });
}

troupe_error troupe_future_cancel(troupe_future future) {
  return guarded([&] {
    const auto state = RuntimeState::find(future.runtime);
    state->from_c(future).cancel();
  });
}

troupe_error troupe_record(troupe_runtime* runtime, int (*program)(void* user), void* user, const char* name,
                           troupe_recording** recording) {
  return guarded([&] {
    require(runtime, "runtime");
    require(recording, "recording");
    require(reinterpret_cast<const void*>(program), "program");
    const auto record = [&] {
      if (const int outcome = program(user); outcome != 0) {
        throw Error(ErrorCode::invalid_argument, "the recorded program gave up with " + std::to_string(outcome));
      }
    };
    const GivingCall call(runtime->state);
    *recording = new troupe_recording(
        call.state(), troupe_recording::on(*call.state(), call.runtime().record(record, text_of(name))));
  });
}

troupe_error troupe_run(troupe_recording* recording, const troupe_rebinding* rebindings, size_t count,
                        troupe_future* future) {
  return guarded([&] {
    require(recording, "recording");
    if (count != 0) require(rebindings, "rebindings");
    const GivingCall call(living(recording->state));
    const std::uint64_t number = call.state()->number();
    std::vector<Rebinding> exchanged;
    for (size_t i = 0; i < count; ++i) {
      exchanged.push_back({HandleSlots::get().find(rebindings[i].recorded, number).handle,
                           HandleSlots::get().find(rebindings[i].now, number).handle});
    }
    const Future run = recording->content->get()->run(exchanged);
    if (future != nullptr) *future = call.state()->to_c(run);
  });
}

void troupe_recording_free(troupe_recording* recording) { delete recording; }
}
