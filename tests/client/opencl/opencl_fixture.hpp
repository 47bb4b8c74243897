/// Functions that tests of kernels on OpenCL devices share.
#pragma once

#include <CL/cl_icd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/support/opencl/opencl_test_devices.hpp"
#include "troupe/opencl.hpp"

namespace troupe::tests {

inline const OpenClProgram& opencl_kernels() {
  static const OpenClProgram program(R"(
kernel void axpy(global const double* x, global double* y, double a) {
  const size_t i = get_global_id(0);
  y[i] += a * x[i];
}
kernel void add(global double* x, double a) { x[get_global_id(0)] += a; }
kernel void spin(global double* x, int steps) {
  double value = x[0];
  for (int i = 0; i < steps; ++i) value = value * 0.999999 + 1e-6;
  x[0] = value;
}
)");
  return program;
}

template <class T>
void set_opencl_argument(const OpenClLaunch& launch, cl_kernel kernel, cl_uint index, const T& value) {
  const cl_int status = launch.api().clSetKernelArg(kernel, index, sizeof value, &value);
  if (status != CL_SUCCESS) throw std::runtime_error("an argument was refused: " + std::to_string(status));
}

/// Enqueues a kernel for `count` work-items.
inline void enqueue_opencl(const OpenClLaunch& launch, cl_kernel kernel, std::size_t count) {
  const cl_int status =
      launch.api().clEnqueueNDRangeKernel(launch.queue(), kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) throw std::runtime_error("a kernel was not enqueued: " + std::to_string(status));
}

/// Enqueues a kernel that adds a number to each element of a vector.
inline void add_on_opencl(const OpenClLaunch& launch, VectorView<double> x, double a) {
  const cl_kernel kernel = opencl_kernels().kernel(launch, "add");
  set_opencl_argument(launch, kernel, 0, launch.buffer(x.data()));
  set_opencl_argument(launch, kernel, 1, a);
  enqueue_opencl(launch, kernel, x.size());
}

inline Codelet add_codelet() {
  return Codelet("add", {AccessMode::read_write}).opencl([](OpenClLaunch& launch, VectorView<double> x, double a) {
    add_on_opencl(launch, x, a);
  });
}

/// Returns options for a runtime with one core and these OpenCL devices.
inline RuntimeOptions with_opencl(const std::string& which = "0,1") {
  RuntimeOptions options = with_workers(1);
  options.accelerators.opencl = which;
  return options;
}

/// The number of the OpenCL device whose queues a test can block.
inline const std::string kHoldable = "2";

/// Blocks a queue with a command that ends when the test calls `release`. Later commands in the queue wait for this
/// command.
class HeldQueue {
 public:
  explicit HeldQueue(const OpenClLaunch& launch) : api_(launch.api()) {
    cl_int status = CL_SUCCESS;
    event_ = api_.clCreateUserEvent(launch.context(), &status);
    if (status == CL_SUCCESS) {
      status = api_.clEnqueueMarkerWithWaitList(launch.queue(), 1, &event_, &marker_);
    }
    if (status != CL_SUCCESS) throw std::runtime_error("a queue cannot be held: " + std::to_string(status));
  }
  HeldQueue(const HeldQueue&) = delete;
  HeldQueue& operator=(const HeldQueue&) = delete;
  /// The object must live until the task has ended, because pocl 3.1 uses a failed event after it has released the
  /// event.
  ~HeldQueue() {
    (void)api_.clReleaseEvent(marker_);
    (void)api_.clReleaseEvent(event_);
  }

  /// Ends the command. May be called once. `status` is CL_COMPLETE, or a negative error code.
  void release(cl_int status = CL_COMPLETE) { (void)api_.clSetUserEventStatus(event_, status); }
  [[nodiscard]] cl_event event() const { return event_; }

 private:
  const _cl_icd_dispatch& api_;
  cl_event event_ = nullptr;
  cl_event marker_ = nullptr;
};

}  // namespace troupe::tests
