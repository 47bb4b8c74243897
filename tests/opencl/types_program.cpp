// A program that asks Troupe's platform for devices and contexts by type. For each type it prints the number of
// devices, or the error code. Then, for a context of this type, it prints how many launches on a queue for the whole
// context ran on which type of device. With the argument `dynamic`, it uses a queue on the platform's last device, for
// a kernel that only builds for the other devices.
#include <CL/cl.h>

#include <array>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr int kLaunches = 8;
constexpr std::size_t kItems = 16;

struct Type {
  const char* name;
  cl_device_type type;
};
constexpr std::array<Type, 5> kTypes{{{"all", CL_DEVICE_TYPE_ALL},
                                      {"default", CL_DEVICE_TYPE_DEFAULT},
                                      {"cpu", CL_DEVICE_TYPE_CPU},
                                      {"gpu", CL_DEVICE_TYPE_GPU},
                                      {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}}};

const char* const kSource =
    "#ifdef SOCL_DEVICE_TYPE_CPU\n"
    "#define TYPE 1\n"
    "#endif\n"
    "#ifdef SOCL_DEVICE_TYPE_GPU\n"
    "#define TYPE 2\n"
    "#endif\n"
    "#if defined(NOT_ON) && NOT_ON == TYPE\n"
    "#error not for this device\n"
    "#endif\n"
    "kernel void type(global int* to) { to[get_global_id(0)] = TYPE; }\n";

cl_platform_id find_troupe() {
  std::array<cl_platform_id, 16> all{};
  cl_uint count = 0;
  (void)clGetPlatformIDs(16, all.data(), &count);
  for (cl_uint i = 0; i < count; ++i) {
    char name[256] = "";
    (void)clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::strcmp(name, "Troupe") == 0) return all[i];
  }
  return nullptr;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform, cl_device_type type, cl_int& status) {
  std::vector<cl_device_id> devices(64);
  cl_uint count = 0;
  status = clGetDeviceIDs(platform, type, 64, devices.data(), &count);
  devices.resize(status == CL_SUCCESS ? count : 0);
  return devices;
}

std::string name_of(cl_device_id device) {
  char name[256] = "";
  (void)clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr);
  return name;
}

/// Launches the kernel many times. Returns the number of failed launches, then the numbers of launches by type of
/// device.
std::array<int, 3> launch_all(cl_context context, cl_command_queue queue, const char* options) {
  cl_int status = CL_SUCCESS;
  const char* source = kSource;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  (void)clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
  const cl_kernel kernel = clCreateKernel(program, "type", &status);
  std::array<int, 3> ran{};
  for (int i = 0; i < kLaunches; ++i) {
    std::array<cl_int, kItems> result{};
    const cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, nullptr, &status);
    (void)clSetKernelArg(kernel, 0, sizeof to, &to);
    status = clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr);
    if (status == CL_SUCCESS) {
      status = clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof result, result.data(), 0, nullptr, nullptr);
    }
    ++ran.at(status == CL_SUCCESS ? static_cast<std::size_t>(result[0]) : 0);
    (void)clReleaseMemObject(to);
  }
  (void)clReleaseKernel(kernel);
  (void)clReleaseProgram(program);
  return ran;
}

void say_launches(const char* name, const std::array<int, 3>& ran) {
  std::cout << name << ": cpu " << ran[1] << " gpu " << ran[2] << " failed " << ran[0] << std::endl;
}

void try_type(cl_platform_id platform, const Type& type, bool launches) {
  cl_int status = CL_SUCCESS;
  const auto devices = devices_of(platform, type.type, status);
  std::cout << type.name << " devices " << (status == CL_SUCCESS ? static_cast<int>(devices.size()) : status);
  for (cl_device_id device : devices) std::cout << " [" << name_of(device) << "]";
  std::cout << std::endl;
  if (!launches) return;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                              0};
  const cl_context context = clCreateContextFromType(properties, type.type, nullptr, nullptr, &status);
  if (context == nullptr) {
    std::cout << type.name << " context " << status << std::endl;
    return;
  }
  const cl_command_queue queue = clCreateCommandQueue(context, nullptr, 0, &status);
  say_launches(type.name, launch_all(context, queue, ""));
  (void)clReleaseCommandQueue(queue);
  (void)clReleaseContext(context);
}

void try_named_queue(cl_platform_id platform) {
  cl_int status = CL_SUCCESS;
  const auto devices = devices_of(platform, CL_DEVICE_TYPE_ALL, status);
  const cl_context context =
      clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr, &status);
  const cl_command_queue queue = clCreateCommandQueue(context, devices.back(), 0, &status);
  cl_device_id named = nullptr;
  (void)clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof named, &named, nullptr);
  std::cout << "named " << (named == devices.back() ? "the last" : "another") << std::endl;
  say_launches("named", launch_all(context, queue, "-DNOT_ON=2"));
  (void)clReleaseCommandQueue(queue);
  (void)clReleaseContext(context);
}

}  // namespace

int main(int argc, char** argv) {
  const cl_platform_id platform = find_troupe();
  if (platform == nullptr) return 1;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "dynamic") {
    try_named_queue(platform);
  } else {
    for (const Type& type : kTypes) try_type(platform, type, what != "list");
  }
}
