/// Troupe's OpenCL platform with the devices of pocl. Tests of the platform call it through its dispatch table.
#pragma once

#include <CL/cl_icd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "opencl/objects/object.hpp"
#include "opencl/objects/platform.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::tests {

/// The file that registers pocl on Debian.
inline constexpr const char* kPoclFile = "/etc/OpenCL/vendors/pocl.icd";
inline bool has_pocl() { return std::filesystem::exists(kPoclFile); }

/// Returns Troupe's dispatch table, which a loader uses.
inline const cl_icd_dispatch& table() { return *opencl::dispatch_table(); }

/// Owns a reference to an OpenCL object. The destructor releases the reference.
template <class ClType, auto kRelease>
class Owned {
 public:
  Owned() = default;
  explicit Owned(ClType handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) (table().*kRelease)(handle_);
  }
  operator ClType() const { return handle_; }  // NOLINT: used where the handle would be
  [[nodiscard]] ClType get() const { return handle_; }

 private:
  ClType handle_ = nullptr;
};
using OwnedContext = Owned<cl_context, &cl_icd_dispatch::clReleaseContext>;
using OwnedQueue = Owned<cl_command_queue, &cl_icd_dispatch::clReleaseCommandQueue>;
using OwnedMemory = Owned<cl_mem, &cl_icd_dispatch::clReleaseMemObject>;
using OwnedProgram = Owned<cl_program, &cl_icd_dispatch::clReleaseProgram>;
using OwnedKernel = Owned<cl_kernel, &cl_icd_dispatch::clReleaseKernel>;

/// Returns the value of a parameter. `query` is any of the clGet…Info functions. Checks the status and the size.
template <class T, class Query, class... Before>
T info_of(Query query, Before... before) {
  T value{};
  std::size_t size = 0;
  BOOST_TEST(query(before..., sizeof value, &value, &size) == CL_SUCCESS);
  BOOST_TEST(size == sizeof value);
  return value;
}

template <class Query, class... Before>
std::string text_of(Query query, Before... before) {
  std::size_t size = 0;
  BOOST_TEST(query(before..., 0, nullptr, &size) == CL_SUCCESS);
  std::string text(size, '?');
  BOOST_TEST(query(before..., size, text.data(), nullptr) == CL_SUCCESS);
  BOOST_TEST((!text.empty() && text.back() == '\0'));
  return text.substr(0, text.find('\0'));
}

/// Returns the values of a parameter that is a list of any length.
template <class T, class Query, class... Before>
std::vector<T> list_of(Query query, Before... before) {
  std::size_t size = 0;
  BOOST_TEST(query(before..., 0, nullptr, &size) == CL_SUCCESS);
  std::vector<T> list(size / sizeof(T));
  BOOST_TEST(query(before..., size, list.data(), nullptr) == CL_SUCCESS);
  return list;
}

/// The devices, a context with the unified device, and a context with all devices.
struct OpenClFixture {
  OpenClFixture() {
    for (opencl::Device* device : opencl::Platform::get().devices()) devices.push_back(device->handle());
    if (devices.empty()) return;
    context = make_context({devices.front()});
    wide_context = make_context(devices);
  }

  /// Returns false, and says so, if there is no driver for the test.
  [[nodiscard]] bool has_devices() const {
    if (devices.empty()) skip("no OpenCL driver was found: install pocl-opencl-icd");
    return !devices.empty();
  }
  [[nodiscard]] static OwnedContext make_context(const std::vector<cl_device_id>& on) {
    cl_int status = 1;
    OwnedContext made(
        table().clCreateContext(nullptr, static_cast<cl_uint>(on.size()), on.data(), nullptr, nullptr, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  [[nodiscard]] OwnedMemory make_buffer(std::size_t size, cl_mem_flags flags = 0) const {
    cl_int status = 1;
    OwnedMemory made(table().clCreateBuffer(context, flags, size, nullptr, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  [[nodiscard]] static OwnedProgram make_program(cl_context on, const char* source) {
    cl_int status = 1;
    OwnedProgram made(table().clCreateProgramWithSource(on, 1, &source, nullptr, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  [[nodiscard]] static cl_int build(cl_program program, const char* options = nullptr) {
    return table().clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
  }
  [[nodiscard]] static OwnedKernel make_kernel(cl_program program, const char* name) {
    cl_int status = 1;
    OwnedKernel made(table().clCreateKernel(program, name, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }

  /// All devices; the first one is the unified device. Empty if there are no drivers.
  std::vector<cl_device_id> devices;
  OwnedContext context;
  OwnedContext wide_context;
};

}  // namespace troupe::tests
