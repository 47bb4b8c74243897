// A program that continues after every failure and reports it. Usage: launching_program WORD…, with these words:
// device=N: the device of Troupe's platform (0 means all); policy=NAME; local=BYTES: local memory of each work-group;
// once=yes: the source only compiles for the first of two equal devices; end=static: uses and releases everything once
// more after main.
// It prints a line for each failed call with its code, and the number of launches that failed.
#include <CL/cl.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kItems = 1024;
constexpr int kBuffers = 8;
constexpr int kRounds = 10;
/// With this number of steps a launch takes some hundred microseconds, so that both devices get some launches.
constexpr cl_uint kSteps = 1000;

const char* const kSource =
    "#if defined(ONCE) && defined(TROUPE_TWIN)\n"
    "#error not for the second device\n"
    "#endif\n"
    "kernel void scramble(global uint* x, local int* y, uint steps) {\n"
    "  uint value = x[get_global_id(0)];\n"
    "  for (uint i = 0; i < steps; ++i) value = value * 3 + 1;\n"
    "  x[get_global_id(0)] = value;\n"
    "}\n";

void say(const char* what, cl_int status) {
  if (status != CL_SUCCESS) std::cout << what << " " << status << std::endl;
}

std::string word_of(int argc, char** argv, const std::string& name, const std::string& otherwise) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
  }
  return otherwise;
}

cl_platform_id find_troupe() {
  std::array<cl_platform_id, 16> all{};
  cl_uint count = 0;
  say("clGetPlatformIDs", clGetPlatformIDs(16, all.data(), &count));
  for (cl_uint i = 0; i < count; ++i) {
    char name[256] = "";
    (void)clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::strcmp(name, "Troupe") == 0) return all[i];
  }
  return nullptr;
}

cl_context make_context(const std::vector<cl_device_id>& devices, const std::string& policy) {
  const cl_context_properties chosen[] = {0xFF01, reinterpret_cast<cl_context_properties>(policy.c_str()), 0};
  cl_int status = CL_SUCCESS;
  const cl_context context = clCreateContext(policy.empty() ? nullptr : chosen, static_cast<cl_uint>(devices.size()),
                                             devices.data(), nullptr, nullptr, &status);
  say("clCreateContext", status);
  return context;
}

cl_kernel make_kernel(cl_context context, bool once) {
  cl_int status = CL_SUCCESS;
  const char* source = kSource;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  say("clBuildProgram", clBuildProgram(program, 0, nullptr, once ? "-DONCE" : "", nullptr, nullptr));
  const cl_kernel kernel = clCreateKernel(program, "scramble", &status);
  say("clCreateKernel", status);
  (void)clReleaseProgram(program);
  return kernel;
}

/// Launches the kernel once for each buffer. Returns the number of launches that failed, either in the call or later.
int launch_all(cl_command_queue queue, cl_kernel kernel, const std::vector<cl_mem>& buffers) {
  std::vector<cl_event> events;
  int failed = 0;
  for (cl_mem buffer : buffers) {
    (void)clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    cl_event event = nullptr;
    const cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, &event);
    if (status != CL_SUCCESS) {
      if (failed++ == 0) say("clEnqueueNDRangeKernel", status);
    } else {
      events.push_back(event);
    }
  }
  (void)clFinish(queue);
  for (cl_event event : events) {
    cl_int status = CL_COMPLETE;
    (void)clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status < 0) ++failed;
    (void)clReleaseEvent(event);
  }
  return failed;
}

/// Prints how many buffers can be read, and how many of these have the content of a run without failures.
void read_all(cl_command_queue queue, const std::vector<cl_mem>& buffers) {
  cl_uint right_value = 0;
  for (cl_uint i = 0; i < kRounds * kSteps; ++i) right_value = right_value * 3 + 1;
  int read = 0;
  int right = 0;
  for (cl_mem buffer : buffers) {
    std::vector<cl_uint> content(kItems);
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, kItems * sizeof(cl_uint), content.data(), 0, nullptr, nullptr) !=
        CL_SUCCESS) {
      continue;
    }
    ++read;
    if (content == std::vector<cl_uint>(kItems, right_value)) ++right;
  }
  std::cout << "read " << read << " right " << right << std::endl;
}

/// Objects that are used and released in the destructor of a static object, which runs after all exit handlers.
struct Kept {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  std::vector<cl_mem> buffers;

  ~Kept() {
    if (context == nullptr) return;
    const int refused = launch_all(queue, kernel, buffers);
    std::cout << "launches refused at the end " << refused << std::endl;
    release();
    std::cout << "released" << std::endl;
  }
  void release() {
    for (cl_mem buffer : buffers) (void)clReleaseMemObject(buffer);
    (void)clReleaseKernel(kernel);
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseContext(context);
  }
};
Kept kept;

}  // namespace

int main(int argc, char** argv) {
  const cl_platform_id platform = find_troupe();
  if (platform == nullptr) return 1;
  std::vector<cl_device_id> devices(64);
  cl_uint count = 0;
  say("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices.data(), &count));
  devices.resize(count);
  const cl_context context = make_context(devices, word_of(argc, argv, "policy", ""));
  if (context == nullptr) return 2;
  const auto device = std::strtoul(word_of(argc, argv, "device", "0").c_str(), nullptr, 10);
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueue(context, devices.at(device), 0, &status);
  say("clCreateCommandQueue", status);
  const cl_kernel kernel = make_kernel(context, word_of(argc, argv, "once", "no") == "yes");
  if (kernel == nullptr) return 3;
  const auto local = std::strtoul(word_of(argc, argv, "local", "64").c_str(), nullptr, 10);
  (void)clSetKernelArg(kernel, 1, local, nullptr);
  (void)clSetKernelArg(kernel, 2, sizeof kSteps, &kSteps);
  std::vector<cl_mem> buffers;
  for (int i = 0; i < kBuffers; ++i) {
    std::vector<cl_uint> zeros(kItems);
    buffers.push_back(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, kItems * sizeof(cl_uint), zeros.data(), &status));
    say("clCreateBuffer", status);
  }
  int failed = 0;
  int last = 0;
  for (int round = 0; round < kRounds; ++round) failed += last = launch_all(queue, kernel, buffers);
  std::cout << "failed " << failed << " last " << last << std::endl;
  read_all(queue, buffers);
  kept.context = context;
  kept.queue = queue;
  kept.kernel = kernel;
  kept.buffers = buffers;
  if (word_of(argc, argv, "end", "") != "static") {
    kept.release();
    kept.context = nullptr;
  }
  std::cout << "done" << std::endl;
}
