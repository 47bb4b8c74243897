/// Codelets, tasks and recordings of the C interface.
#include <utility>
#include <vector>

#include "client/c/guard.hpp"
#include "client/c/objects.hpp"
#include "kernels/checks/catalogue.hpp"

namespace troupe::c {

namespace {

Codelet make_codelet(const char* name, const troupe_mode* modes, size_t mode_count, const troupe_type* arguments,
                     size_t argument_count) {
  require(name, "name");
  if (mode_count != 0) require(modes, "modes");
  if (argument_count != 0) require(arguments, "arguments");
  std::vector<AccessMode> declared;
  for (size_t i = 0; i < mode_count; ++i) declared.push_back(mode_of(modes[i]));
  std::vector<ArgumentType> types;
  for (size_t i = 0; i < argument_count; ++i) types.push_back(argument_of(arguments[i]));
  Codelet codelet(name, std::move(declared));
  codelet.takes(std::move(types));
  return codelet;
}

Arguments arguments_of(const troupe_value* values, size_t count) {
  if (count != 0) require(values, "arguments");
  Arguments arguments;
  for (size_t i = 0; i < count; ++i) {
    require(values[i].value, "an argument");
    const ArgumentType type = argument_of(values[i].type);
    if (arguments.append_bytes(type.tag, type.size, type.alignment, values[i].value)) continue;
    throw Error(ErrorCode::invalid_argument, "a task takes at most seven arguments by value, and 40 bytes of them");
  }
  return arguments;
}

TaskOptions options_of(const troupe_task_options* options) {
  if (options == nullptr) return {};
  TaskOptions result;
  result.priority = options->priority;
  result.name = text_of(options->name);
  if (options->after_count != 0) require(options->after, "after");
  for (size_t i = 0; i < options->after_count; ++i) result.after.push_back(future_of(options->after[i]));
  if (options->callback != nullptr) {
    result.callback = [call = options->callback, user = options->user](const TaskOutcome& outcome) {
      call(outcome.task.value(), to_c(outcome.status), outcome.message.c_str(), user);
    };
  }
  return result;
}

}  // namespace
}  // namespace troupe::c

using namespace troupe;     // NOLINT: the functions of the interface lie outside of all namespaces
using namespace troupe::c;  // NOLINT

extern "C" {

troupe_error troupe_codelet_find(const char* name, troupe_codelet** codelet) {
  return guarded([&] {
    require(name, "name");
    require(codelet, "codelet");
    const kernels::CatalogueEntry* entry = kernels::find_in_catalogue(name);
    if (entry == nullptr) {
      throw Error(ErrorCode::no_implementation, "no kernel that comes with Troupe is called '" + std::string(name) +
                                                    "': define it, or declare it where a service's plug-in has it");
    }
    *codelet = new troupe_codelet{entry->codelet};
  });
}

troupe_error troupe_codelet_declare(const char* name, const troupe_mode* modes, size_t mode_count,
                                    const troupe_type* arguments, size_t argument_count, troupe_codelet** codelet) {
  return guarded([&] {
    require(codelet, "codelet");
    *codelet = new troupe_codelet{make_codelet(name, modes, mode_count, arguments, argument_count)};
  });
}

troupe_error troupe_codelet_define(const char* name, const troupe_mode* modes, size_t mode_count,
                                   const troupe_type* arguments, size_t argument_count, troupe_kernel kernel,
                                   void* user, troupe_codelet** codelet) {
  return guarded([&] {
    require(codelet, "codelet");
    if (kernel == nullptr) throw Error(ErrorCode::invalid_argument, "kernel is NULL");
    Codelet defined = make_codelet(name, modes, mode_count, arguments, argument_count);
    defined.cpu([kernel, user](const KernelContext& context) {
      const troupe_kernel_context running{context, {}};
      const int outcome = kernel(&running, user);
      if (running.failure) throw Error(ErrorCode::kernel_failed, *running.failure);
      if (outcome != 0) {
        throw Error(ErrorCode::kernel_failed, "the kernel returned " + std::to_string(outcome));
      }
    });
    *codelet = new troupe_codelet{std::move(defined)};
  });
}

void troupe_codelet_free(troupe_codelet* codelet) { delete codelet; }

void* troupe_kernel_data(const troupe_kernel_context* context, size_t index, int64_t* rows, int64_t* cols,
                         int64_t* ld) {
  if (context == nullptr || index >= context->context.size()) return nullptr;
  const DataView& view = context->context.data(index);
  if (rows != nullptr) *rows = view.layout.rows;
  if (cols != nullptr) *cols = view.layout.cols;
  if (ld != nullptr) *ld = view.layout.ld;
  return view.data;
}

const void* troupe_kernel_argument(const troupe_kernel_context* context, size_t index) {
  if (context == nullptr || index >= Arguments::kMaxArguments) return nullptr;
  return &context->context.argument<char>(index);
}

void troupe_kernel_fail(const troupe_kernel_context* context, const char* why) {
  if (context != nullptr) context->failure = why == nullptr ? "the kernel gave no reason" : why;
}

troupe_error troupe_submit(troupe_runtime* runtime, const troupe_codelet* codelet, const troupe_access* accesses,
                           size_t access_count, const troupe_value* arguments, size_t argument_count,
                           const troupe_task_options* options, troupe_future* future) {
  return guarded([&] {
    require(runtime, "runtime");
    require(codelet, "codelet");
    if (access_count != 0) require(accesses, "accesses");
    std::vector<Access> uses;
    for (size_t i = 0; i < access_count; ++i) {
      const Handle handle = handle_of(accesses[i].handle);
      if (accesses[i].mode == TROUPE_DECLARED) {
        uses.emplace_back(handle);
      } else {
        uses.emplace_back(handle, mode_of(accesses[i].mode));
      }
    }
    const Future submitted =
        runtime->runtime->submit(codelet->codelet, uses, arguments_of(arguments, argument_count), options_of(options));
    if (future != nullptr) *future = c::to_c(submitted);
  });
}

troupe_error troupe_future_wait(troupe_future future) {
  return guarded([&] { future_of(future).wait(); });
}

troupe_error troupe_future_status(troupe_future future, troupe_status* status) {
  return guarded([&] {
    require(status, "status");
    *status = c::to_c(future_of(future).status());
  });
}

troupe_error troupe_future_cancel(troupe_future future) {
  return guarded([&] { future_of(future).cancel(); });
}

troupe_error troupe_record(troupe_runtime* runtime, int (*program)(void* user), void* user, const char* name,
                           troupe_recording** recording) {
  return guarded([&] {
    require(runtime, "runtime");
    require(recording, "recording");
    if (program == nullptr) throw Error(ErrorCode::invalid_argument, "program is NULL");
    const auto record = [&] {
      if (const int outcome = program(user); outcome != 0) {
        throw Error(ErrorCode::invalid_argument, "the recorded program gave up with " + std::to_string(outcome));
      }
    };
    *recording = new troupe_recording{runtime->runtime->record(record, text_of(name))};
  });
}

troupe_error troupe_run(troupe_recording* recording, const troupe_rebinding* rebindings, size_t count,
                        troupe_future* future) {
  return guarded([&] {
    require(recording, "recording");
    if (count != 0) require(rebindings, "rebindings");
    std::vector<Rebinding> exchanged;
    for (size_t i = 0; i < count; ++i) {
      exchanged.push_back({handle_of(rebindings[i].recorded), handle_of(rebindings[i].now)});
    }
    const Future run = recording->graph.run(exchanged);
    if (future != nullptr) *future = c::to_c(run);
  });
}

void troupe_recording_free(troupe_recording* recording) { delete recording; }
}
