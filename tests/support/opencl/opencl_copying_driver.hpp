/// An OpenCL driver whose state a test can inspect. It is a table of functions, not a library.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/opencl/opencl_devices.hpp"

namespace troupe::tests {

/// The driver copies host memory into its buffers. The host sees the device's changes only when the host maps the
/// buffer. The device sees the host's changes only when the host unmaps the buffer. Commands run inside the calls that
/// enqueue them. Kernels are functions of the test that work on `content`. Only one thread may use the driver, and only
/// one driver may live at a time.
class CopyingDriver {
 public:
  struct Buffer {
    /// The host memory of which the buffer is a copy; null if there is none.
    std::byte* host = nullptr;
    std::vector<std::byte> content;
    /// The flags of each mapping that has not been unmapped yet.
    std::vector<cl_map_flags> maps;
  };
  enum class Fault : std::uint8_t { none, maps_elsewhere, maps_old_content, unmaps_old_content, buffers_fail };

  CopyingDriver() { current() = this; }
  CopyingDriver(const CopyingDriver&) = delete;
  CopyingDriver& operator=(const CopyingDriver&) = delete;
  ~CopyingDriver() { current() = nullptr; }

  [[nodiscard]] platform::OpenClDevice device() {
    platform::OpenClDevice made;
    made.api = &table();
    // Troupe keeps one context for each device id, so each driver needs an id of its own.
    static char ids[1000];
    static std::size_t used = 0;
    made.id = reinterpret_cast<cl_device_id>(&ids[used++ % sizeof ids]);
    made.name = "copying";
    made.memory = made.largest_buffer = Bytes{std::uint64_t{1} << 30U};
    made.shares_host_memory = true;
    return made;
  }

  /// Returns the device's copy of a buffer. Notes a problem if the host has mapped the buffer.
  [[nodiscard]] std::byte* content(cl_mem memory) {
    Buffer& buffer = at(memory);
    if (!buffer.maps.empty()) problems.emplace_back("a kernel uses a buffer that is mapped");
    return buffer.content.data();
  }

  Fault fault = Fault::none;
  std::vector<std::string> problems;
  std::size_t made = 0;
  /// The numbers of explicit read and write commands.
  std::size_t reads = 0;
  std::size_t writes = 0;
  std::map<cl_mem, std::unique_ptr<Buffer>> buffers;

 private:
  static CopyingDriver*& current() {
    static CopyingDriver* driver = nullptr;
    return driver;
  }
  Buffer& at(cl_mem memory) { return *buffers.at(memory); }

