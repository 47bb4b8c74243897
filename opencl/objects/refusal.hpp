/// How a call is refused: by an exception that carries the standard's error code, and that the entry turns into it.
#pragma once

#include <CL/cl.h>

#include <exception>

namespace troupe::opencl {

/// The call cannot be done, for the reason that the code names. Never leaves the library: see entries/guard.hpp.
class Refusal : public std::exception {
 public:
  explicit Refusal(cl_int status) : status_(status) {}
  [[nodiscard]] cl_int status() const noexcept { return status_; }
  [[nodiscard]] const char* what() const noexcept override { return "refused with an OpenCL error code"; }

 private:
  cl_int status_;
};

/// Refuses with `status` what is not as it must be.
inline void require(bool condition, cl_int status) {
  if (!condition) throw Refusal(status);
}

/// Refuses where a driver did.
inline void accept(cl_int status) {
  if (status != CL_SUCCESS) throw Refusal(status);
}

}  // namespace troupe::opencl
