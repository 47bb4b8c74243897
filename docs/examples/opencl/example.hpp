/// The common parts of the examples: options, the choice of a device, errors, time. Plain OpenCL 1.2.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace example {

/// The user asked for something that does not exist: exit code 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws if a function of OpenCL failed.
inline void check(cl_int status, const char* function) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(function) + " failed: " + std::to_string(status));
}

/// The words of the command line. Each option is asked for by its name; `end` refuses words that nobody asked for.
class Arguments {
 public:
  Arguments(int count, char** words) : words_(words + 1, words + count) {}

  bool flag(const std::string& name) {
    const auto found = std::find(words_.begin(), words_.end(), name);
    if (found == words_.end()) return false;
    words_.erase(found);
    return true;
  }
  std::string text(const std::string& name, std::string otherwise) {
    const auto found = std::find(words_.begin(), words_.end(), name);
    if (found == words_.end()) return otherwise;
    if (found + 1 == words_.end()) throw BadInput(name + " needs a value");
    otherwise = found[1];
    words_.erase(found, found + 2);
    return otherwise;
  }
  std::size_t number(const std::string& name, std::size_t otherwise, std::size_t least, std::size_t most) {
    const std::string given = text(name, std::to_string(otherwise));
    const bool digits = !given.empty() && given.size() < 16 && given.find_first_not_of("0123456789") == given.npos;
    const std::size_t value = digits ? std::stoull(given) : 0;
    if (!digits || value < least || value > most) {
      throw BadInput(name + " is '" + given + "'; it is a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most));
    }
    return value;
  }
  void end() const {
    if (!words_.empty()) throw BadInput("'" + words_.front() + "' is not known; --help lists the options");
  }

 private:
  std::vector<std::string> words_;
};

/// The options that all examples have.
struct Common {
  std::string platform;
  std::string device;
  std::string policy;
  bool out_of_order = false;
  std::size_t warm_up = 1;
  std::size_t repeat = 1;

  explicit Common(Arguments& arguments)
      : platform(arguments.text("--platform", "")),
        device(arguments.text("--device", "0")),
        policy(arguments.text("--policy", "")),
        out_of_order(arguments.flag("--out-of-order")),
        warm_up(arguments.number("--warm-up", 1, 0, 1000)),
        repeat(arguments.number("--repeat", 1, 1, 1000)) {
    if (arguments.flag("--in-order") && out_of_order)
      throw BadInput("--in-order and --out-of-order exclude each other");
  }
};

inline constexpr const char* kCommonHelp =
    "  --platform NAME   the first platform whose name has NAME in it; default: the first\n"
    "  --device N        the platform's device of that number, from 0 (the default); or\n"
    "           unified  that which stands for all (of Troupe; of SOCL a queue without a device)\n"
    "           first    the first that stands for itself\n"
    "  --policy NAME     how kernels are placed: of Troupe and SOCL alone\n"
    "  --in-order        the queue keeps the order of commands (the default)\n"
    "  --out-of-order    only events do\n"
    "  --warm-up N       times that all is done before time is taken: drivers compile then; default: 1\n"
    "  --repeat N        times that time is taken, of which the median is printed; default: 1\n";

template <class Query, class Object>
std::string text_of(Query query, Object object, cl_uint what) {
  std::size_t size = 0;
  check(query(object, what, 0, nullptr, &size), "a query");
  std::string text(size, '\0');
  check(query(object, what, size, text.data(), nullptr), "a query");
  return text.substr(0, text.find('\0'));
}

/// A buffer of OpenCL, which this object releases at its end.
class Buffer {
 public:
  Buffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void* memory = nullptr) {
    cl_int status = CL_SUCCESS;
    memory_ = clCreateBuffer(context, flags, bytes, memory, &status);
    check(status, "clCreateBuffer");
  }
  Buffer(Buffer&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (memory_ != nullptr) clReleaseMemObject(memory_);
  }
  /// The handle, for functions of OpenCL, and as a kernel's argument.
  [[nodiscard]] const cl_mem& get() const { return memory_; }

 private:
  cl_mem memory_ = nullptr;
};

