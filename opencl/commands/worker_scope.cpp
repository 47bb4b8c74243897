#include "opencl/commands/worker_scope.hpp"

#include <utility>

namespace troupe::opencl {

namespace {

thread_local int worker_scopes = 0;
/// True while this thread runs a job of `cleaner`.
thread_local bool cleans = false;

void clean(const std::function<void()>& job) {
  cleans = true;
  job();
  cleans = false;
}

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
    cleaner().run([job = std::move(job)] { clean(job); });
  } else {
    job();
  }
}

void run_program_functions(std::function<void()> job) {
  if (worker_scopes > 0 || cleans) {
    program_callbacks().run(std::move(job));
  } else {
    job();
  }
}

}  // namespace troupe::opencl
