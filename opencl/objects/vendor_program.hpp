/// A program and a kernel at one vendor, for one device.
#pragma once

#include <CL/cl_icd.h>

#include <memory>

#include "opencl/objects/vendor_context.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Owns the vendor's program.
class VendorProgram {
 public:
  VendorProgram(VendorContext& context, cl_program program) : context_(&context), program_(program) {}
  VendorProgram(const VendorProgram&) = delete;
  VendorProgram& operator=(const VendorProgram&) = delete;
  ~VendorProgram() { api().clReleaseProgram(program_); }

  [[nodiscard]] VendorContext& context() const { return *context_; }
  [[nodiscard]] const cl_icd_dispatch& api() const { return context_->api(); }
  [[nodiscard]] cl_program program() const { return program_; }

 private:
  VendorContext* context_;
  cl_program program_;
};

/// Owns the vendor's kernel.
class VendorKernel {
 public:
  VendorKernel(std::shared_ptr<VendorProgram> program, cl_kernel kernel)
      : program_(std::move(program)), kernel_(kernel) {}
  VendorKernel(const VendorKernel&) = delete;
  VendorKernel& operator=(const VendorKernel&) = delete;
  ~VendorKernel() { api().clReleaseKernel(kernel_); }

  [[nodiscard]] const cl_icd_dispatch& api() const { return program_->api(); }
  [[nodiscard]] cl_device_id device() const { return program_->context().device(); }
  [[nodiscard]] cl_kernel kernel() const { return kernel_; }
  /// Held from the first argument that is set until the launch that takes them: vendors keep arguments in the kernel.
  [[nodiscard]] Mutex& mutex() { return mutex_; }

 private:
  std::shared_ptr<VendorProgram> program_;
  cl_kernel kernel_;
  Mutex mutex_;
};

}  // namespace troupe::opencl
