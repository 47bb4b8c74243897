/// The border to programs in C: what the library throws becomes an error code.
#pragma once

#include <CL/cl.h>

#include <new>
#include <utility>

#include "opencl/objects/refusal.hpp"

namespace troupe::opencl {

/// The error code of the exception that is being handled.
[[nodiscard]] cl_int status_of_exception() noexcept;

/// Of a function that returns an error code: CL_SUCCESS if `body` comes to its end.
template <class Body>
cl_int guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return CL_SUCCESS;
  } catch (...) {
    return status_of_exception();
  }
}

/// Of a function that returns something and puts the error code where it is told to, if it is: what `body` returns, or
/// null.
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
