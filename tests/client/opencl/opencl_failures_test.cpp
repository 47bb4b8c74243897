// Tests of failures of OpenCL devices, and of the error messages.
#include <memory>
#include <stdexcept>
#include <thread>

#include "tests/client/opencl/opencl_fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(opencl_failures)

namespace {

/// Runs a task of a codelet that must fail. Only this task may fail, and the device must work afterwards.
template <class Check>
void fails(const Codelet& codelet, const Check& check, const std::string& device = "0") {
  Runtime runtime(with_opencl(device));
  std::vector<double> memory(100);
  Data bad = runtime.vector(memory);
  std::vector<double> other(100);
  Data good = runtime.vector(other);
  BOOST_CHECK_EXCEPTION(runtime.submit(codelet, {bad}).wait(), Error, check);
  BOOST_CHECK_THROW(runtime.wait(), Error);
  for (int i = 0; i < 4; ++i) runtime.submit(add_codelet(), {good}, args(1.0));
  runtime.wait();
  good.release();
  BOOST_TEST((other == std::vector<double>(100, 4)));
}

Codelet named(const std::string& name) { return Codelet(name, {AccessMode::read_write}); }

RuntimeOptions with_memory(std::uint64_t bytes) {
  RuntimeOptions options = with_opencl("0");
  options.accelerators.opencl_memory = Bytes{bytes};
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_kernel_throws_is_its_tasks_failure) {
  if (!has_opencl_devices()) return;
  fails(named("thrower").opencl([](OpenClLaunch& launch, VectorView<double> x) {
    add_on_opencl(launch, x, 1);
    throw std::runtime_error("planned");
  }),
        failure(ErrorCode::kernel_failed, "codelet thrower", "OpenCL device 0", "planned"));
}

BOOST_AUTO_TEST_CASE(what_a_check_throws_is_its_tasks_failure) {
  if (!has_opencl_devices()) return;
  fails(named("checked").opencl([](OpenClLaunch&, VectorView<double>) {
    check_at_completion([] { throw Error(ErrorCode::numerical, "it broke down"); });
  }),
        failure(ErrorCode::numerical, "codelet checked", "it broke down"));
}

// The event must have failed before the kernel function returns. If a command fails later, inside a queue, pocl 3.1
// aborts or waits forever.
BOOST_AUTO_TEST_CASE(an_event_that_has_failed_is_its_tasks_failure) {
  if (!has_opencl_devices()) return;
  fails(named("command").opencl([](OpenClLaunch& launch, VectorView<double>) {
    cl_int status = CL_SUCCESS;
    const cl_event event = launch.api().clCreateUserEvent(launch.context(), &status);
    launch.wait_for(event);
    (void)launch.api().clSetUserEventStatus(event, CL_OUT_OF_RESOURCES);
    (void)launch.api().clReleaseEvent(event);
  }),
        failure(ErrorCode::kernel_failed, "codelet command", "CL_OUT_OF_RESOURCES"));
}

BOOST_AUTO_TEST_CASE(an_address_that_is_no_datas_has_no_buffer) {
  if (!has_opencl_devices()) return;
  fails(named("lost").opencl([](OpenClLaunch& launch, VectorView<double> x) { (void)launch.buffer(x.data() + 1); }),
        failure(ErrorCode::invalid_argument, "codelet lost", "none of its task's 1 pieces of data begins"));
}

BOOST_AUTO_TEST_CASE(a_program_that_cannot_be_built_fails_with_what_the_compiler_says) {
  if (!has_opencl_devices()) return;
  const OpenClProgram wrong("kernel void f(global float* x) { x[0] = no_such_thing; }");
  const Codelet codelet =
      named("wrong").opencl([wrong](OpenClLaunch& launch, VectorView<double>) { (void)wrong.kernel(launch, "f"); });
  fails(codelet, failure(ErrorCode::kernel_failed, "codelet wrong", "CL_BUILD_PROGRAM_FAILURE", "no_such_thing"));
  // At the second task the program is not built again, but the message is the same.
  fails(codelet, failure(ErrorCode::kernel_failed, "codelet wrong", "no_such_thing"));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_the_program_has_not_is_named) {
  if (!has_opencl_devices()) return;
  fails(named("missing").opencl(
            [](OpenClLaunch& launch, VectorView<double>) { (void)opencl_kernels().kernel(launch, "no_such_kernel"); }),
        failure(ErrorCode::kernel_failed, "no kernel 'no_such_kernel'", "CL_INVALID_KERNEL_NAME"));
}

BOOST_AUTO_TEST_CASE(data_that_the_device_cannot_hold_are_refused_where_no_core_takes_the_task) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_memory(1U << 20U));
  std::vector<double> memory(1U << 18U);
  Data data = runtime.vector(memory);
  BOOST_CHECK_EXCEPTION(runtime.submit(add_codelet(), {data}, args(1.0)).wait(), Error,
                        failure(ErrorCode::out_of_memory, "2097152 bytes", "1048576"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(tasks_that_reduce_are_refused) {
  const auto refused = failure(ErrorCode::invalid_argument, "'sum' reduces handle 0", "for OpenCL device");
  BOOST_CHECK_EXCEPTION(Codelet("sum", {AccessMode::reduce}).opencl([](const KernelContext&) {}), Error, refused);
  if (!has_opencl_devices()) return;
  // The codelet has no fixed modes; the accesses of the task name the modes.
  Runtime runtime(with_opencl("0"));
  double sum = 0;
  Data data = runtime.scalar(sum);
  runtime.set_reduction(data, sum_reduction<double>());
  bool called = false;
  const Codelet some = Codelet::variadic("some").opencl([&](const KernelContext&) { called = true; });
  BOOST_CHECK_THROW(runtime.submit(some, {reduce(data)}).wait(), Error);
  BOOST_TEST(!called);
}

BOOST_AUTO_TEST_CASE(devices_that_are_not_there_are_refused_with_what_there_is) {
  if (!has_opencl_devices()) return;
  const auto start = [](const RuntimeOptions& options) { const Runtime runtime(options); };
  for (const char* wrong : {"3", "gpu", "0,0", "nonsense", "-1", "0,", ","}) {
    BOOST_CHECK_EXCEPTION(start(with_opencl(wrong)), Error,
                          failure(ErrorCode::invalid_argument, wrong, "there are 0 (basic", "1 (basic", "cpu"));
  }
}

BOOST_AUTO_TEST_CASE(memory_that_a_device_has_not_is_refused) {
  if (!has_opencl_devices()) return;
  const auto start = [](const RuntimeOptions& options) { const Runtime runtime(options); };
  const auto none =
      failure(ErrorCode::invalid_argument, "RuntimeOptions::accelerators.opencl_memory: '0B' is no amount of memory");
  BOOST_CHECK_EXCEPTION(start(with_memory(0)), Error, none);
  const auto refused = failure(ErrorCode::invalid_argument, "OpenCL device 0", "bytes of memory were asked for");
  BOOST_CHECK_EXCEPTION(start(with_memory(std::uint64_t{1} << 50U)), Error, refused);
}

BOOST_AUTO_TEST_CASE(runs_without_real_time_have_no_devices) {
  RuntimeOptions options = deterministic();
  options.accelerators.opencl = "all";
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error, failure(ErrorCode::invalid_argument, "deterministic"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
