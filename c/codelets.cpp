/// Codelets of the C interface.
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "c/element_types.hpp"
#include "c/guard.hpp"
#include "c/objects.hpp"
#include "c/values.hpp"
#include "graph/codelets/codelet_definition.hpp"
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
  for (size_t i = 0; i < argument_count; ++i) types.push_back(argument_type(arguments[i]));
  Codelet codelet(name, std::move(declared));
  codelet.takes(std::move(types));
  return codelet;
}

/// Returns a copy of the codelet for a change. The original stays as it is, because a runtime may still use objects
/// that it made from the codelet in a failed submission. Throws if the codelet must not be changed any more.
Codelet changeable(const troupe_codelet& codelet) {
  const char* why = nullptr;
  if (codelet.submitted) why = "has been submitted: change it before";
  if (codelet.built_in) why = "comes with Troupe and cannot be changed: define one of your own";
  if (why == nullptr) return codelet.codelet.copy();
  throw Error(ErrorCode::invalid_argument, "the codelet '" + codelet.codelet.name() + "' " + why);
}

/// Returns a copy of the types of a codelet's arguments. The caller has checked these types.
std::shared_ptr<const std::vector<troupe_type>> shared_types(const troupe_type* arguments, size_t argument_count) {
  return std::make_shared<std::vector<troupe_type>>(arguments, arguments + argument_count);
}

void run_kernel(troupe_kernel kernel, void* user, std::span<const troupe_type> arguments,
                const KernelContext& context) {
  const troupe_kernel_context running{context, arguments};
  const int outcome = kernel(&running, user);
  if (running.failure) throw Error(ErrorCode::kernel_failed, *running.failure);
  if (outcome != 0) throw Error(ErrorCode::kernel_failed, "the kernel returned " + std::to_string(outcome));
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
    *codelet = new troupe_codelet{.codelet = entry->codelet, .built_in = true};
  });
}

troupe_error troupe_codelet_declare(const char* name, const troupe_mode* modes, size_t mode_count,
                                    const troupe_type* arguments, size_t argument_count, troupe_codelet** codelet) {
  return guarded([&] {
    require(codelet, "codelet");
    *codelet = new troupe_codelet{.codelet = make_codelet(name, modes, mode_count, arguments, argument_count),
                                  .arguments = shared_types(arguments, argument_count)};
  });
}

troupe_error troupe_codelet_define(const char* name, const troupe_mode* modes, size_t mode_count,
                                   const troupe_type* arguments, size_t argument_count, troupe_kernel kernel,
                                   void* user, void (*destroy)(void* user), troupe_codelet** codelet) {
  return guarded([&] {
    require(codelet, "codelet");
    require(reinterpret_cast<const void*>(kernel), "kernel");
    auto made = std::unique_ptr<troupe_codelet>(
        new troupe_codelet{.codelet = make_codelet(name, modes, mode_count, arguments, argument_count),
                           .arguments = shared_types(arguments, argument_count)});
    // The steps below can fail only for lack of memory.
    made->user = std::shared_ptr<void>(user, [destroy](void* last) {
      if (destroy != nullptr) destroy(last);
    });
    made->codelet.cpu([kernel, owner = made->user, types = made->arguments](const KernelContext& context) {
      run_kernel(kernel, owner.get(), *types, context);
    });
    *codelet = made.release();
  });
}

troupe_error troupe_codelet_set_flops(troupe_codelet* codelet,
                                      double (*flops)(const troupe_kernel_context* context, void* user)) {
  return guarded([&] {
    require(codelet, "codelet");
    require(reinterpret_cast<const void*>(flops), "flops");
    codelet->codelet = changeable(*codelet).flops(
        [flops, owner = codelet->user, types = codelet->arguments](const KernelContext& context) {
          const troupe_kernel_context asked{context, *types};
          return flops(&asked, owner.get());
        });
  });
}

troupe_error troupe_codelet_timed_as(troupe_codelet* codelet, const char* kernel) {
  return guarded([&] {
    require(codelet, "codelet");
    require(kernel, "kernel");
    codelet->codelet = changeable(*codelet).timed_as(kernel);
  });
}

void troupe_codelet_free(troupe_codelet* codelet) { delete codelet; }

size_t troupe_kernel_data_count(const troupe_kernel_context* context) {
  return context == nullptr ? 0 : context->context.size();
}

void* troupe_kernel_data(const troupe_kernel_context* context, size_t index, int64_t* rows, int64_t* cols,
                         int64_t* ld) {
  if (context == nullptr || index >= context->context.size()) return nullptr;
  const Layout& layout = context->context.data(index).layout;
  if (layout.planes != 1) {
    const std::string which = "data " + std::to_string(index) + " of the task have " + std::to_string(layout.planes);
    troupe_kernel_fail(context, (which + " planes: use troupe_kernel_volume").c_str());
    return nullptr;
  }
  if (rows != nullptr) *rows = layout.rows;
  if (cols != nullptr) *cols = layout.cols;
  if (ld != nullptr) *ld = layout.ld;
  return context->context.data(index).data;
}

void* troupe_kernel_volume(const troupe_kernel_context* context, size_t index, troupe_shape* shape) {
  if (context == nullptr || index >= context->context.size()) return nullptr;
  const DataView& view = context->context.data(index);
  if (shape != nullptr) *shape = shape_of(view.layout);
  return view.data;
}

const void* troupe_kernel_argument(const troupe_kernel_context* context, size_t index) {
  if (context == nullptr || index >= context->arguments.size()) return nullptr;
  return context->context.argument_bytes(index);
}

troupe_error troupe_kernel_data_type(const troupe_kernel_context* context, size_t index, troupe_type* type) {
  return guarded([&] {
    require(context, "context");
    require(type, "type");
    *type = type_with_tag(context->context.data(index).layout.element_tag);
  });
}

troupe_error troupe_kernel_argument_type(const troupe_kernel_context* context, size_t index, troupe_type* type) {
  return guarded([&] {
    require(context, "context");
    require(type, "type");
    if (index >= context->arguments.size()) {
      throw Error(ErrorCode::invalid_argument, "the task has " + std::to_string(context->arguments.size()) +
                                                   " arguments by value, and there is none at " +
                                                   std::to_string(index));
    }
    *type = context->arguments[index];
  });
}

int troupe_kernel_worker(const troupe_kernel_context* context) {
  if (context == nullptr || !context->context.worker.valid()) return -1;
  return static_cast<int>(context->context.worker.value());
}

int troupe_kernel_cancelled(const troupe_kernel_context* context) {
  return context != nullptr && context->context.cancelled() ? 1 : 0;
}

void troupe_kernel_fail(const troupe_kernel_context* context, const char* why) {
  if (context != nullptr) context->failure = why == nullptr ? "the kernel gave no reason" : why;
}
}
