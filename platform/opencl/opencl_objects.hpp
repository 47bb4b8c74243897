/// Objects of OpenCL that are released when their owner is destroyed.
#pragma once

#include <CL/cl_icd.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "platform/opencl/opencl_error.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// Owns an object of OpenCL. `Release` is the function in the driver's table that releases the object. The table must
/// outlive this owner.
template <class Object, auto Release>
class OpenClObject {
 public:
  OpenClObject() = default;
  OpenClObject(const _cl_icd_dispatch& api, Object object) : api_(&api), object_(object) {}
  OpenClObject(OpenClObject&& other) noexcept : api_(other.api_), object_(std::exchange(other.object_, nullptr)) {}
  OpenClObject& operator=(OpenClObject&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(object_, other.object_);
    return *this;
  }
  OpenClObject(const OpenClObject&) = delete;
  OpenClObject& operator=(const OpenClObject&) = delete;
  ~OpenClObject() {
    if (object_ != nullptr) (void)(api_->*Release)(object_);
  }

  [[nodiscard]] Object get() const { return object_; }

 private:
  const _cl_icd_dispatch* api_ = nullptr;
  Object object_ = nullptr;
};

using OpenClBuffer = OpenClObject<cl_mem, &_cl_icd_dispatch::clReleaseMemObject>;
using OpenClQueue = OpenClObject<cl_command_queue, &_cl_icd_dispatch::clReleaseCommandQueue>;
using OpenClEvent = OpenClObject<cl_event, &_cl_icd_dispatch::clReleaseEvent>;

/// Returns success if the status is success, otherwise `code` with a message such as "WHAT failed: CL_INVALID_VALUE
/// (-30)".
[[nodiscard]] inline Result<void> opencl_check(int status, std::string_view what, ErrorCode code) {
  if (status == CL_SUCCESS) return {};
  return Failure{code, std::string(what) + " failed: " + opencl_error(status)};
}

/// Checks the status like the function above, but `what` is a function that returns the text; it is called only if
/// there is a failure.
template <class What>
  requires std::is_invocable_r_v<std::string, What>
[[nodiscard]] Result<void> opencl_check(int status, What&& what, ErrorCode code) {
  if (status == CL_SUCCESS) return {};
  return opencl_check(status, std::string_view(what()), code);
}

/// Makes a queue that runs its commands in order. Fails with `platform`.
[[nodiscard]] Result<OpenClQueue> make_opencl_queue(const _cl_icd_dispatch& api, cl_context context,
                                                    cl_device_id device, bool profiled);

}  // namespace troupe::platform
