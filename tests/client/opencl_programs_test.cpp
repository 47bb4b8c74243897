// Programs with kernels of their own on OpenCL devices.
#include <CL/cl_icd.h>

#include <numeric>
#include <vector>

#include "client/opencl_program.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/opencl/opencl_two_devices.hpp"

namespace troupe::tests {

namespace opencl_programs {

/// Enqueues a kernel over `count` items.
void enqueue(const OpenClLaunch& launch, cl_kernel kernel, std::size_t count) {
  const cl_int status =
      launch.api().clEnqueueNDRangeKernel(launch.queue(), kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) throw std::runtime_error("a kernel was not enqueued: " + std::to_string(status));
}

template <class T>
void set_argument(const OpenClLaunch& launch, cl_kernel kernel, cl_uint index, const T& value) {
  const cl_int status = launch.api().clSetKernelArg(kernel, index, sizeof value, &value);
  if (status != CL_SUCCESS) throw std::runtime_error("an argument was refused: " + std::to_string(status));
}

const OpenClProgram kProgram(R"(
kernel void axpy(global const double* x, global double* y, double a) {
  const size_t i = get_global_id(0);
  y[i] += a * x[i];
}
kernel void fill(global double* x, double value) { x[get_global_id(0)] = value; }
)");

Codelet make_axpy() {
  return Codelet("axpy", {AccessMode::read, AccessMode::read_write})
      .opencl([](OpenClLaunch& launch, VectorView<const double> x, VectorView<double> y, double a) {
        const cl_kernel kernel = kProgram.kernel(launch, "axpy");
        set_argument(launch, kernel, 0, launch.buffer(x.data()));
        set_argument(launch, kernel, 1, launch.buffer(y.data()));
        set_argument(launch, kernel, 2, a);
        enqueue(launch, kernel, y.size());
      });
}

RuntimeOptions with_devices(const std::string& which) {
  RuntimeOptions options = with_workers(1);
  options.opencl = which;
  return options;
}

}  // namespace opencl_programs

BOOST_AUTO_TEST_SUITE(opencl_programs)

BOOST_AUTO_TEST_CASE(tasks_on_two_devices_compute_what_the_host_does) {
  if (!has_two_opencl_devices()) return;
  constexpr std::size_t kVectors = 32;
  constexpr std::size_t kSize = 1000;
  std::vector<std::vector<double>> memory(kVectors, std::vector<double>(kSize));
  for (std::size_t i = 0; i < kVectors; ++i) std::iota(memory[i].begin(), memory[i].end(), static_cast<double>(i));
  std::vector<std::vector<double>> expected = memory;
  Runtime runtime(with_devices("all"));
  const Codelet axpy = make_axpy();
  {
    std::vector<Data> data;
    for (auto& vector : memory) data.push_back(runtime.vector(vector));
    for (std::size_t step = 1; step < 8; ++step) {
      for (std::size_t i = 0; i < kVectors; ++i) {
        const std::size_t from = (i + step) % kVectors;
        runtime.submit(axpy, {data[from], data[i]}, args(0.5));
        for (std::size_t k = 0; k < kSize; ++k) expected[i][k] += 0.5 * expected[from][k];
      }
    }
    runtime.wait();
  }
  for (std::size_t i = 0; i < kVectors; ++i) BOOST_TEST(memory[i] == expected[i], boost::test_tools::per_element());
  std::size_t devices = 0;
  for (const WorkerReport& worker : runtime.report().workers) {
    if (worker.kind != DeviceKind::opencl) continue;
    ++devices;
    BOOST_TEST(worker.tasks > 0U);
  }
  BOOST_TEST(devices == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
