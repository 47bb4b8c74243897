#include <array>
#include <boost/test/unit_test.hpp>
#include <iostream>
#include <sstream>

#include "opencl/objects/context.hpp"
#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(contexts, OpenClFixture)

namespace {

cl_context_properties as_property(const void* address) { return reinterpret_cast<cl_context_properties>(address); }

/// Captures the text that is written to std::cerr while the object lives.
class CapturedErrors {
 public:
  CapturedErrors() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~CapturedErrors() { std::cerr.rdbuf(before_); }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

cl_int status_with(const std::vector<cl_device_id>& devices, const std::vector<cl_context_properties>& properties) {
  cl_int status = 1;
  const OwnedContext made(table().clCreateContext(properties.data(), static_cast<cl_uint>(devices.size()),
                                                  devices.data(), nullptr, nullptr, &status));
  BOOST_TEST((made.get() == nullptr) == (status != CL_SUCCESS));
  return status;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_context_keeps_its_devices_once_and_its_properties) {
  if (!has_devices()) return;
  const std::vector<cl_context_properties> properties{
      CL_CONTEXT_PLATFORM, as_property(opencl::Platform::get().handle()), CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
  std::vector<cl_device_id> twice = devices;
  twice.insert(twice.end(), devices.begin(), devices.end());
  cl_int status = 1;
  const OwnedContext made(table().clCreateContext(properties.data(), static_cast<cl_uint>(twice.size()), twice.data(),
                                                  nullptr, nullptr, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const auto info = table().clGetContextInfo;
  BOOST_TEST(info_of<cl_uint>(info, made.get(), CL_CONTEXT_NUM_DEVICES) == devices.size());
  BOOST_TEST(list_of<cl_device_id>(info, made.get(), CL_CONTEXT_DEVICES) == devices, boost::test_tools::per_element());
  BOOST_TEST(list_of<cl_context_properties>(info, made.get(), CL_CONTEXT_PROPERTIES) == properties,
             boost::test_tools::per_element());
  BOOST_TEST(list_of<cl_context_properties>(info, context.get(), CL_CONTEXT_PROPERTIES).empty());
  BOOST_TEST(table().clGetContextInfo(made, 0x7777, 0, nullptr, nullptr) == CL_INVALID_VALUE);
  const auto& object = opencl::need<opencl::Context>(made);
  BOOST_TEST(object.real_devices().size() == devices.size() - 1);
}

BOOST_AUTO_TEST_CASE(references_of_the_program_are_counted_and_those_of_objects_are_not) {
  if (!has_devices()) return;
  const auto count = [&] {
    return info_of<cl_uint>(table().clGetContextInfo, context.get(), CL_CONTEXT_REFERENCE_COUNT);
  };
  BOOST_TEST(count() == 1U);
  const OwnedMemory buffer = make_buffer(64);
  BOOST_TEST(count() == 1U);
  BOOST_TEST(table().clRetainContext(context) == CL_SUCCESS);
  BOOST_TEST(count() == 2U);
  BOOST_TEST(table().clReleaseContext(context) == CL_SUCCESS);
  BOOST_TEST(count() == 1U);
}

/// A program may get a context from a buffer and retain this context, although the program has released its own
/// reference to the context.
BOOST_AUTO_TEST_CASE(a_context_that_objects_need_can_be_taken_up_again) {
  if (!has_devices()) return;
  OwnedContext own = make_context({devices.front()});
  cl_int status = 1;
  const OwnedMemory buffer(table().clCreateBuffer(own, 0, 64, nullptr, &status));
  const cl_context handle = own.get();
  own = OwnedContext();
  BOOST_TEST(table().clReleaseContext(handle) == CL_INVALID_CONTEXT);
  BOOST_TEST(info_of<cl_context>(table().clGetMemObjectInfo, buffer.get(), CL_MEM_CONTEXT) == handle);
  BOOST_TEST(table().clRetainContext(handle) == CL_SUCCESS);
  BOOST_TEST(table().clReleaseContext(handle) == CL_SUCCESS);
}

BOOST_AUTO_TEST_CASE(wrong_arguments_get_the_standards_codes) {
  if (!has_devices()) return;
  BOOST_TEST(status_with(devices, {0x1234, 1, 0}) == CL_INVALID_PROPERTY);
  BOOST_TEST(status_with(devices, {CL_CONTEXT_PLATFORM, 0, 0}) == CL_INVALID_PLATFORM);
  BOOST_TEST(status_with(devices, {CL_CONTEXT_PLATFORM, as_property(devices.front()), 0}) == CL_INVALID_PLATFORM);
  BOOST_TEST(status_with(devices, {CL_CONTEXT_INTEROP_USER_SYNC, 5, 0}) == CL_INVALID_PROPERTY);
  BOOST_TEST(status_with(devices, {CL_CONTEXT_INTEROP_USER_SYNC, 1, CL_CONTEXT_INTEROP_USER_SYNC, 1, 0}) ==
             CL_INVALID_PROPERTY);
  BOOST_TEST(status_with({nullptr}, {0}) == CL_INVALID_DEVICE);
  BOOST_TEST(status_with({}, {0}) == CL_INVALID_VALUE);
  cl_int status = 1;
  int data = 0;
  BOOST_TEST((table().clCreateContext(nullptr, 1, devices.data(), nullptr, &data, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  BOOST_TEST((table().clCreateContextFromType(nullptr, CL_DEVICE_TYPE_CUSTOM, nullptr, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_DEVICE_NOT_FOUND);
}

BOOST_AUTO_TEST_CASE(a_context_of_a_type_has_the_devices_of_that_type) {
  if (!has_devices()) return;
  cl_int status = 1;
  const OwnedContext all(table().clCreateContextFromType(nullptr, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status));
  BOOST_TEST(status == CL_SUCCESS);
  BOOST_TEST(list_of<cl_device_id>(table().clGetContextInfo, all.get(), CL_CONTEXT_DEVICES) == devices,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(policies_are_ours_or_those_that_starpu_knows) {
  if (!has_devices()) return;
  for (const auto& [given, kept] : {std::pair{"heft", "heft"},
                                    {"dada:alpha=0.5,cp", "dada:alpha=0.5,cp"},
                                    {"eager", "eager"},
                                    {"dmda", "mct:dmda"},
                                    {"dmdas", "heft:dmda"},
                                    {"ws", "ws"}}) {
    const std::vector<cl_context_properties> properties{opencl::kContextPolicy, as_property(given),
                                                        opencl::kContextName, as_property("frames"), 0};
    cl_int status = 1;
    const OwnedContext made(table().clCreateContext(properties.data(), 1, devices.data(), nullptr, nullptr, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS, given);
    const auto& object = opencl::need<opencl::Context>(made);
    BOOST_TEST(object.properties().policy == kept);
    BOOST_TEST(object.properties().name == "frames");
  }
}

BOOST_AUTO_TEST_CASE(a_policy_that_is_not_known_is_refused_with_a_line_that_says_why) {
  if (!has_devices()) return;
  const CapturedErrors errors;
  BOOST_TEST(status_with(devices, {opencl::kContextPolicy, as_property("fastest"), 0}) == CL_INVALID_PROPERTY);
  BOOST_TEST(errors.text().find("fastest") != std::string::npos, errors.text());
  BOOST_TEST(status_with(devices, {opencl::kContextPolicy, 0, 0}) == CL_INVALID_PROPERTY);
  BOOST_TEST(status_with(devices, {opencl::kContextPolicy, 3, 0}) == CL_INVALID_PROPERTY);
}

BOOST_AUTO_TEST_CASE(callbacks_are_called_when_the_last_reference_goes_the_last_one_first) {
  if (!has_devices()) return;
  static std::string called;
  called.clear();
  OwnedContext own = make_context({devices.front()});
  const auto write = [](cl_context, void* text) { called += static_cast<const char*>(text); };
  char first[] = "a";
  char second[] = "b";
  BOOST_TEST(table().clSetContextDestructorCallback(own, write, first) == CL_SUCCESS);
  BOOST_TEST(table().clSetContextDestructorCallback(own, write, second) == CL_SUCCESS);
  BOOST_TEST(table().clSetContextDestructorCallback(own, nullptr, second) == CL_INVALID_VALUE);
  cl_int status = 1;
  OwnedMemory buffer(table().clCreateBuffer(own, 0, 64, nullptr, &status));
  own = OwnedContext();
  BOOST_TEST(called.empty());
  buffer = OwnedMemory();
  BOOST_TEST(called == "ba");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
