#include "opencl/programs/kernel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>

#include "opencl/analysis/kept_const.hpp"
#include "opencl/objects/platform.hpp"

namespace troupe::opencl {
namespace {

cl_ulong static_local_memory(VendorKernel& kernel) {
  cl_ulong size = 0;
  const cl_int status = kernel.api().clGetKernelWorkGroupInfo(kernel.kernel(), kernel.device(),
                                                              CL_KERNEL_LOCAL_MEM_SIZE, sizeof size, &size, nullptr);
  return status == CL_SUCCESS ? size : 0;
}

cl_uint parameter_count(VendorKernel& kernel) {
  cl_uint count = 0;
  accept(kernel.api().clGetKernelInfo(kernel.kernel(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr));
  return count;
}

bool is_integer(const Parameter& parameter) {
  static constexpr std::array<std::string_view, 10> kTypes{"int",   "uint",   "unsigned int",  "long", "ulong",
                                                           "short", "ushort", "unsigned long", "char", "uchar"};
  return std::ranges::find(kTypes, parameter.type_name) != kTypes.end();
}

}  // namespace

Kernel::Kernel(Program& program, const std::string& name) : program_(&program), name_(name) {
  devices_.resize(Platform::get().real_devices().size());
  bool built = false;
  for (const ProgramBuild& build : program.builds()) {
    if (!build.executable()) continue;
    built = true;
    OnDevice& here = devices_[static_cast<std::size_t>(build.device->number())];
    here.kernel = std::make_shared<VendorKernel>(build.program, name);
    here.local_memory = static_local_memory(*here.kernel);
    here.limits = LaunchLimits::of(*here.kernel);
    if (!asked_) {
      asked_ = std::make_unique<VendorKernel>(build.program, name);
      parameters_ = parameters_of(*asked_);
    }
    require(parameter_count(*here.kernel) == parameters_.size(), CL_INVALID_KERNEL_DEFINITION);
  }
  require(built, CL_INVALID_PROGRAM_EXECUTABLE);
  accepted_sizes_.resize(parameters_.size());
  arguments_.list.resize(parameters_.size());
  buffers_.resize(parameters_.size());
  program.count_kernel(1);
}

Kernel::~Kernel() { program_->count_kernel(-1); }

Kernel* Kernel::clone() const {
  auto copy = std::make_unique<Kernel>(*program_, name_);
  copy->arguments_ = arguments_;
  copy->buffers_ = buffers_;
  copy->accepted_sizes_ = accepted_sizes_;
  return copy.release();
}

std::shared_ptr<const KernelArguments> Kernel::arguments() const {
  auto all = std::make_shared<KernelArguments>(arguments_);
  all->footprint = footprint();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    all->list[i].memory = buffers_[i].lock();
    require(!buffers_[i] == !all->list[i].memory, CL_INVALID_KERNEL_ARGS);
  }
  return all;
}

void Kernel::set_argument(cl_uint index, std::size_t size, const void* value) {
  if (Division::has(index)) return division_->set(index, value);
  require(index < parameters_.size(), CL_INVALID_ARG_INDEX);
  switch (parameters_[index].kind) {
    case ParameterKind::memory: return set_memory(index, size, value);
    case ParameterKind::local: return set_local(index, size, value);
    case ParameterKind::value: return set_value(index, size, value);
    case ParameterKind::image:
      require(value != nullptr, CL_INVALID_ARG_VALUE);
      require(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
      throw Refusal(CL_INVALID_MEM_OBJECT);
    case ParameterKind::sampler:
      require(value != nullptr, CL_INVALID_ARG_VALUE);
      require(size == sizeof(cl_sampler), CL_INVALID_ARG_SIZE);
      throw Refusal(CL_INVALID_SAMPLER);
  }
}

void Kernel::set_memory(cl_uint index, std::size_t size, const void* value) {
  require(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
  cl_mem handle = nullptr;
  if (value != nullptr) std::memcpy(&handle, value, sizeof handle);
  Memory* memory = handle == nullptr ? nullptr : &need<Memory>(handle);
  require(memory == nullptr || &memory->context() == &context(), CL_INVALID_MEM_OBJECT);
  arguments_.list[index] = {true, ParameterKind::memory, size, 0, {}};
  buffers_[index] = WeakRef(memory);
}

void Kernel::set_local(cl_uint index, std::size_t size, const void* value) {
  require(value == nullptr, CL_INVALID_ARG_VALUE);
  require(size != 0, CL_INVALID_ARG_SIZE);
  arguments_.list[index] = {true, ParameterKind::local, size, 0, {}};
}

void Kernel::set_value(cl_uint index, std::size_t size, const void* value) {
  require(value != nullptr, CL_INVALID_ARG_VALUE);
  require(size != 0, CL_INVALID_ARG_SIZE);
  if (size != accepted_sizes_[index]) {
    accept(asked_->api().clSetKernelArg(asked_->kernel(), index, size, value));
    accepted_sizes_[index] = size;
  }
  KernelArgument& argument = arguments_.list[index];
  if (argument.size != size) {
    constexpr std::size_t kAlignment = 16;
    argument = {
        true, ParameterKind::value, size, (arguments_.values.size() + kAlignment - 1) / kAlignment * kAlignment, {}};
    arguments_.values.resize(argument.place + size);
  }
  std::memcpy(arguments_.values.data() + argument.place, value, size);
}

const KernelFacts* Kernel::facts() const {
  std::call_once(found_facts_, [&] { find_facts(); });
  return facts_;
}

bool Kernel::only_reads(std::size_t parameter) const {
  (void)facts();
  return only_reads_[parameter];
}

void Kernel::find_facts() const {
  program_facts_ = facts_of_all_builds();
  if (program_facts_ != nullptr) {
    const auto found = program_facts_->find(name_);
    const bool fits = found != program_facts_->end() && found->second.arguments.size() == parameters_.size();
    if (fits) facts_ = &found->second;
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) only_reads_.push_back(finds_only_reads(i));
}

std::shared_ptr<const ProgramFacts> Kernel::facts_of_all_builds() const {
  std::shared_ptr<const ProgramFacts> common;
  for (const ProgramBuild& build : program_->builds()) {
    if (!build.executable()) continue;
    const auto facts = build.facts.valid() ? build.facts.get() : nullptr;
    if (facts == nullptr || (common != nullptr && common != facts)) return nullptr;
    common = facts;
  }
  return common;
}

bool Kernel::finds_only_reads(std::size_t index) const {
  const Parameter& parameter = parameters_[index];
  if (parameter.kind != ParameterKind::memory) return false;
  // A pointer to constant memory cannot be converted to a pointer to other memory, so the kernel cannot write through
  // it.
  if (parameter.described && parameter.address == CL_KERNEL_ARG_ADDRESS_CONSTANT) return true;
  if (facts_ != nullptr) return !facts_->arguments[index].writes;
  const bool is_const = parameter.described && (parameter.qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0;
  if (!is_const || program_->origin() != ProgramOrigin::source) return false;
  return std::ranges::all_of(program_->builds(), [&](const ProgramBuild& build) {
    return !build.executable() || keeps_const(program_->source(), build.options, {parameter.name, parameter.type_name});
  });
}

bool Kernel::all_arguments_set() const { return std::ranges::all_of(arguments_.list, &KernelArgument::set); }

std::uint64_t Kernel::footprint() const {
  // The number of different hashes is limited: if an argument counts the launches, each launch would otherwise get a
  // hash of its own.
  constexpr std::size_t kMost = 32;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < arguments_.list.size(); ++i) {
    const KernelArgument& argument = arguments_.list[i];
    if (argument.kind != ParameterKind::value || !is_integer(parameters_[i])) continue;
    const std::string_view bytes(static_cast<const char*>(arguments_.value(argument)), argument.size);
    hash = hash * 0x9e3779b97f4a7c15ULL + std::hash<std::string_view>{}(bytes) + 1;
  }
  if (hash == 0 || std::ranges::find(footprints_, hash) != footprints_.end()) return hash;
  if (footprints_.size() == kMost) return 0;
  footprints_.push_back(hash);
  return hash;
}

cl_ulong Kernel::local_memory_of_arguments() const {
  cl_ulong sum = 0;
  for (const KernelArgument& argument : arguments_.list) {
    if (argument.kind == ParameterKind::local) sum += argument.size;
  }
  return sum;
}

}  // namespace troupe::opencl
