#include "opencl/commands/worker_scope.hpp"

#include <utility>

namespace troupe::opencl {

namespace {

thread_local int worker_scopes = 0;

}  // namespace

WorkerScope::WorkerScope() { ++worker_scopes; }
WorkerScope::~WorkerScope() { --worker_scopes; }

platform::BackgroundThread& cleaner() {
  static auto* const thread = new platform::BackgroundThread("opencl cleaner");
  return *thread;
}

platform::BackgroundThread& program_callbacks() {
  static auto* const thread = new platform::BackgroundThread("opencl calls");
  return *thread;
}

void run_outside_of_workers(std::function<void()> job) {
  if (worker_scopes > 0) {
    cleaner().run(std::move(job));
  } else {
    job();
  }
}

}  // namespace troupe::opencl