/// Events that commands wait for. The object keeps a reference to each.
class Events {
 public:
  Events() = default;
  Events(const Events& other) : all_(other.all_) {
    for (cl_event event : all_) clRetainEvent(event);
  }
  Events& operator=(Events other) {
    std::swap(all_, other.all_);
    return *this;
  }
  ~Events() {
    for (cl_event event : all_) clReleaseEvent(event);
  }
  /// Returns the place where a command stores its event.
  cl_event* add() { return &all_.emplace_back(nullptr); }
  void add(const Events& others) {
    for (cl_event event : others.all_) {
      clRetainEvent(event);
      all_.push_back(event);
    }
  }
  [[nodiscard]] cl_uint count() const { return static_cast<cl_uint>(all_.size()); }
  [[nodiscard]] const cl_event* list() const { return all_.empty() ? nullptr : all_.data(); }

 private:
  std::vector<cl_event> all_;
};

/// A device, with its context, a queue and the example's program.
class Session {
 public:
  Session(const Common& common, const char* source) {
    const cl_platform_id platform = find_platform(common.platform);
    find_device(platform, common.device);
    std::vector<cl_context_properties> properties{CL_CONTEXT_PLATFORM,
                                                  reinterpret_cast<cl_context_properties>(platform)};
    if (!common.policy.empty()) {
      // The property is SOCL's; Troupe knows it, too.
      properties.insert(properties.end(), {0xFF01, reinterpret_cast<cl_context_properties>(common.policy.c_str())});
    }
    properties.push_back(0);
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(properties.data(), static_cast<cl_uint>(devices_.size()), devices_.data(), nullptr,
                               nullptr, &status);
    if (!common.policy.empty() && status == CL_INVALID_PROPERTY) {
      throw BadInput("the platform '" + platform_name_ + "' does not know the policy '" + common.policy + "'");
    }
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, own_queue_device_,
                                  common.out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &status);
    check(status, "clCreateCommandQueue");
    std::printf("device: %s of %s, %s\n", device_name_.c_str(), platform_name_.c_str(),
                common.out_of_order ? "out of order" : "in order");
    build(source);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (program_ != nullptr) clReleaseProgram(program_);
    if (queue_ != nullptr) clReleaseCommandQueue(queue_);
    if (context_ != nullptr) clReleaseContext(context_);
  }

  [[nodiscard]] cl_context context() const { return context_; }

  void write(const Buffer& buffer, std::size_t bytes, const void* from, Events& done) const {
    check(clEnqueueWriteBuffer(queue_, buffer.get(), CL_FALSE, 0, bytes, from, 0, nullptr, done.add()),
          "clEnqueueWriteBuffer");
  }
  void read(const Buffer& buffer, std::size_t bytes, void* to, const Events& after) const {
    check(clEnqueueReadBuffer(queue_, buffer.get(), CL_FALSE, 0, bytes, to, after.count(), after.list(), nullptr),
          "clEnqueueReadBuffer");
  }
  /// Launches a kernel of the program with these arguments: buffers and plain values.
  template <class... Values>
  void launch(const char* name, std::vector<std::size_t> global, std::vector<std::size_t> local, const Events& after,
              Events& done, const Values&... values) const {
    cl_int status = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(program_, name, &status);
    check(status, "clCreateKernel");
    cl_uint index = 0;
    (set(kernel, index++, values), ...);
    status = clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                    local.empty() ? nullptr : local.data(), after.count(), after.list(), done.add());
    clReleaseKernel(kernel);
    check(status, "clEnqueueNDRangeKernel");
  }
  void flush() const { check(clFlush(queue_), "clFlush"); }
  void finish() const { check(clFinish(queue_), "clFinish"); }

 private:
  static void set(cl_kernel kernel, cl_uint index, const Buffer& buffer) {
    check(clSetKernelArg(kernel, index, sizeof(cl_mem), &buffer.get()), "clSetKernelArg");
  }
  template <class Value>
  static void set(cl_kernel kernel, cl_uint index, const Value& value) {
    check(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
  }

  cl_platform_id find_platform(const std::string& wanted) {
    cl_platform_id platforms[32];
    cl_uint count = 0;
    if (clGetPlatformIDs(32, platforms, &count) != CL_SUCCESS || count == 0) {
      throw BadInput("OpenCL has no platform: install a driver, or say where one is registered (OCL_ICD_VENDORS)");
    }
    std::string known;
    for (cl_uint i = 0; i < std::min<cl_uint>(count, 32); ++i) {
      platform_name_ = text_of(clGetPlatformInfo, platforms[i], CL_PLATFORM_NAME);
      if (platform_name_.find(wanted) != std::string::npos) return platforms[i];
      known += (known.empty() ? "" : ", ") + platform_name_;
    }
    throw BadInput("--platform: none has '" + wanted + "' in its name; there are: " + known);
  }

  void find_device(cl_platform_id platform, const std::string& wanted) {
    cl_device_id all[64];
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, all, &count) != CL_SUCCESS || count == 0) {
      throw BadInput("the platform '" + platform_name_ + "' has no device");
    }
    const auto stands_for_all = [&all](std::size_t i, const char* kind) {
      return text_of(clGetDeviceInfo, all[i], CL_DEVICE_NAME).find(kind) != std::string::npos;
    };
    const bool first_is_all = stands_for_all(0, "(all devices)");
    if (wanted == "unified" && platform_name_.find("SOCL") != std::string::npos) {
      // On this platform, a queue without a device stands for all devices.
      devices_.assign(all, all + std::min<cl_uint>(count, 64));
      device_name_ = "all devices";
      return;
    }
    // The device for all devices comes first, then those for all devices of a type; skip both.
    std::size_t number = 0;
    while (number + 1 < count && stands_for_all(number, "(all ")) ++number;
    if (wanted == "unified") {
      if (!first_is_all) throw BadInput("--device unified: '" + platform_name_ + "' has no device that stands for all");
      number = 0;
    } else if (wanted != "first") {
      const bool digits = !wanted.empty() && wanted.size() < 4 && wanted.find_first_not_of("0123456789") == wanted.npos;
      if (!digits) throw BadInput("--device is '" + wanted + "'; it is a number, 'unified' or 'first'");
      number = std::stoul(wanted);
    }
    if (number >= count) {
      throw BadInput("--device: there is no device " + std::to_string(number) + "; '" + platform_name_ + "' has " +
                     std::to_string(count));
    }
    devices_ = {all[number]};
    own_queue_device_ = all[number];
    device_name_ = text_of(clGetDeviceInfo, all[number], CL_DEVICE_NAME);
  }

  void build(const char* source) {
    cl_int status = CL_SUCCESS;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr);
    if (status == CL_SUCCESS) return;
    std::size_t size = 0;
    check(clGetProgramBuildInfo(program_, devices_.front(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size),
          "clGetProgramBuildInfo");
    std::string log(size, '\0');
    check(clGetProgramBuildInfo(program_, devices_.front(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr),
          "clGetProgramBuildInfo");
    throw std::runtime_error("the program could not be built:\n" + log);
  }

  std::string platform_name_;
  std::string device_name_;
  std::vector<cl_device_id> devices_;
  /// Null: the queue has no device.
  cl_device_id own_queue_device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

/// Runs `work` as often as asked for; returns the median of its times in seconds.
inline double measure(const Common& common, const std::function<void()>& work) {
  for (std::size_t i = 0; i < common.warm_up; ++i) work();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < common.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

/// Prints the time, and whether the result equals the host's. Returns the exit code.
inline int report(double seconds, bool correct) {
  std::printf("time: %.6f s\n%s\n", seconds, correct ? "correct" : "wrong");
  return correct ? 0 : 1;
}

/// The main function of an example: `body` prints and returns the exit code; an exception becomes a line.
inline int run(const char* name, const std::string& help, int count, char** words,
               const std::function<int(Arguments&)>& body) {
  try {
    Arguments arguments(count, words);
    if (arguments.flag("--help")) {
      std::printf("%s\n%s%s", name, help.c_str(), kCommonHelp);
      return 0;
    }
    return body(arguments);
  } catch (const BadInput& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace example
