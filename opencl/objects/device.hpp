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
  /// A unified one: of all real devices, or of those of one type, whose name for people `kind` is then ("GPUs").
  explicit Device(std::vector<RealDevice*> real, std::string kind = "devices")
      : number_(-1), real_(std::move(real)), kind_(std::move(kind)) {}

  [[nodiscard]] bool unified() const { return number_ < 0; }
  /// Its place among the platform's real devices, and in everything that is kept per real device; -1 for a unified one.
  [[nodiscard]] int number() const { return number_; }
  /// The real devices that it stands for: itself, or all.
  [[nodiscard]] const std::vector<RealDevice*>& real() const { return real_; }

  /// Refuses with CL_INVALID_VALUE what is not known.
  void info(cl_device_info what, const Info& answer) const;
  /// What a unified one is, all of its real devices are: where they have no type in common, it is the default alone.
  [[nodiscard]] cl_device_type type() const;
  /// A program that asks for devices of these types may be given it: all real devices that it stands for are of some of
  /// them, or the default is asked for and this is it.
  [[nodiscard]] bool is_of(cl_device_type types) const;
  /// The least of all that it stands for; 0 where a vendor does not know it.
  [[nodiscard]] cl_ulong largest_buffer() const;
  /// The alignment of sub-buffers' offsets, in bytes.
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
  /// As the vendor has it, or as the user has limited it (`memory_limit`), in bytes: all memory, and the largest
  /// buffer.
  [[nodiscard]] cl_ulong memory() const { return limited(CL_DEVICE_GLOBAL_MEM_SIZE); }
  [[nodiscard]] cl_ulong largest_piece() const { return limited(CL_DEVICE_MAX_MEM_ALLOC_SIZE); }
  /// The extensions that programs may use on it.
  [[nodiscard]] std::vector<std::string> extensions() const;

 private:
  [[nodiscard]] cl_ulong limited(cl_device_info what) const;

  const platform::OpenClDevice* vendor_;
  std::once_flag made_;
  std::unique_ptr<VendorContext> context_;
};

}  // namespace troupe::opencl
