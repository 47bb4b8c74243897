/// Runtimes and data of the C interface.
#include <utility>
#include <vector>

#include "client/c/guard.hpp"
#include "client/c/objects.hpp"

namespace troupe::c {

AccessMode mode_of(troupe_mode mode) {
  switch (mode) {
    case TROUPE_READ: return AccessMode::read;
    case TROUPE_WRITE: return AccessMode::write;
    case TROUPE_READ_WRITE: return AccessMode::read_write;
    case TROUPE_COMMUTE: return AccessMode::commute;
    case TROUPE_REDUCE: return AccessMode::reduce;
    case TROUPE_DECLARED: break;
  }
  throw Error(ErrorCode::invalid_argument,
              "a troupe_mode of " + std::to_string(mode) + " cannot be used here: use TROUPE_READ to TROUPE_REDUCE");
}

ArgumentType argument_of(troupe_type type) {
  return with_type(type, []<class T>() { return ArgumentType::of<T>(); });
}

troupe_status to_c(TaskStatus status) {
  switch (status) {
    case TaskStatus::pending: return TROUPE_PENDING;
    case TaskStatus::succeeded: return TROUPE_SUCCEEDED;
    case TaskStatus::failed: return TROUPE_FAILED;
    case TaskStatus::cancelled: return TROUPE_WAS_CANCELLED;
  }
  return TROUPE_PENDING;
}

namespace {

/// Whoever throws in between leaves nothing behind, and `result` as it was.
template <class Object, class... Parts>
void give(Object** result, Parts&&... parts) {
  *result = new Object{std::forward<Parts>(parts)...};  // `troupe_…_free` deletes it
}

}  // namespace
}  // namespace troupe::c

using namespace troupe;     // NOLINT: the functions of the interface lie outside of all namespaces
using namespace troupe::c;  // NOLINT

extern "C" {

troupe_error troupe_start(int cores, const char* policy, troupe_runtime** runtime) {
  return guarded([&] {
    require(runtime, "runtime");
    RuntimeOptions options;
    if (cores != 0) options.cores = cores;
    if (policy != nullptr) options.policy = policy;
    give(runtime, std::make_unique<Runtime>(options));
  });
}

troupe_error troupe_connect(const char* folder, const char* name, troupe_runtime** runtime) {
  return guarded([&] {
    require(runtime, "runtime");
    const ConnectOptions options{text_of(folder), text_of(name)};
    give(runtime, std::unique_ptr<Runtime>(new Runtime(Runtime::connect(options))));
  });
}

void troupe_runtime_free(troupe_runtime* runtime) { delete runtime; }

troupe_error troupe_workers(const troupe_runtime* runtime, size_t* workers) {
  return guarded([&] {
    require(runtime, "runtime");
    require(workers, "workers");
    *workers = runtime->runtime->workers();
  });
}

troupe_error troupe_progress(const troupe_runtime* runtime, uint64_t* submitted, uint64_t* ended) {
  return guarded([&] {
    require(runtime, "runtime");
    const Progress progress = runtime->runtime->progress();
    if (submitted != nullptr) *submitted = progress.submitted;
    if (ended != nullptr) *ended = progress.ended;
  });
}

troupe_error troupe_register(troupe_runtime* runtime, troupe_type type, void* memory, int64_t rows, int64_t cols,
                             int64_t ld, const char* name, troupe_data** data) {
  return guarded([&] {
    require(runtime, "runtime");
    require(data, "data");
    if (rows != 0 && cols != 0) require(memory, "memory");
    give(data, with_type(type, [&]<class T>() {
           return runtime->runtime->matrix(static_cast<T*>(memory), rows, cols, ld, text_of(name));
         }));
  });
}

troupe_error troupe_allocate(troupe_runtime* runtime, troupe_type type, int64_t rows, int64_t cols, const char* name,
                             troupe_data** data) {
  return guarded([&] {
    require(runtime, "runtime");
    require(data, "data");
    give(data,
         with_type(type, [&]<class T>() { return runtime->runtime->allocate_matrix<T>(rows, cols, text_of(name)); }));
  });
}

void troupe_data_free(troupe_data* data) { delete data; }

troupe_handle troupe_data_handle(const troupe_data* data) {
  return data == nullptr ? c::to_c(Handle()) : c::to_c(data->data.handle());
}

troupe_error troupe_partition(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                              troupe_handle* parts) {
  return guarded([&] {
    require(runtime, "runtime");
    if (count == 0) return;
    require(blocks, "blocks");
    require(parts, "parts");
    std::vector<Block> cut;
    for (size_t i = 0; i < count; ++i) cut.push_back({blocks[i].row, blocks[i].col, blocks[i].rows, blocks[i].cols});
    const std::vector<Handle> handles = runtime->runtime->partition(handle_of(whole), cut);
    for (size_t i = 0; i < count; ++i) parts[i] = c::to_c(handles[i]);
  });
}

troupe_error troupe_set_sum(troupe_runtime* runtime, troupe_handle handle, troupe_type type) {
  return guarded([&] {
    require(runtime, "runtime");
    runtime->runtime->set_reduction(handle_of(handle), with_type(type, []<class T>() { return sum_reduction<T>(); }));
  });
}

troupe_error troupe_acquire(troupe_runtime* runtime, troupe_handle handle, troupe_mode mode, troupe_hold** hold) {
  return guarded([&] {
    require(runtime, "runtime");
    require(hold, "hold");
    give(hold, runtime->runtime->acquire(handle_of(handle), mode_of(mode)));
  });
}

void* troupe_hold_memory(const troupe_hold* hold, int64_t* rows, int64_t* cols, int64_t* ld) {
  if (hold == nullptr) return nullptr;
  const DataView& view = hold->access.view();
  if (rows != nullptr) *rows = view.layout.rows;
  if (cols != nullptr) *cols = view.layout.cols;
  if (ld != nullptr) *ld = view.layout.ld;
  return view.data;
}

void troupe_hold_free(troupe_hold* hold) { delete hold; }

troupe_error troupe_wait(troupe_runtime* runtime) {
  return guarded([&] {
    require(runtime, "runtime");
    runtime->runtime->wait();
  });
}

troupe_error troupe_wait_for(troupe_runtime* runtime, troupe_handle handle) {
  return guarded([&] {
    require(runtime, "runtime");
    runtime->runtime->wait(handle_of(handle));
  });
}

troupe_error troupe_cancel(troupe_runtime* runtime) {
  return guarded([&] {
    require(runtime, "runtime");
    runtime->runtime->cancel();
  });
}
}
