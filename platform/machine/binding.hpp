/// Binding and naming of threads. All functions act on the calling thread only.
#pragma once

#include <string_view>
#include <thread>

#include "platform/machine/cpu_set.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// Binds the calling thread to one processing unit (PU), by the operating system's index (`Core::pu`). Threads that the
/// calling thread creates later inherit the binding, so all threads of a library's pool may end up on one core. Fails
/// with `platform` if the PU does not exist or is not allowed.
[[nodiscard]] Result<void> bind_this_thread(int pu);
/// Lets the calling thread run on any of several processing units (PUs), even if it inherited another binding. PUs that
/// this process may not use are ignored; fails with `platform` if none remains.
[[nodiscard]] Result<void> bind_this_thread(const CpuSet& pus);

/// Returns the processing units that the calling thread may run on. Fails with `platform`.
[[nodiscard]] Result<CpuSet> this_thread_binding();

/// Returns the processing unit (PU) that the calling thread runs on; -1 if the system cannot say. Unless the thread is
/// bound, it may move to another PU at once.
[[nodiscard]] int this_pu() noexcept;

/// Names the calling thread for debuggers, `top -H` and `perf`. Linux keeps 15 bytes; the rest is cut off. Errors are
/// not reported, as a missing name does no harm.
void name_this_thread(std::string_view name) noexcept;

/// Makes OpenMP's parallel regions in the calling thread use one thread, unless a region requests more. Does nothing if
/// OpenMP is not part of the program. Without this call, every kernel that uses OpenMP (in a BLAS library, for
/// instance) would have as many threads as the machine has cores.
void use_one_openmp_thread() noexcept;

/// Binds a thread, and restores its earlier binding when destroyed. Meant for a thread of the program that works for
/// the runtime for a while.
class BindingGuard {
 public:
  /// Binds the calling thread as `bind_this_thread` does. If this fails, the thread keeps its binding.
  [[nodiscard]] static Result<BindingGuard> bind(int pu);
  [[nodiscard]] static Result<BindingGuard> bind(const CpuSet& pus);

  BindingGuard(BindingGuard&& other) noexcept;
  BindingGuard& operator=(BindingGuard&&) = delete;
  BindingGuard(const BindingGuard&) = delete;
  BindingGuard& operator=(const BindingGuard&) = delete;
  /// Restores the binding that the thread had. Must run in the bound thread.
  ~BindingGuard();

 private:
  explicit BindingGuard(CpuSet previous);
  template <class Pus>
  static Result<BindingGuard> bind_to_any(const Pus& pus);

  /// The binding to restore; empty after this object has been moved from.
  CpuSet previous_;
  std::thread::id thread_;
};

}  // namespace troupe::platform
