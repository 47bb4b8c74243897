/// The devices that programs see: real devices, and unified devices, each of which stands for several real devices.
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

/// A device. It is made once, together with the platform, and never destroyed. It is a root device in the standard's
/// sense, so references to it are not counted.
class Device : public TypedObject<_cl_device_id, ObjectType::device, CL_INVALID_DEVICE> {
 public:
  /// Makes a unified device: for all real devices, or for those of one type. `kind` is the name of that type in texts
  /// for people ("GPUs").
  explicit Device(std::vector<RealDevice*> real, std::string kind = "devices")
      : number_(-1), real_(std::move(real)), kind_(std::move(kind)) {}

  [[nodiscard]] bool unified() const { return number_ < 0; }
  /// Returns the device's number among the platform's real devices, which is also its index in tables with one entry
  /// per real device; -1 for a unified device.
  [[nodiscard]] int number() const { return number_; }
  /// Returns the real devices that this device stands for: only itself if it is real, several if it is unified.
  [[nodiscard]] const std::vector<RealDevice*>& real() const { return real_; }

  /// Answers a query about the device. Refuses with CL_INVALID_VALUE for an unknown question.
  void info(cl_device_info what, const Info& answer) const;
  /// Returns the types that all real devices behind this device have in common. The default device also has
  /// CL_DEVICE_TYPE_DEFAULT; this is its only type if the real devices have no type in common.
  [[nodiscard]] cl_device_type type() const;
  /// Returns true if a program that requests devices of these types gets this device: if each real device behind it has
  /// one of the types, or if the program requests the default device and this is the default device.
  [[nodiscard]] bool is_of(cl_device_type types) const;
  /// Returns the size of the largest buffer that all real devices behind this device accept; 0 if a vendor does not
  /// report the size.
  [[nodiscard]] cl_ulong largest_buffer() const;
  /// Returns the alignment of sub-buffers' offsets, in bytes.
  [[nodiscard]] std::size_t offset_alignment() const;

 protected:
  Device(int number, RealDevice* self) : number_(number), real_{self} {}

 private:
  [[nodiscard]] bool is_default() const;

  int number_;
  std::vector<RealDevice*> real_;
  std::string kind_;
};

class RealDevice : public Device {
 public:
  RealDevice(int number, const platform::OpenClDevice& vendor) : Device(number, this), vendor_(&vendor) {}

  [[nodiscard]] const platform::OpenClDevice& vendor() const { return *vendor_; }
  [[nodiscard]] const cl_icd_dispatch& api() const { return *vendor_->api; }
  /// Returns the vendor's context. May be called from any thread.
  [[nodiscard]] VendorContext& context();

  /// Returns the vendor's answer to a query; zero if the vendor gives none.
  template <class T>
  [[nodiscard]] T ask(cl_device_info what) const {
    T value{};
    const cl_int status = api().clGetDeviceInfo(vendor_->id, what, sizeof value, &value, nullptr);
    return status == CL_SUCCESS ? value : T{};
  }
  /// Returns the vendor's answer to a query, as text.
  [[nodiscard]] std::string ask_text(cl_device_info what) const;
  /// `memory` returns the size of all memory, `largest_piece` the size of the largest buffer, both in bytes. The values
  /// are those that the vendor reports, or the user's limit (`memory_limit`) if that is smaller.
  [[nodiscard]] cl_ulong memory() const { return limited(CL_DEVICE_GLOBAL_MEM_SIZE); }
  [[nodiscard]] cl_ulong largest_piece() const { return limited(CL_DEVICE_MAX_MEM_ALLOC_SIZE); }
  /// Returns the extensions that programs may use on the device.
  [[nodiscard]] std::vector<std::string> extensions() const;

 private:
  [[nodiscard]] cl_ulong limited(cl_device_info what) const;

  const platform::OpenClDevice* vendor_;
  std::once_flag made_;
  std::unique_ptr<VendorContext> context_;
};

}  // namespace troupe::opencl