  static cl_mem CL_API_CALL create_buffer(cl_context, cl_mem_flags flags, std::size_t size, void* host,
                                          cl_int* status) {
    CopyingDriver& driver = *current();
    *status = driver.fault == Fault::buffers_fail ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    if (*status != CL_SUCCESS) return nullptr;
    auto buffer = std::make_unique<Buffer>();
    buffer->content.resize(size);
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
      buffer->host = static_cast<std::byte*>(host);
      std::memcpy(buffer->content.data(), host, size);
    }
    auto* const handle = reinterpret_cast<cl_mem>(buffer.get());
    driver.buffers.emplace(handle, std::move(buffer));
    ++driver.made;
    return handle;
  }
  static cl_int CL_API_CALL release_buffer(cl_mem memory) {
    if (!current()->at(memory).maps.empty()) current()->problems.emplace_back("a mapped buffer is released");
    current()->buffers.erase(memory);
    return CL_SUCCESS;
  }
  static void* CL_API_CALL map(cl_command_queue, cl_mem memory, cl_bool, cl_map_flags flags, std::size_t offset,
                               std::size_t size, cl_uint, const cl_event*, cl_event*, cl_int* status) {
    CopyingDriver& driver = *current();
    Buffer& buffer = driver.at(memory);
    *status = CL_SUCCESS;
    buffer.maps.push_back(flags);
    if (driver.fault == Fault::maps_elsewhere) return buffer.content.data() + offset;
    if (driver.fault != Fault::maps_old_content) {
      std::memcpy(buffer.host + offset, buffer.content.data() + offset, size);
    }
    return buffer.host + offset;
  }
  static cl_int CL_API_CALL unmap(cl_command_queue, cl_mem memory, void*, cl_uint, const cl_event*, cl_event*) {
    CopyingDriver& driver = *current();
    Buffer& buffer = driver.at(memory);
    if (buffer.maps.empty()) return CL_INVALID_VALUE;
    const bool written = (buffer.maps.back() & CL_MAP_WRITE) != 0;
    buffer.maps.pop_back();
    if (!written || driver.fault == Fault::unmaps_old_content || driver.fault == Fault::maps_elsewhere)
      return CL_SUCCESS;
    std::memcpy(buffer.content.data(), buffer.host, buffer.content.size());
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL read(cl_command_queue, cl_mem memory, cl_bool, std::size_t offset, std::size_t size,
                                 void* to, cl_uint, const cl_event*, cl_event*) {
    ++current()->reads;
    std::memcpy(to, current()->content(memory) + offset, size);
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL write(cl_command_queue, cl_mem memory, cl_bool, std::size_t offset, std::size_t size,
                                  const void* from, cl_uint, const cl_event*, cl_event*) {
    ++current()->writes;
    std::memcpy(current()->content(memory) + offset, from, size);
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL read_rect(cl_command_queue, cl_mem memory, cl_bool, const std::size_t* origin,
                                      const std::size_t*, const std::size_t* region, std::size_t pitch, std::size_t,
                                      std::size_t to_pitch, std::size_t, void* to, cl_uint, const cl_event*,
                                      cl_event*) {
    ++current()->reads;
    for (std::size_t y = 0; y < region[1]; ++y) {
      std::memcpy(static_cast<std::byte*>(to) + y * to_pitch,
                  current()->content(memory) + origin[0] + (origin[1] + y) * pitch, region[0]);
    }
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL write_rect(cl_command_queue, cl_mem memory, cl_bool, const std::size_t* origin,
                                       const std::size_t*, const std::size_t* region, std::size_t pitch, std::size_t,
                                       std::size_t from_pitch, std::size_t, const void* from, cl_uint, const cl_event*,
                                       cl_event*) {
    ++current()->writes;
    for (std::size_t y = 0; y < region[1]; ++y) {
      std::memcpy(current()->content(memory) + origin[0] + (origin[1] + y) * pitch,
                  static_cast<const std::byte*>(from) + y * from_pitch, region[0]);
    }
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL copy(cl_command_queue, cl_mem from, cl_mem to, std::size_t from_offset,
                                 std::size_t to_offset, std::size_t size, cl_uint, const cl_event*, cl_event*) {
    std::memcpy(current()->content(to) + to_offset, current()->content(from) + from_offset, size);
    return CL_SUCCESS;
  }

  static cl_int CL_API_CALL copy_rect(cl_command_queue, cl_mem from, cl_mem to, const std::size_t* from_origin,
                                      const std::size_t* to_origin, const std::size_t* region, std::size_t from_pitch,
                                      std::size_t, std::size_t to_pitch, std::size_t, cl_uint, const cl_event*,
                                      cl_event*) {
    for (std::size_t y = 0; y < region[1]; ++y) {
      std::memcpy(current()->content(to) + to_origin[0] + (to_origin[1] + y) * to_pitch,
                  current()->content(from) + from_origin[0] + (from_origin[1] + y) * from_pitch, region[0]);
    }
    return CL_SUCCESS;
  }

  /// Returns a non-null pointer for objects that only have to exist.
  template <class Object>
  static Object something() {
    static char place = 0;
    return reinterpret_cast<Object>(&place);
  }
  template <class... Arguments>
  static cl_int CL_API_CALL succeed(Arguments...) {
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL mark(cl_command_queue, cl_uint, const cl_event*, cl_event* event) {
    *event = something<cl_event>();
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL event_info(cl_event, cl_event_info, std::size_t, void* to, std::size_t*) {
    *static_cast<cl_int*>(to) = CL_COMPLETE;
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL device_info(cl_device_id, cl_device_info question, std::size_t, void* to, std::size_t*) {
    if (question != CL_DEVICE_MEM_BASE_ADDR_ALIGN) return CL_INVALID_VALUE;
    *static_cast<cl_uint*>(to) = 1024;
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL no_times(cl_event, cl_profiling_info, std::size_t, void*, std::size_t*) {
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  }
  static cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                               void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*), void*,
                                               cl_int* status) {
    *status = CL_SUCCESS;
    return something<cl_context>();
  }
  static cl_command_queue CL_API_CALL create_queue(cl_context, cl_device_id, cl_command_queue_properties,
                                                   cl_int* status) {
    *status = CL_SUCCESS;
    return something<cl_command_queue>();
  }

  static const _cl_icd_dispatch& table() {
    static const _cl_icd_dispatch made = [] {
      _cl_icd_dispatch table{};
      table.clGetDeviceInfo = device_info;
      table.clCreateContext = create_context;
      table.clCreateCommandQueue = create_queue;
      table.clReleaseCommandQueue = succeed;
      table.clCreateBuffer = create_buffer;
      table.clReleaseMemObject = release_buffer;
      table.clEnqueueMapBuffer = map;
      table.clEnqueueUnmapMemObject = unmap;
      table.clEnqueueReadBuffer = read;
      table.clEnqueueWriteBuffer = write;
      table.clEnqueueReadBufferRect = read_rect;
      table.clEnqueueWriteBufferRect = write_rect;
      table.clEnqueueCopyBuffer = copy;
      table.clEnqueueCopyBufferRect = copy_rect;
      table.clEnqueueMarkerWithWaitList = mark;
      table.clSetEventCallback = succeed;
      table.clGetEventInfo = event_info;
      table.clGetEventProfilingInfo = no_times;
      table.clRetainEvent = succeed;
      table.clReleaseEvent = succeed;
      table.clFlush = succeed;
      table.clFinish = succeed;
      return table;
    }();
    return made;
  }
};

}  // namespace troupe::tests
