/// A function of the program's that splits launches of a kernel by itself, as SOCL has it.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Enqueues a launch in `factor` parts, whatever that means to the program, behind the event `before`, and gives an
/// event of its end, which the caller releases. Launches of the kernel inside of it are as any.
using DivideFunction = cl_int (*)(cl_command_queue queue, cl_uint factor, void* data, cl_event before, cl_event* after);

/// One kernel's: each factor from 1 to one below their number is tried once, then the fastest is taken. Thread-safe.
class Division {
 public:
  /// What clSetKernelArg takes for it in place of an argument's index.
  static constexpr cl_uint kFunction = static_cast<cl_uint>(-1);
  static constexpr cl_uint kFactors = static_cast<cl_uint>(-2);
  static constexpr cl_uint kData = static_cast<cl_uint>(-3);
  [[nodiscard]] static bool has(cl_uint index) { return index >= kData; }

  /// The function or its data itself, null for none, or a pointer to the number of factors (cl_uint). A new number
  /// forgets what was learned. Refuses with CL_INVALID_ARG_VALUE.
  void set(cl_uint index, const void* value);

  struct Choice {
    /// Null: there is none.
    DivideFunction function = nullptr;
    void* data = nullptr;
    cl_uint factor = 1;
  };
  [[nodiscard]] Choice choose();
  /// A launch in this many parts took so many nanoseconds.
  void took(cl_uint factor, double time);

 private:
  Mutex mutex_;
  DivideFunction function_ TROUPE_GUARDED_BY(mutex_) = nullptr;
  void* data_ TROUPE_GUARDED_BY(mutex_) = nullptr;
  /// The next factor to be tried; from `times_`' size on there is none.
  cl_uint next_ TROUPE_GUARDED_BY(mutex_) = 1;
  /// By factor; 0: not known.
  std::vector<double> times_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
