/// Turns exceptions of the library into error codes for programs in C.
#pragma once

#include <CL/cl.h>

#include <new>
#include <utility>

#include "opencl/objects/refusal.hpp"

namespace troupe::opencl {

/// Returns the error code for the exception that is being handled.
[[nodiscard]] cl_int status_of_exception() noexcept;

/// Runs the body of an entry that returns an error code. Returns CL_SUCCESS if `body` throws nothing.
template <class Body>
cl_int guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return CL_SUCCESS;
  } catch (...) {
    return status_of_exception();
  }
}

/// Runs the body of an entry that returns an object and stores the error code in `errcode_ret`, if that is not null.
/// Returns the result of `body`, or null.
template <class Body>
auto guarded_result(cl_int* errcode_ret, Body&& body) noexcept -> decltype(body()) {
  cl_int status = CL_SUCCESS;
  decltype(body()) result = nullptr;
  try {
    result = std::forward<Body>(body)();
  } catch (...) {
    status = status_of_exception();
  }
  if (errcode_ret != nullptr) *errcode_ret = status;
  return result;
}

}  // namespace troupe::opencl
