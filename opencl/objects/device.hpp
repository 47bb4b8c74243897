/// The devices that programs see: one that stands for all, and each real one.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "opencl/objects/info.hpp"
#include "opencl/objects/object.hpp"
#include "opencl/objects/vendor_context.hpp"
#include "platform/opencl/opencl_devices.hpp"

namespace troupe::opencl {

class RealDevice;

/// Made once, with the platform; never destroyed, and references to it are not counted (it is a root device).
class Device : public HandleOf<_cl_device_id, ObjectType::device, CL_INVALID_DEVICE> {
 public:
  /// `number`: its place in the platform's list, and in everything that is kept per real device; -1 for the unified
  /// one.
  Device(int number, std::vector<RealDevice*> real) : number_(number), real_(std::move(real)) {}

  [[nodiscard]] bool unified() const { return number_ < 0; }
  [[nodiscard]] int number() const { return number_; }
  /// The real devices that it stands for: itself, or all.
  [[nodiscard]] const std::vector<RealDevice*>& real() const { return real_; }

  void info(cl_device_info what, const Info& answer);
  [[nodiscard]] cl_device_type type() const;
  /// The largest buffer that it takes.
  [[nodiscard]] cl_ulong largest_buffer() const;
  /// The alignment of sub-buffers' offsets, in bytes.
  [[nodiscard]] std::size_t offset_alignment() const;
  /// Names of the extensions that programs may use on it, with a space between.
  [[nodiscard]] std::string extensions() const;

 private:
  int number_;
  std::vector<RealDevice*> real_;
};

class RealDevice : public Device {
 public:
  RealDevice(int number, const platform::OpenClDevice& vendor) : Device(number, {this}), vendor_(&vendor) {}

  [[nodiscard]] const platform::OpenClDevice& vendor() const { return *vendor_; }
  [[nodiscard]] const cl_icd_dispatch& api() const { return *vendor_->api; }
  /// Made at the first call. Any thread.
  [[nodiscard]] VendorContext& context();

 private:
  const platform::OpenClDevice* vendor_;
  std::once_flag made_;
  std::unique_ptr<VendorContext> context_;
};

}  // namespace troupe::opencl
