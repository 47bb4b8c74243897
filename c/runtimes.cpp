/// Runtimes of the C interface.
#include <memory>

#include "c/guard.hpp"
#include "c/objects.hpp"
#include "c/options.hpp"
#include "c/service_runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::c {

namespace {

void start(const troupe_options& given, troupe_runtime** runtime) {
  const RuntimeOptions options = to_runtime_options(given);
  const bool has_memory = !options.simulation || options.simulation->real_buffers;
  *runtime = new troupe_runtime{RuntimeState::make(std::make_unique<Runtime>(options), has_memory)};
}

}  // namespace
}  // namespace troupe::c

using namespace troupe;     // NOLINT: the functions of the interface lie outside of all namespaces
using namespace troupe::c;  // NOLINT

extern "C" {

troupe_error troupe_start_with(const troupe_options* options, troupe_runtime** runtime) {
  return guarded([&] {
    require(runtime, "runtime");
    start(settled(options), runtime);
  });
}

troupe_error troupe_start(int cores, const char* policy, troupe_runtime** runtime) {
  return guarded([&] {
    require(runtime, "runtime");
    troupe_options options{};
    options.cores = cores;
    options.policy = policy;
    start(options, runtime);
  });
}

troupe_error troupe_connect(const char* folder, const char* name, troupe_runtime** runtime) {
  return guarded([&] {
    require(runtime, "runtime");
    *runtime = new troupe_runtime{RuntimeState::make(connect_to_service({text_of(folder), text_of(name)}), true)};
  });
}

troupe_error troupe_runtime_free(troupe_runtime* runtime) {
  return guarded([&] {
    if (runtime == nullptr) return;
    runtime->state->check_may_end();
    const std::unique_ptr<troupe_runtime> owned(runtime);
    owned->state->close();
  });
}

troupe_error troupe_workers(const troupe_runtime* runtime, size_t* workers) {
  return guarded([&] {
    const auto state = state_of(runtime);
    require(workers, "workers");
    *workers = state->runtime().workers();
  });
}

troupe_error troupe_progress(const troupe_runtime* runtime, uint64_t* submitted, uint64_t* ended) {
  return guarded([&] {
    const auto state = state_of(runtime);
    const Progress progress = state->runtime().progress();
    if (submitted != nullptr) *submitted = progress.submitted;
    if (ended != nullptr) *ended = progress.ended;
  });
}

troupe_error troupe_wait(troupe_runtime* runtime) {
  return guarded([&] {
    const auto state = state_of(runtime);
    state->runtime().wait();
  });
}

troupe_error troupe_wait_for(troupe_runtime* runtime, troupe_handle handle) {
  return guarded([&] {
    const auto state = state_of(runtime);
    state->runtime().wait(HandleSlots::get().find(handle, state->number()).handle);
  });
}

troupe_error troupe_cancel(troupe_runtime* runtime) {
  return guarded([&] {
    const auto state = state_of(runtime);
    state->runtime().cancel();
  });
}

troupe_error troupe_regroup(troupe_runtime* runtime, const char* clusters) {
  return guarded([&] {
    const auto state = state_of(runtime);
    require(clusters, "clusters");
    state->runtime().regroup(clusters);
  });
}

const char* troupe_version(void) { return TROUPE_VERSION; }
}
