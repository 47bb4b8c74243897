/// Entries for functions that this platform does not have. They fit any place of the table, check the first OpenCL
/// handle, and return an error.
#pragma once

#include <CL/cl.h>

#include "opencl/objects/object.hpp"

namespace troupe::opencl {

/// Refuses with the error code of `T` if the first OpenCL handle is not a `T`, otherwise with `status`.
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

/// An entry for functions that return an object, and store an error code through their last argument.
template <class T, cl_int status, class Result, class... Rest>
Result absent_object(typename T::ClType handle, Rest... rest) {
  set_last(find<T>(handle) ? status : T::kInvalid, rest...);
  return nullptr;
}

}  // namespace troupe::opencl
