/// A program's own function that splits the launches of a kernel, as in SOCL.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// A function of the program that enqueues a launch in `factor` pieces. The program decides how to divide the work. The
/// launch must begin after the event `before`. The function returns an event for the launch's end in `after`; the
/// caller releases this event. A launch of the same kernel inside the function is not divided again.
using DivideFunction = cl_int (*)(cl_command_queue queue, cl_uint factor, void* data, cl_event before, cl_event* after);

/// The division of one kernel. Each factor from 1 to the number of factors minus one is tried once; afterwards the
/// fastest factor is used. Thread-safe.
class Division {
 public:
  /// The values that a program passes to clSetKernelArg in place of an argument's index, to set a member of this
  /// object.
  static constexpr cl_uint kFunction = static_cast<cl_uint>(-1);
  static constexpr cl_uint kFactors = static_cast<cl_uint>(-2);
  static constexpr cl_uint kData = static_cast<cl_uint>(-3);
  [[nodiscard]] static bool has(cl_uint index) { return index >= kData; }

  /// Sets the function, its data, or the number of factors. `value` is the function or the data itself (null for none),
  /// or points to the number of factors, a cl_uint. Setting the number discards the measured times. Refuses with
  /// CL_INVALID_ARG_VALUE.
  void set(cl_uint index, const void* value);

  struct Choice {
    /// The program's function; null if the program has set none.
    DivideFunction function = nullptr;
    void* data = nullptr;
    cl_uint factor = 1;
  };
  [[nodiscard]] Choice choose();
  /// Records that a launch in `factor` pieces took `time` nanoseconds.
  void took(cl_uint factor, double time);

 private:
  Mutex mutex_;
  DivideFunction function_ TROUPE_GUARDED_BY(mutex_) = nullptr;
  void* data_ TROUPE_GUARDED_BY(mutex_) = nullptr;
  /// The next factor to try. If it is not below the size of `times_`, all factors have been tried.
  cl_uint next_ TROUPE_GUARDED_BY(mutex_) = 1;
  /// The measured times by factor; 0 if there is none.
  std::vector<double> times_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
