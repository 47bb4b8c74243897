#include "platform/opencl/opencl_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "platform/opencl/opencl_error.hpp"

namespace troupe::platform {

namespace {

/// The length of the longest valid text in an answer.
constexpr std::size_t kLongestText = std::size_t{1} << 20U;

Failure no_answer(const char* question, cl_int status) {
  return {ErrorCode::platform, fmt::format("asking for {} failed: {}", question, opencl_error(status))};
}

/// Removes zeros at the end of the text and blanks around it, because some drivers pad names.
std::string tidied(std::string text) {
  text.resize(std::min(text.size(), text.find('\0')));
  const auto last = text.find_last_not_of(" \t\r\n");
  text.resize(last == std::string::npos ? 0 : last + 1);
  text.erase(0, std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  return text;
}

/// Asks for a property that is a text. `ask` is clGetPlatformInfo or clGetDeviceInfo.
template <class Ask, class Object, class Question>
Result<std::string> text_of(Ask ask, Object object, Question question, const char* name) {
  std::size_t size = 0;
  cl_int status = ask(object, question, 0, nullptr, &size);
  if (status != CL_SUCCESS) return no_answer(name, status);
  if (size > kLongestText) {
    return Failure{ErrorCode::platform, fmt::format("its {} is said to be {} bytes long", name, size)};
  }
  std::string text(size, '\0');
  if (size > 0) status = ask(object, question, size, text.data(), nullptr);
  if (status != CL_SUCCESS) return no_answer(name, status);
  return tidied(std::move(text));
}

/// Asks one device for its properties, and keeps the message of the first question that failed.
class Questions {
 public:
  explicit Questions(const OpenClDevice& device) : ask_(device.api->clGetDeviceInfo), id_(device.id) {}

  std::string text(cl_device_info question, const char* name) {
    Result<std::string> answer = text_of(ask_, id_, question, name);
    if (!answer) return fail(answer.failure().message), "";
    return std::move(answer).value();
  }

  /// Asks for a number. Returns `otherwise` if the driver does not know the question.
  template <class T>
  T number(cl_device_info question, const char* name, const T* otherwise = nullptr) {
    T answer{};
    const cl_int status = ask_(id_, question, sizeof answer, &answer, nullptr);
    if (status == CL_INVALID_VALUE && otherwise != nullptr) return *otherwise;
    if (status != CL_SUCCESS) fail(no_answer(name, status).message);
    return answer;
  }

  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  void fail(std::string why) {
    if (why_not_.empty()) why_not_ = std::move(why);
  }

  decltype(_cl_icd_dispatch::clGetDeviceInfo) ask_;
  cl_device_id id_;
  /// The message of the first question that failed.
  std::string why_not_;
};

OpenClDeviceSort sort_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return OpenClDeviceSort::gpu;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return OpenClDeviceSort::cpu;
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return OpenClDeviceSort::accelerator;
  return OpenClDeviceSort::other;
}

// These macros add the question's name, for messages.
#define TROUPE_OPENCL_TEXT(question) ask.text(question, #question)
#define TROUPE_OPENCL_NUMBER(type, question) ask.number<type>(question, #question)

void fill_in(OpenClDevice& device, Questions& ask) {
  device.name = TROUPE_OPENCL_TEXT(CL_DEVICE_NAME);
  device.vendor = TROUPE_OPENCL_TEXT(CL_DEVICE_VENDOR);
  device.version = TROUPE_OPENCL_TEXT(CL_DEVICE_VERSION);
  device.driver_version = TROUPE_OPENCL_TEXT(CL_DRIVER_VERSION);
  device.sort = sort_of(TROUPE_OPENCL_NUMBER(cl_device_type, CL_DEVICE_TYPE));
  const auto units = TROUPE_OPENCL_NUMBER(cl_uint, CL_DEVICE_MAX_COMPUTE_UNITS);
  device.compute_units = static_cast<int>(std::min<cl_uint>(units, std::numeric_limits<int>::max()));
  device.memory = {TROUPE_OPENCL_NUMBER(cl_ulong, CL_DEVICE_GLOBAL_MEM_SIZE)};
  device.largest_buffer = {TROUPE_OPENCL_NUMBER(cl_ulong, CL_DEVICE_MAX_MEM_ALLOC_SIZE)};
  device.local_memory = {TROUPE_OPENCL_NUMBER(cl_ulong, CL_DEVICE_LOCAL_MEM_SIZE)};
  // OpenCL 1.0 does not have this question, and OpenCL 2.0 deprecates it.
  const cl_bool no = CL_FALSE;
  device.shares_host_memory =
      ask.number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY, "CL_DEVICE_HOST_UNIFIED_MEMORY", &no) != CL_FALSE;
}

}  // namespace

const _cl_icd_dispatch* dispatch_of(const void* object) {
  return object != nullptr ? *static_cast<const _cl_icd_dispatch* const*>(object) : nullptr;
}

Result<std::string> platform_text(cl_platform_id platform, cl_platform_info question, const char* name) {
  return text_of(dispatch_of(platform)->clGetPlatformInfo, platform, question, name);
}

std::string describe_opencl_device(OpenClDevice& device) {
  Questions ask(device);
  fill_in(device, ask);
  const bool available = TROUPE_OPENCL_NUMBER(cl_bool, CL_DEVICE_AVAILABLE) != CL_FALSE;
  const bool compiles = TROUPE_OPENCL_NUMBER(cl_bool, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE;
  if (!ask.why_not().empty()) return ask.why_not();
  if (!available) return "its driver says that it is not available (CL_DEVICE_AVAILABLE)";
  if (!compiles) return "its driver has no compiler (CL_DEVICE_COMPILER_AVAILABLE)";
  if (device.memory.count == 0 || device.largest_buffer.count == 0) return "its driver says that it has no memory";
  return "";
}

#undef TROUPE_OPENCL_TEXT
#undef TROUPE_OPENCL_NUMBER

}  // namespace troupe::platform
