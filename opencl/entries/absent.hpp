/// Entries for functions that this platform does not offer. Templates make them fit every signature in the table of
/// functions. All entries return an error; most check the first OpenCL handle first.
#pragma once

#include <CL/cl.h>

#include "opencl/objects/object.hpp"

namespace troupe::opencl {

/// Returns the error code of `T` if the first argument is not the handle of a `T`, otherwise `status`.
template <class T, cl_int status, class... Rest>
cl_int absent(typename T::ClType handle, Rest...) {
  return find<T>(handle) ? status : T::kInvalid;
}

/// An entry for functions whose first argument is not an OpenCL handle of this platform.
template <cl_int status, class... Arguments>
cl_int absent_for_all(Arguments...) {
  return status;
}

inline void set_last(cl_int status, cl_int* errcode_ret) {
  if (errcode_ret != nullptr) *errcode_ret = status;
}
template <class First, class... Rest>
void set_last(cl_int status, First, Rest... rest) {
  set_last(status, rest...);
}

/// An entry for functions that return an object: returns null, and stores the error code through the last argument.
template <class T, cl_int status, class Result, class... Rest>
Result absent_object(typename T::ClType handle, Rest... rest) {
  set_last(find<T>(handle) ? status : T::kInvalid, rest...);
  return nullptr;
}

}  // namespace troupe::opencl
