/// Queues and buffers of 32-bit words for tests of commands.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <vector>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

using Words = std::vector<cl_uint>;
using OwnedEventOf = Owned<cl_event, &cl_icd_dispatch::clReleaseEvent>;

/// Two queues with profiling on a context with all devices: one in-order queue and one out-of-order queue.
struct CommandsFixture : OpenClFixture {
  CommandsFixture() {
    if (devices.empty()) return;
    in_order = make_queue(CL_QUEUE_PROFILING_ENABLE);
    out_of_order = make_queue(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }

  [[nodiscard]] OwnedQueue make_queue(cl_command_queue_properties properties) const {
    cl_int status = 1;
    OwnedQueue made(table().clCreateCommandQueue(wide_context, devices.front(), properties, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  [[nodiscard]] OwnedMemory make_words(const Words& content, cl_mem_flags flags = 0) const {
    cl_int status = 1;
    Words copy = content;
    OwnedMemory made(table().clCreateBuffer(wide_context, flags | CL_MEM_COPY_HOST_PTR, copy.size() * sizeof(cl_uint),
                                            copy.data(), &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  [[nodiscard]] static OwnedMemory make_part(cl_mem whole, std::size_t offset, std::size_t size) {
    const cl_buffer_region region{offset, size};
    cl_int status = 1;
    OwnedMemory made(table().clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  [[nodiscard]] Words content(cl_mem memory, std::size_t words) const {
    Words read(words);
    BOOST_TEST(table().clEnqueueReadBuffer(in_order, memory, CL_TRUE, 0, words * sizeof(cl_uint), read.data(), 0,
                                           nullptr, nullptr) == CL_SUCCESS);
    return read;
  }
  [[nodiscard]] OwnedEventOf make_user_event() const {
    cl_int status = 1;
    OwnedEventOf made(table().clCreateUserEvent(wide_context, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  static cl_int status_of(cl_event event) {
    return info_of<cl_int>(table().clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS);
  }
  /// Fills the buffer's first word when the event `after` has ended.
  [[nodiscard]] static OwnedEventOf fill_word(cl_command_queue queue, cl_mem memory, cl_uint value, cl_event after) {
    cl_event event = nullptr;
    BOOST_TEST(table().clEnqueueFillBuffer(queue, memory, &value, sizeof value, 0, sizeof value,
                                           after != nullptr ? 1 : 0, after != nullptr ? &after : nullptr,
                                           &event) == CL_SUCCESS);
    return OwnedEventOf(event);
  }

  OwnedQueue in_order;
  OwnedQueue out_of_order;
};

}  // namespace troupe::tests
