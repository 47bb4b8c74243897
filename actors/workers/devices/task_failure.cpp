#include "actors/workers/devices/task_failure.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "graph/data/data_registry.hpp"

namespace troupe::workers {

graph::FailureLog::Cause task_failure(const graph::Task& task, ErrorCode code, const std::string& what, WorkerId worker,
                                      const std::string& device) {
  return std::make_shared<Failure>(Failure{code, graph::describe(task) + " failed on worker " +
                                                     std::to_string(worker.value()) + " (" + device + "): " + what});
}

graph::FailureLog::Cause task_failure_of_exception(const graph::Task& task, WorkerId worker,
                                                   const std::string& device) {
  try {
    throw;
  } catch (const Error& error) {
    // The kernel's own error code says best what has failed.
    return task_failure(task, error.code(), error.what(), worker, device);
  } catch (const std::exception& error) {
    return task_failure(task, ErrorCode::kernel_failed, error.what(), worker, device);
  } catch (const abi::__forced_unwind&) {
    // The C library unwinds this thread, because the kernel has ended or cancelled it. This unwinding must not be
    // caught, and ends the process now. The message says why.
    const std::string what = "troupe: " + graph::describe(task) +
                             " ended its worker's thread (pthread_exit, pthread_cancel): the process cannot go on\n";
    std::fputs(what.c_str(), stderr);
    throw;
  } catch (...) {
    return task_failure(task, ErrorCode::kernel_failed, "the kernel threw something that is no std::exception", worker,
                        device);
  }
}

}  // namespace troupe::workers
