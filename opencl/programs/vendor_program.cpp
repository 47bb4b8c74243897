#include "opencl/programs/vendor_program.hpp"

#include <array>
#include <sstream>

#include "platform/opencl/opencl_quirks.hpp"

namespace troupe::opencl {
namespace {

/// The option that makes the vendor keep the types and qualifiers of arguments.
constexpr const char* kArgumentInfo = " -cl-kernel-arg-info";

/// The language for programs that name none. Without this option some drivers would take the latest version that they
/// know.
constexpr const char* kLanguage = " -cl-std=CL1.2";

/// Returns the option that defines a macro for the type of the device, as SOCL does.
std::string option_of_type(const VendorContext& context) {
  cl_device_type type = 0;
  (void)context.api().clGetDeviceInfo(context.device(), CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  switch (type & ~cl_device_type{CL_DEVICE_TYPE_DEFAULT}) {
    case CL_DEVICE_TYPE_CPU: return "-DSOCL_DEVICE_TYPE_CPU ";
    case CL_DEVICE_TYPE_GPU: return "-DSOCL_DEVICE_TYPE_GPU ";
    case CL_DEVICE_TYPE_ACCELERATOR: return "-DSOCL_DEVICE_TYPE_ACCELERATOR ";
    default: return "-DSOCL_DEVICE_TYPE_UNKNOWN ";
  }
}

/// The options that the program gave, with Troupe's options before and behind them.
struct AllOptions {
  explicit AllOptions(const VendorContext& context, const std::string& options)
      : given(option_of_type(context) + options + platform::opencl_twin_option(context.device())),
        with_language(options.find("-cl-std") == std::string::npos ? given + kLanguage : given),
        with_all(with_language + kArgumentInfo) {}

  std::string given;
  std::string with_language;
  std::string with_all;
};

/// Calls `call` with all options. If the vendor does not know Troupe's options, calls `call` again with fewer options.
/// `chose_language` becomes true if the vendor chose the version of the language.
template <class Call>
cl_int with_our_options(const AllOptions& options, bool& chose_language, Call&& call) {
  const auto is_refused = [](cl_int status) {
    return status == CL_INVALID_BUILD_OPTIONS || status == CL_INVALID_COMPILER_OPTIONS;
  };
  chose_language = false;
  if (const cl_int status = call(options.with_all.c_str()); !is_refused(status)) return status;
  if (const cl_int status = call(options.with_language.c_str()); !is_refused(status)) return status;
  chose_language = options.given != options.with_language;
  return call(options.given.c_str());
}

/// Returns the text of a query that has two steps: first the size, then the text. Returns an empty text if there is
/// none.
template <class Query>
std::string text_of(Query&& query) {
  std::size_t size = 0;
  if (query(0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (query(size, text.data(), nullptr) != CL_SUCCESS) return {};
  return text.substr(0, text.find('\0'));
}

}  // namespace

std::shared_ptr<VendorProgram> VendorProgram::of_source(VendorContext& context, const std::string& source) {
  std::array<const char*, 2> texts{kProgramPreface.data(), source.c_str()};
  const std::array<std::size_t, 2> lengths{kProgramPreface.size(), source.size()};
  cl_int status = CL_SUCCESS;
  platform::OpenClContext held = context.hold();
  cl_program program = context.api().clCreateProgramWithSource(held.get(), static_cast<cl_uint>(texts.size()),
                                                               texts.data(), lengths.data(), &status);
  accept(status);
  return std::make_shared<VendorProgram>(context, std::move(held), program);
}

std::shared_ptr<VendorProgram> VendorProgram::of_binary(VendorContext& context,
                                                        const std::vector<unsigned char>& binary) {
  const unsigned char* bytes = binary.data();
  const std::size_t length = binary.size();
  const cl_device_id device = context.device();
  cl_int of_device = CL_SUCCESS;
  cl_int status = CL_SUCCESS;
  platform::OpenClContext held = context.hold();
  cl_program program =
      context.api().clCreateProgramWithBinary(held.get(), 1, &device, &length, &bytes, &of_device, &status);
  accept(status);
  auto made = std::make_shared<VendorProgram>(context, std::move(held), program);
  accept(of_device);
  return made;
}

VendorProgram::Linked VendorProgram::link(VendorContext& context, const std::string& options,
                                          const std::vector<std::shared_ptr<VendorProgram>>& parts) {
  if (context.api().clLinkProgram == nullptr) return {CL_LINKER_NOT_AVAILABLE, nullptr};
  std::vector<cl_program> programs;
  for (const auto& part : parts) programs.push_back(part->program());
  const cl_device_id device = context.device();
  cl_int status = CL_SUCCESS;
  platform::OpenClContext held = context.hold();
  cl_program program =
      context.api().clLinkProgram(held.get(), 1, &device, options.c_str(), static_cast<cl_uint>(programs.size()),
                                  programs.data(), nullptr, nullptr, &status);
  return {status, program == nullptr ? nullptr : std::make_shared<VendorProgram>(context, std::move(held), program)};
}

cl_int VendorProgram::build(const std::string& options) {
  const cl_device_id device = context_->device();
  return with_our_options(AllOptions(*context_, options), chose_language_, [&](const char* all) {
    return api().clBuildProgram(program_, 1, &device, all, nullptr, nullptr);
  });
}

cl_int VendorProgram::compile(const std::string& options,
                              const std::vector<std::pair<std::string, std::shared_ptr<VendorProgram>>>& headers) {
  if (api().clCompileProgram == nullptr) return CL_COMPILER_NOT_AVAILABLE;
  std::vector<cl_program> programs;
  std::vector<const char*> names;
  for (const auto& [name, program] : headers) {
    programs.push_back(program->program());
    names.push_back(name.c_str());
  }
  const cl_device_id device = context_->device();
  return with_our_options(AllOptions(*context_, options), chose_language_, [&](const char* all) {
    return api().clCompileProgram(program_, 1, &device, all, static_cast<cl_uint>(headers.size()),
                                  headers.empty() ? nullptr : programs.data(), headers.empty() ? nullptr : names.data(),
                                  nullptr, nullptr);
  });
}

std::string VendorProgram::log() const {
  return text_of([&](std::size_t size, void* value, std::size_t* size_ret) {
    return api().clGetProgramBuildInfo(program_, context_->device(), CL_PROGRAM_BUILD_LOG, size, value, size_ret);
  });
}

cl_program_binary_type VendorProgram::binary_type() const {
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  const cl_int status =
      api().clGetProgramBuildInfo(program_, context_->device(), CL_PROGRAM_BINARY_TYPE, sizeof type, &type, nullptr);
  return status == CL_SUCCESS ? type : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

std::vector<unsigned char> VendorProgram::binary() const {
  std::size_t size = 0;
  accept(api().clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  std::vector<unsigned char> bytes(size);
  unsigned char* place = bytes.data();
  if (size != 0) accept(api().clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr));
  return bytes;
}

std::vector<std::string> VendorProgram::kernel_names() const {
  std::istringstream list(text_of([&](std::size_t size, void* value, std::size_t* size_ret) {
    return api().clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, size, value, size_ret);
  }));
  std::vector<std::string> names;
  for (std::string name; std::getline(list, name, ';');) names.push_back(name);
  return names;
}

VendorKernel::VendorKernel(std::shared_ptr<VendorProgram> program, const std::string& name)
    : program_(std::move(program)) {
  cl_int status = CL_SUCCESS;
  kernel_ = api().clCreateKernel(program_->program(), name.c_str(), &status);
  accept(status);
}

}  // namespace troupe::opencl
