/// The refusal of a call: an exception with the standard's error code. The entry returns this code to the program.
#pragma once

#include <CL/cl.h>

#include <exception>

namespace troupe::opencl {

/// Thrown if a call cannot be carried out; the code names the reason. The exception never leaves the library: see
/// entries/guard.hpp.
class Refusal : public std::exception {
 public:
  explicit Refusal(cl_int status) : status_(status) {}
  [[nodiscard]] cl_int status() const noexcept { return status_; }
  [[nodiscard]] const char* what() const noexcept override { return "refused with an OpenCL error code"; }

 private:
  cl_int status_;
};

/// Refuses with `status` if the condition is false.
inline void require(bool condition, cl_int status) {
  if (!condition) throw Refusal(status);
}

/// Refuses with a driver's error code. Does nothing for CL_SUCCESS.
inline void accept(cl_int status) {
  if (status != CL_SUCCESS) throw Refusal(status);
}

}  // namespace troupe::opencl
