// A program that only knows the name of Troupe's platform and gets everything else from the OpenCL loader. It prints
// each result on a line, which a test reads. The argument is the number of devices that the program uses, beginning
// with the first; without it, the program uses all devices.
#include <CL/cl.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what, cl_int status) {
  std::cout << what << " failed: " << status << "\n";
  std::exit(1);
}

void check(const std::string& what, cl_int status) {
  if (status != CL_SUCCESS) fail(what, status);
}

std::string name_of(cl_platform_id platform) {
  char name[256] = "";
  check("clGetPlatformInfo", clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr));
  return name;
}

std::string name_of(cl_device_id device) {
  char name[256] = "";
  check("clGetDeviceInfo", clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr));
  return name;
}

cl_platform_id find_troupe() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  check("clGetPlatformIDs", clGetPlatformIDs(16, platforms, &count));
  for (cl_uint i = 0; i < count; ++i) {
    if (name_of(platforms[i]) == "Troupe") return platforms[i];
  }
  fail("finding Troupe among " + std::to_string(count) + " platforms", CL_DEVICE_NOT_FOUND);
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  std::vector<cl_device_id> devices(64);
  cl_uint count = 0;
  check("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices.data(), &count));
  devices.resize(count);
  return devices;
}

void build_for(cl_context context, const std::vector<cl_device_id>& devices) {
  const char* source =
      "kernel void twice(global int* x, int n) { if (get_global_id(0) < n) x[get_global_id(0)] *= 2; }";
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  check("clCreateProgramWithSource", status);
  check("clBuildProgram", clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
  for (cl_device_id device : devices) {
    cl_build_status built = CL_BUILD_NONE;
    check("clGetProgramBuildInfo",
          clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, nullptr));
    std::cout << "built for " << name_of(device) << ": " << (built == CL_BUILD_SUCCESS ? "yes" : "no") << "\n";
  }
  cl_kernel kernel = clCreateKernel(program, "twice", &status);
  check("clCreateKernel", status);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, nullptr, &status);
  check("clCreateBuffer", status);
  const cl_int count = 1024;
  check("clSetKernelArg", clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  check("clSetKernelArg", clSetKernelArg(kernel, 1, sizeof count, &count));
  check("clReleaseMemObject", clReleaseMemObject(buffer));
  check("clReleaseKernel", clReleaseKernel(kernel));
  check("clReleaseProgram", clReleaseProgram(program));
}

}  // namespace

int main(int argc, char** argv) {
  auto devices = devices_of(find_troupe());
  if (argc > 1) devices.resize(std::min<std::size_t>(devices.size(), std::strtoul(argv[1], nullptr, 10)));
  for (cl_device_id device : devices) std::cout << "device " << name_of(device) << "\n";
  cl_int status = CL_SUCCESS;
  cl_context context =
      clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr, &status);
  check("clCreateContext", status);
  cl_command_queue queue = clCreateCommandQueue(context, devices.front(), 0, &status);
  check("clCreateCommandQueue", status);
  build_for(context, devices);
  check("clReleaseCommandQueue", clReleaseCommandQueue(queue));
  check("clReleaseContext", clReleaseContext(context));
  std::cout << "done\n";
}
