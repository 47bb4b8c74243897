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
/// Made once, with the platform; never destroyed, and references to it are not counted (it is a root device).
class Device : public HandleOf<_cl_device_id, ObjectType::device, CL_INVALID_DEVICE> {
 public:
  /// The unified one.
  explicit Device(std::vector<RealDevice*> real) : number_(-1), real_(std::move(real)) {}

  [[nodiscard]] bool unified() const { return number_ < 0; }
  /// Its place among the platform's real devices, and in everything that is kept per real device; -1 for the unified
  /// one.
  [[nodiscard]] int number() const { return number_; }
  /// The real devices that it stands for: itself, or all.
  [[nodiscard]] const std::vector<RealDevice*>& real() const { return real_; }

  /// Refuses with CL_INVALID_VALUE what is not known.
  void info(cl_device_info what, const Info& answer) const;
  [[nodiscard]] cl_device_type type() const;
  /// A number of the vendor's, of the unified device the least of all; 0 where a vendor does not know it.
  [[nodiscard]] cl_ulong largest_buffer() const;
  /// The alignment of sub-buffers' offsets, in bytes.
  [[nodiscard]] std::size_t offset_alignment() const;

 protected:
  Device(int number, RealDevice* self) : number_(number), real_{self} {}

 private:
  int number_;
  std::vector<RealDevice*> real_;
};

class RealDevice : public Device {
 public:
  RealDevice(int number, const platform::OpenClDevice& vendor) : Device(number, this), vendor_(&vendor) {}

  [[nodiscard]] const platform::OpenClDevice& vendor() const { return *vendor_; }
  [[nodiscard]] const cl_icd_dispatch& api() const { return *vendor_->api; }
  /// Any thread.
  [[nodiscard]] VendorContext& context();

  /// The vendor's answer to a query; zero where it has none.
  template <class T>
  [[nodiscard]] T ask(cl_device_info what) const {
    T value{};
    const cl_int status = api().clGetDeviceInfo(vendor_->id, what, sizeof value, &value, nullptr);
    return status == CL_SUCCESS ? value : T{};
  }
  /// The same for texts.
  [[nodiscard]] std::string ask_text(cl_device_info what) const;
  /// The extensions that programs may use on it.
  [[nodiscard]] std::vector<std::string> extensions() const;

 private:
  const platform::OpenClDevice* vendor_;
  std::once_flag made_;
  std::unique_ptr<VendorContext> context_;
};

}  // namespace troupe::opencl
