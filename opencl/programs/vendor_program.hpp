/// A vendor's program for one device, and a vendor's kernel.
#pragma once

#include <CL/cl_icd.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opencl/objects/vendor_context.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// The text in front of each source. It corrects the drivers' macros for Troupe's devices, which have no images and
/// support OpenCL 1.2. It also renames the image types, which do not exist without images: a program that uses them
/// does not build, and the new name in the compiler's error gives the reason. Error messages count lines from the first
/// line of the program's own source.
inline constexpr std::string_view kProgramPreface =
    "#undef __IMAGE_SUPPORT__\n"
    "#undef __OPENCL_VERSION__\n"
    "#define __OPENCL_VERSION__ 120\n"
    "#define image1d_t image1d_t_is_missing_since_images_are_not_supported\n"
    "#define image1d_array_t image1d_array_t_is_missing_since_images_are_not_supported\n"
    "#define image1d_buffer_t image1d_buffer_t_is_missing_since_images_are_not_supported\n"
    "#define image2d_t image2d_t_is_missing_since_images_are_not_supported\n"
    "#define image2d_array_t image2d_array_t_is_missing_since_images_are_not_supported\n"
    "#define image3d_t image3d_t_is_missing_since_images_are_not_supported\n"
    "#define sampler_t sampler_t_is_missing_since_images_are_not_supported\n"
    "#line 1\n";

/// A vendor's program, owned by this object. Its functions refuse with the vendor's error code.
class VendorProgram {
 public:
  VendorProgram(VendorContext& context, platform::OpenClContext held, cl_program program)
      : context_(&context), held_(std::move(held)), program_(program) {}
  VendorProgram(const VendorProgram&) = delete;
  VendorProgram& operator=(const VendorProgram&) = delete;
  ~VendorProgram() { api().clReleaseProgram(program_); }

  [[nodiscard]] static std::shared_ptr<VendorProgram> of_source(VendorContext& context, const std::string& source);
  [[nodiscard]] static std::shared_ptr<VendorProgram> of_binary(VendorContext& context,
                                                                const std::vector<unsigned char>& binary);
  /// The result of `link`. The status is CL_LINKER_NOT_AVAILABLE if the vendor does not link. A failed link may return
  /// a program whose log gives the reason; otherwise the program is null.
  struct Linked;
  [[nodiscard]] static Linked link(VendorContext& context, const std::string& options,
                                   const std::vector<std::shared_ptr<VendorProgram>>& parts);

  [[nodiscard]] VendorContext& context() const { return *context_; }
  [[nodiscard]] const cl_icd_dispatch& api() const { return context_->api(); }
  [[nodiscard]] cl_program program() const { return program_; }

  /// Builds the program, with information about arguments if the vendor accepts that option. Returns the vendor's code.
  [[nodiscard]] cl_int build(const std::string& options);
  /// Compiles the program. Each header has the name by which the source includes it. Returns CL_COMPILER_NOT_AVAILABLE
  /// if the vendor cannot compile without linking.
  [[nodiscard]] cl_int compile(const std::string& options,
                               const std::vector<std::pair<std::string, std::shared_ptr<VendorProgram>>>& headers);
  /// Returns true if the vendor chose the version of the language in the last build. This happens if a program names no
  /// version and the vendor does not accept the option (-cl-std) that Troupe adds.
  [[nodiscard]] bool chose_language() const { return chose_language_; }

  [[nodiscard]] std::string log() const;
  [[nodiscard]] cl_program_binary_type binary_type() const;
  /// Returns the binary; empty if the vendor returns none.
  [[nodiscard]] std::vector<unsigned char> binary() const;
  [[nodiscard]] std::vector<std::string> kernel_names() const;

 private:
  VendorContext* context_;
  const platform::OpenClContext held_;
  cl_program program_;
  bool chose_language_ = false;
};

struct VendorProgram::Linked {
  cl_int status = CL_SUCCESS;
  std::shared_ptr<VendorProgram> program;
};

/// A vendor's kernel, owned by this object.
class VendorKernel {
 public:
  /// Makes a kernel. Refuses with the vendor's code.
  VendorKernel(std::shared_ptr<VendorProgram> program, const std::string& name);
  VendorKernel(const VendorKernel&) = delete;
  VendorKernel& operator=(const VendorKernel&) = delete;
  ~VendorKernel() { api().clReleaseKernel(kernel_); }

  [[nodiscard]] const cl_icd_dispatch& api() const { return program_->api(); }
  [[nodiscard]] cl_device_id device() const { return program_->context().device(); }
  [[nodiscard]] cl_kernel kernel() const { return kernel_; }
  /// Returns the lock to hold from the first setting of an argument until the launch is enqueued, because vendors store
  /// arguments in the kernel.
  [[nodiscard]] Mutex& mutex() { return mutex_; }

 private:
  std::shared_ptr<VendorProgram> program_;
  cl_kernel kernel_ = nullptr;
  Mutex mutex_;
};

}  // namespace troupe::opencl
