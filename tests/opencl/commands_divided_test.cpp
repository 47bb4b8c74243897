#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "opencl/programs/division.hpp"
#include "tests/opencl/commands_fixture.hpp"

namespace troupe::tests {

/// The program's function `divide`, which launches a kernel in parts, and its data: the kernel, the status that the
/// function returns, and the number of parts in each call.
struct Dividing {
  static constexpr std::size_t kItems = 240;

  cl_kernel kernel = nullptr;
  cl_int answer = CL_SUCCESS;
  std::vector<cl_uint> factors;

  static cl_int divide(cl_command_queue queue, cl_uint factor, void* data, cl_event before, cl_event* after) {
    Dividing& self = *static_cast<Dividing*>(data);
    self.factors.push_back(factor);
    if (self.answer != CL_SUCCESS) return self.answer;
    std::vector<cl_event> parts(factor);
    const std::size_t count = kItems / factor;
    for (cl_uint i = 0; i < factor; ++i) {
      const std::size_t first = i * count;
      const cl_int status =
          table().clEnqueueNDRangeKernel(queue, self.kernel, 1, &first, &count, nullptr, 1, &before, &parts[i]);
      if (status != CL_SUCCESS) return status;
    }
    const cl_int status = table().clEnqueueMarkerWithWaitList(queue, factor, parts.data(), after);
    for (cl_event part : parts) table().clReleaseEvent(part);
    return status;
  }
};

struct DividedFixture : CommandsFixture {
  DividedFixture() {
    if (devices.empty()) return;
    program = make_program(wide_context, "kernel void add(global uint* x) { x[get_global_id(0)] += 1; }");
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
    kernel = make_kernel(program, "add");
    x = make_words(Words(Dividing::kItems));
    const cl_mem memory = x;
    BOOST_TEST(table().clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_SUCCESS);
    dividing.kernel = kernel;
  }
  void divide(cl_uint factors) {
    BOOST_TEST(table().clSetKernelArg(kernel, static_cast<cl_uint>(-1), sizeof(void*),
                                      reinterpret_cast<const void*>(&Dividing::divide)) == CL_SUCCESS);
    BOOST_TEST(table().clSetKernelArg(kernel, static_cast<cl_uint>(-2), sizeof factors, &factors) == CL_SUCCESS);
    BOOST_TEST(table().clSetKernelArg(kernel, static_cast<cl_uint>(-3), sizeof(void*), &dividing) == CL_SUCCESS);
  }
  [[nodiscard]] cl_int launch(cl_command_queue queue, const std::vector<cl_event>& after = {},
                              cl_event* event = nullptr) const {
    return table().clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &Dividing::kItems, nullptr,
                                          static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(),
                                          event);
  }

  OwnedProgram program;
  OwnedKernel kernel;
  OwnedMemory x;
  Dividing dividing;
};

BOOST_FIXTURE_TEST_SUITE(opencl_divided_launches, DividedFixture)

BOOST_AUTO_TEST_CASE(each_factor_is_tried_and_then_the_fastest_is_taken) {
  if (!has_devices()) return;
  divide(5);
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(launch(in_order) == CL_SUCCESS);
    BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  }
  BOOST_TEST((content(x, Dividing::kItems) == Words(Dividing::kItems, 10)));
  BOOST_TEST_REQUIRE(dividing.factors.size() == 10);
  BOOST_TEST((std::vector<cl_uint>(dividing.factors.begin(), dividing.factors.begin() + 4) ==
              std::vector<cl_uint>{1, 2, 3, 4}));
  BOOST_TEST(std::ranges::all_of(dividing.factors, [](cl_uint factor) { return factor >= 1 && factor < 5; }));
}

BOOST_AUTO_TEST_CASE(a_launch_in_parts_is_one_that_waits_and_has_an_event_and_does_not_block) {
  if (!has_devices()) return;
  divide(3);
  const OwnedEventOf gate = make_user_event();
  cl_event made = nullptr;
  BOOST_TEST(launch(out_of_order, {gate}, &made) == CL_SUCCESS);
  const OwnedEventOf event(made);
  BOOST_TEST(status_of(event) > CL_COMPLETE);
  BOOST_TEST(info_of<cl_command_type>(table().clGetEventInfo, event.get(), CL_EVENT_COMMAND_TYPE) ==
             static_cast<cl_command_type>(CL_COMMAND_NDRANGE_KERNEL));
  BOOST_TEST(table().clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  const cl_event waited = event;
  BOOST_TEST(table().clWaitForEvents(1, &waited) == CL_SUCCESS);
  BOOST_TEST((content(x, Dividing::kItems) == Words(Dividing::kItems, 1)));
}

BOOST_AUTO_TEST_CASE(what_the_function_answers_is_the_launchs_answer) {
  if (!has_devices()) return;
  divide(3);
  dividing.answer = CL_OUT_OF_HOST_MEMORY;
  BOOST_TEST(launch(in_order) == CL_OUT_OF_HOST_MEMORY);
  BOOST_TEST(table().clSetKernelArg(kernel, static_cast<cl_uint>(-1), sizeof(void*), nullptr) == CL_SUCCESS);
  BOOST_TEST(launch(in_order) == CL_SUCCESS);
  BOOST_TEST((content(x, Dividing::kItems) == Words(Dividing::kItems, 1)));
  BOOST_TEST(dividing.factors.size() == 1U);
  BOOST_TEST(table().clSetKernelArg(kernel, static_cast<cl_uint>(-2), sizeof(cl_uint), nullptr) ==
             CL_INVALID_ARG_VALUE);
}

BOOST_AUTO_TEST_CASE(the_fastest_is_the_one_with_the_least_time) {
  opencl::Division division;
  const cl_uint factors = 4;
  division.set(opencl::Division::kFactors, &factors);
  for (cl_uint factor = 1; factor < 4; ++factor) {
    const opencl::Division::Choice choice = division.choose();
    BOOST_TEST(choice.factor == factor);
    division.took(factor, factor == 2 ? 10 : 20);
  }
  BOOST_TEST(division.choose().factor == 2U);
  division.took(2, 30);
  BOOST_TEST(division.choose().factor != 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
