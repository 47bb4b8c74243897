#include <boost/test/unit_test.hpp>

#include "opencl/objects/queue.hpp"
#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(queues, OpenClFixture)

namespace {

constexpr cl_command_queue_properties kBoth = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

cl_int status_of_list(cl_context context, cl_device_id device, const std::vector<cl_queue_properties>& list) {
  cl_int status = 1;
  const OwnedQueue made(table().clCreateCommandQueueWithProperties(context, device, list.data(), &status));
  return status;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_queue_says_what_it_was_made_with) {
  if (!has_devices()) return;
  cl_int status = 1;
  const OwnedQueue queue(table().clCreateCommandQueue(wide_context, devices.back(), kBoth, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const auto info = table().clGetCommandQueueInfo;
  BOOST_TEST(info_of<cl_context>(info, queue.get(), CL_QUEUE_CONTEXT) == wide_context.get());
  BOOST_TEST(info_of<cl_device_id>(info, queue.get(), CL_QUEUE_DEVICE) == devices.back());
  BOOST_TEST(info_of<cl_command_queue_properties>(info, queue.get(), CL_QUEUE_PROPERTIES) == kBoth);
  BOOST_TEST(info_of<cl_uint>(info, queue.get(), CL_QUEUE_REFERENCE_COUNT) == 1U);
  BOOST_TEST(list_of<cl_queue_properties>(info, queue.get(), CL_QUEUE_PROPERTIES_ARRAY).empty());
  BOOST_TEST(table().clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, 0, nullptr, nullptr) == CL_INVALID_COMMAND_QUEUE);
  BOOST_TEST(table().clGetCommandQueueInfo(queue, 0x7777, 0, nullptr, nullptr) == CL_INVALID_VALUE);
  const auto& object = opencl::need<opencl::Queue>(queue);
  BOOST_TEST(!object.in_order());
  BOOST_TEST(object.profiling());
  BOOST_TEST(object.real_devices().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_queue_without_a_device_is_on_all_of_the_contexts) {
  if (!has_devices()) return;
  cl_int status = 1;
  const OwnedQueue queue(table().clCreateCommandQueue(wide_context, nullptr, 0, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  BOOST_TEST(info_of<cl_device_id>(table().clGetCommandQueueInfo, queue.get(), CL_QUEUE_DEVICE) == nullptr);
  const auto& object = opencl::need<opencl::Queue>(queue);
  BOOST_TEST(object.real_devices().size() == devices.size() - 1);
  BOOST_TEST(object.in_order());
}

BOOST_AUTO_TEST_CASE(properties_come_in_a_list_too) {
  if (!has_devices()) return;
  const std::vector<cl_queue_properties> list{CL_QUEUE_PROPERTIES, kBoth, 0};
  cl_int status = 1;
  const OwnedQueue queue(table().clCreateCommandQueueWithProperties(context, devices.front(), list.data(), &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const auto info = table().clGetCommandQueueInfo;
  BOOST_TEST(info_of<cl_command_queue_properties>(info, queue.get(), CL_QUEUE_PROPERTIES) == kBoth);
  BOOST_TEST(list_of<cl_queue_properties>(info, queue.get(), CL_QUEUE_PROPERTIES_ARRAY) == list,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(wrong_arguments_get_the_standards_codes) {
  if (!has_devices()) return;
  cl_int status = 1;
  BOOST_TEST((table().clCreateCommandQueue(context, devices.front(), 1 << 9, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  BOOST_TEST((table().clCreateCommandQueue(context, devices.front(), CL_QUEUE_ON_DEVICE, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_QUEUE_PROPERTIES);
  // The platform has this device, but the context does not.
  BOOST_TEST((table().clCreateCommandQueue(context, devices.back(), 0, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_DEVICE);
  BOOST_TEST(status_of_list(context, devices.front(), {0x1234, 1, 0}) == CL_INVALID_VALUE);
  BOOST_TEST(status_of_list(context, devices.front(), {CL_QUEUE_SIZE, 64, 0}) == CL_INVALID_QUEUE_PROPERTIES);
  BOOST_TEST(status_of_list(context, devices.front(), {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0}) ==
             CL_INVALID_VALUE);
  const OwnedQueue queue(table().clCreateCommandQueue(context, devices.front(), 0, &status));
  BOOST_TEST(table().clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr) ==
             CL_INVALID_OPERATION);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
