#include "opencl/programs/program.hpp"

#include <algorithm>
#include <utility>

#include "opencl/programs/binary_container.hpp"
#include "opencl/programs/program_work.hpp"

namespace troupe::opencl {
namespace {

/// Returns the identity of a device. Devices with equal identities can use the same binaries.
std::string identity_of(const RealDevice& device) {
  const platform::OpenClDevice& vendor = device.vendor();
  return vendor.platform_name + "|" + vendor.name + "|" + vendor.version + "|" + vendor.driver_version;
}

/// Returns true if numbers and pointers have the sizes and byte order that the analysis assumes.
bool can_be_analysed(const RealDevice* device) {
  return device->ask<cl_uint>(CL_DEVICE_ADDRESS_BITS) == 64 && device->ask<cl_bool>(CL_DEVICE_ENDIAN_LITTLE) == CL_TRUE;
}

/// Gives each build for a real device behind `device` the blob that fits this real device, if the container has one.
/// Refuses with CL_INVALID_BINARY if the container has no blob for any of these devices.
void take_blobs(const Device& device, std::span<const unsigned char> container, std::vector<ProgramBuild>& builds) {
  const auto blobs = read_container(container);
  require(blobs.has_value(), CL_INVALID_BINARY);
  bool found = false;
  for (ProgramBuild& build : builds) {
    if (std::ranges::find(device.real(), build.device) == device.real().end()) continue;
    const auto blob = std::ranges::find(*blobs, identity_of(*build.device), &BinaryBlob::identity);
    if (blob == blobs->end()) continue;
    build.program = VendorProgram::of_binary(build.device->context(), blob->bytes);
    build.type = blob->type;
    build.given = blob->bytes;
    found = true;
  }
  require(found, CL_INVALID_BINARY);
}

cl_int status_of_blobs(const Device& device, std::span<const unsigned char> container,
                       std::vector<ProgramBuild>& builds) {
  try {
    take_blobs(device, container, builds);
    return CL_SUCCESS;
  } catch (const Refusal& refusal) {
    return refusal.status() == CL_INVALID_VALUE ? CL_INVALID_BINARY : refusal.status();
  }
}

}  // namespace

Program::Program(Context& context, std::vector<Device*> devices, ProgramOrigin origin)
    : context_(&context), origin_(origin), devices_(std::move(devices)) {
  for (RealDevice* device : real_devices_behind(devices_)) builds_.emplace_back().device = device;
}

Program::Program(Context& context, std::string source) : Program(context, context.devices(), ProgramOrigin::source) {
  source_ = std::move(source);
}

Program* Program::of_binaries(Context& context, const std::vector<Device*>& devices,
                              const std::vector<std::span<const unsigned char>>& binaries, cl_int* statuses) {
  auto program = std::unique_ptr<Program>(new Program(context, devices, ProgramOrigin::binary));
  const LockGuard lock(program->mutex_);
  cl_int worst = CL_SUCCESS;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const cl_int status = status_of_blobs(*devices[i], binaries[i], program->builds_);
    if (statuses != nullptr) statuses[i] = status;
    if (worst == CL_SUCCESS) worst = status;
  }
  accept(worst);
  // A device without a binary does not become a real device of the program.
  std::erase_if(program->builds_, [](const ProgramBuild& build) { return build.given.empty(); });
  return program.release();
}

Program* Program::link(Context& context, const std::vector<Device*>& devices, const std::string& options,
                       const std::vector<Program*>& parts, cl_int& status) {
  auto program = std::unique_ptr<Program>(new Program(context, devices, ProgramOrigin::linked));
  ProgramWork work(*program, devices, options);
  status = work.run([&](ProgramBuild& build) {
    std::vector<std::shared_ptr<VendorProgram>> compiled;
    for (const Program* part : parts) {
      const auto from = part->build_of(*build.device);
      require(from && from->program && from->type != CL_PROGRAM_BINARY_TYPE_NONE, CL_INVALID_OPERATION);
      compiled.push_back(from->program);
    }
    auto linked = VendorProgram::link(build.device->context(), options, compiled);
    build.program = std::move(linked.program);
    return linked.status;
  });
  if (status != CL_SUCCESS && status != CL_LINK_PROGRAM_FAILURE) throw Refusal(status);
  return program.release();
}

std::optional<ProgramBuild> Program::build_of(const RealDevice& device) const {
  const LockGuard lock(mutex_);
  const auto found = std::ranges::find(builds_, &device, &ProgramBuild::device);
  return found == builds_.end() ? std::nullopt : std::optional(*found);
}

std::vector<ProgramBuild> Program::builds() const {
  const LockGuard lock(mutex_);
  return builds_;
}

cl_int Program::build(const std::vector<Device*>& devices, const std::string& options) {
  require(origin_ != ProgramOrigin::linked, CL_INVALID_OPERATION);
  ProgramWork work(*this, devices, options);
  // The analysis runs at the same time as the build, so the build takes no longer. The facts are needed only for a
  // launch.
  FutureFacts facts;
  if (origin_ == ProgramOrigin::source && std::ranges::all_of(real_devices_behind(devices), can_be_analysed)) {
    facts = facts_in_background(std::string(kProgramPreface) + source_, options);
  }
  return work.run([&](ProgramBuild& build) {
    VendorContext& vendor = build.device->context();
    build.facts = facts;
    build.program = origin_ == ProgramOrigin::source ? VendorProgram::of_source(vendor, source_)
                                                     : VendorProgram::of_binary(vendor, build.given);
    const cl_int status = build.program->build(options);
    // The vendor may have built the source as another version of the language, for which the facts would be wrong.
    if (build.program->chose_language()) build.facts = {};
    return status;
  });
}

cl_int Program::compile(const std::vector<Device*>& devices, const std::string& options,
                        const std::vector<std::pair<std::string, Program*>>& headers) {
  require(origin_ == ProgramOrigin::source, CL_INVALID_OPERATION);
  return ProgramWork(*this, devices, options).run([&](ProgramBuild& build) {
    VendorContext& vendor = build.device->context();
    std::vector<std::pair<std::string, std::shared_ptr<VendorProgram>>> texts;
    for (const auto& [name, header] : headers) {
      texts.emplace_back(name, VendorProgram::of_source(vendor, header->source()));
    }
    build.program = VendorProgram::of_source(vendor, source_);
    return build.program->compile(options, texts);
  });
}

std::vector<std::string> Program::kernel_names() const {
  for (const ProgramBuild& build : builds()) {
    if (build.executable()) return build.program->kernel_names();
  }
  throw Refusal(CL_INVALID_PROGRAM_EXECUTABLE);
}

std::vector<ProgramBuild> Program::builds_of(const Device& device) const {
  auto all = builds();
  std::erase_if(all, [&](const ProgramBuild& build) {
    return std::ranges::find(device.real(), build.device) == device.real().end();
  });
  return all;
}

std::vector<unsigned char> Program::container(const Device& device) const {
  std::vector<BinaryBlob> blobs;
  for (const ProgramBuild& build : builds_of(device)) {
    if (build.type == CL_PROGRAM_BINARY_TYPE_NONE) continue;
    auto bytes = build.status == CL_BUILD_SUCCESS ? build.program->binary() : build.given;
    if (!bytes.empty()) blobs.push_back({identity_of(*build.device), build.type, std::move(bytes)});
  }
  return blobs.empty() ? std::vector<unsigned char>() : write_container(blobs);
}

}  // namespace troupe::opencl
