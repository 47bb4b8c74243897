#include "opencl/objects/device.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "opencl/objects/device_answers.hpp"
#include "opencl/objects/environment.hpp"
#include "opencl/objects/platform.hpp"
#include "opencl/objects/versions.hpp"

namespace troupe::opencl {
namespace {

/// The extensions of real devices that the platform reports unchanged. The platform needs no code for them, because
/// they extend only the language of kernels.
constexpr std::array<std::string_view, 15> kPassedThrough{"cl_khr_fp64",
                                                          "cl_khr_fp16",
                                                          "cl_khr_byte_addressable_store",
                                                          "cl_khr_global_int32_base_atomics",
                                                          "cl_khr_global_int32_extended_atomics",
                                                          "cl_khr_local_int32_base_atomics",
                                                          "cl_khr_local_int32_extended_atomics",
                                                          "cl_khr_int64_base_atomics",
                                                          "cl_khr_int64_extended_atomics",
                                                          "cl_khr_extended_bit_ops",
                                                          "cl_khr_expect_assume",
                                                          "cl_amd_media_ops",
                                                          "cl_amd_media_ops2",
                                                          "cl_nv_pragma_unroll",
                                                          "cl_nv_compiler_options"};

void answer_extensions(const std::vector<std::string>& names, const Info& answer) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  answer.text(text);
}

void answer_extension_versions(const std::vector<std::string>& names, const Info& answer) {
  std::vector<cl_name_version> list;
  for (const std::string& name : names) {
    cl_name_version& entry = list.emplace_back();
    entry.version = kOneZero;
    name.copy(entry.name, CL_NAME_VERSION_MAX_NAME_SIZE - 1);
  }
  answer.list(std::span<const cl_name_version>(list));
}

}  // namespace

VendorContext& RealDevice::context() {
  std::call_once(made_, [this] { context_ = std::make_unique<VendorContext>(*vendor_); });
  return *context_;
}

std::string RealDevice::ask_text(cl_device_info what) const {
  std::size_t size = 0;
  if (api().clGetDeviceInfo(vendor_->id, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (api().clGetDeviceInfo(vendor_->id, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  return text.substr(0, text.find('\0'));
}

cl_ulong RealDevice::limited(cl_device_info what) const {
  const auto of_vendor = ask<cl_ulong>(what);
  const std::array<const RealDevice*, 1> self{this};
  const std::optional<Bytes> limit = memory_limit(self);
  return limit ? std::min<cl_ulong>(of_vendor, limit->count) : of_vendor;
}

std::vector<std::string> RealDevice::extensions() const {
  std::vector<std::string> kept;
  std::istringstream names(ask_text(CL_DEVICE_EXTENSIONS));
  for (std::string name; names >> name;) {
    if (std::ranges::find(kPassedThrough, name) != kPassedThrough.end()) kept.push_back(name);
  }
  return kept;
}

bool Device::is_default() const { return this == Platform::get().devices().front(); }

cl_device_type Device::type() const {
  cl_device_type common = ~cl_device_type{CL_DEVICE_TYPE_DEFAULT};
  for (const RealDevice* device : real_) common &= device->ask<cl_device_type>(CL_DEVICE_TYPE);
  return is_default() ? common | CL_DEVICE_TYPE_DEFAULT : common;
}

bool Device::is_of(cl_device_type types) const {
  if ((types & CL_DEVICE_TYPE_DEFAULT) != 0 && is_default()) return true;
  const cl_device_type others = types & ~cl_device_type{CL_DEVICE_TYPE_DEFAULT};
  return std::ranges::all_of(real_, [others](const RealDevice* device) {
    return (device->ask<cl_device_type>(CL_DEVICE_TYPE) & others) != 0;
  });
}

cl_ulong Device::largest_buffer() const {
  cl_ulong least = ~cl_ulong{0};
  for (const RealDevice* device : real_) least = std::min(least, device->largest_piece());
  return least;
}

std::size_t Device::offset_alignment() const {
  cl_uint bits = 8;
  for (const RealDevice* device : real_) bits = std::max(bits, device->ask<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  return bits / 8;
}

void Device::info(cl_device_info what, const Info& answer) const {
  if (answer_for_all(what, answer)) return;
  switch (what) {
    case CL_DEVICE_PLATFORM: return answer.value(Platform::get().handle());
    case CL_DEVICE_TYPE: return answer.value(type());
    case CL_DEVICE_EXTENSIONS: return answer_extensions(common_extensions(real_), answer);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: return answer_extension_versions(common_extensions(real_), answer);
    default: break;
  }
  if (unified()) {
    if (what == CL_DEVICE_NAME) return answer.text("Troupe (all " + kind_ + ")");
    return require(answer_merged(real_, what, answer), CL_INVALID_VALUE);
  }
  const RealDevice& device = *real_.front();
  if (what == CL_DEVICE_GLOBAL_MEM_SIZE) return answer.value(device.memory());
  if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE) return answer.value(device.largest_piece());
  answer.forward([&](std::size_t size, void* value, std::size_t* size_ret) {
    return device.api().clGetDeviceInfo(device.vendor().id, what, size, value, size_ret);
  });
}

}  // namespace troupe::opencl
