#include "opencl/programs/program.hpp"

#include <string>

#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"

namespace troupe::opencl {
namespace {

/// Returns the devices of a list; all devices of the program if the caller gave no list.
std::vector<Device*> devices_or(const std::vector<Device*>& all, cl_uint count, const cl_device_id* list) {
  require((list == nullptr) == (count == 0), CL_INVALID_VALUE);
  if (list == nullptr) return all;
  std::vector<Device*> devices;
  for (cl_uint i = 0; i < count; ++i) devices.push_back(&need<Device>(list[i]));
  return devices;
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

/// Joins the texts of a source. A text without a length ends at its terminating zero.
std::string joined_source(cl_uint count, const char** strings, const std::size_t* lengths) {
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    require(strings[i] != nullptr, CL_INVALID_VALUE);
    if (lengths != nullptr && lengths[i] != 0) {
      source.append(strings[i], lengths[i]);
    } else {
      source.append(strings[i]);
    }
  }
  return source;
}

using ProgramCallback = void(CL_CALLBACK*)(cl_program, void*);

/// Calls the callback and reports the result. The entry returns only when the work is done, so the callback is called
/// just before the return.
void finish_build(Program& program, cl_int status, ProgramCallback notify, void* user_data, cl_int failure) {
  if (notify != nullptr) notify(program.handle(), user_data);
  // Drivers return different codes for a failed build. The program gets `failure` in place of each of them.
  const bool failed = status == CL_BUILD_PROGRAM_FAILURE || status == CL_COMPILE_PROGRAM_FAILURE;
  accept(failed ? failure : status);
}

}  // namespace

cl_program create_program_with_source(cl_context context, cl_uint count, const char** strings,
                                      const std::size_t* lengths, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    Context& owner = need<Context>(context);
    require(count != 0 && strings != nullptr, CL_INVALID_VALUE);
    return (new Program(owner, joined_source(count, strings, lengths)))->handle();
  });
}

cl_program create_program_with_binary(cl_context context, cl_uint num_devices, const cl_device_id* device_list,
                                      const std::size_t* lengths, const unsigned char** binaries, cl_int* binary_status,
                                      cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    Context& owner = need<Context>(context);
    require(device_list != nullptr && num_devices != 0, CL_INVALID_VALUE);
    require(lengths != nullptr && binaries != nullptr, CL_INVALID_VALUE);
    const auto devices = devices_or({}, num_devices, device_list);
    std::vector<std::span<const unsigned char>> contents;
    for (cl_uint i = 0; i < num_devices; ++i) {
      require(owner.has(*devices[i]), CL_INVALID_DEVICE);
      const bool empty = lengths[i] == 0 || binaries[i] == nullptr;
      if (empty && binary_status != nullptr) binary_status[i] = CL_INVALID_VALUE;
      require(!empty, CL_INVALID_VALUE);
      contents.emplace_back(binaries[i], lengths[i]);
    }
    return Program::of_binaries(owner, devices, contents, binary_status)->handle();
  });
}

/// Always refuses, because no device has built-in kernels, so no name is valid.
cl_program create_program_with_built_in_kernels(cl_context context, cl_uint num_devices,
                                                const cl_device_id* device_list, const char*, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&]() -> cl_program {
    Context& owner = need<Context>(context);
    require(device_list != nullptr && num_devices != 0, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; ++i) require(owner.has(need<Device>(device_list[i])), CL_INVALID_DEVICE);
    throw Refusal(CL_INVALID_VALUE);
  });
}

cl_int retain_program(cl_program program) {
  return guarded([&] { need<Program>(program).retain(); });
}

cl_int release_program(cl_program program) {
  return guarded([&] { need<Program>(program).release(); });
}

cl_int build_program(cl_program program, cl_uint num_devices, const cl_device_id* device_list, const char* options,
                     void(CL_CALLBACK* notify)(cl_program, void*), void* user_data) {
  return guarded([&] {
    const Ref<Program> target(&need<Program>(program));
    const auto devices = devices_or(target->devices(), num_devices, device_list);
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    const cl_int status = target->build(devices, text_or_empty(options));
    finish_build(*target, status, notify, user_data, CL_BUILD_PROGRAM_FAILURE);
  });
}

cl_int compile_program(cl_program program, cl_uint num_devices, const cl_device_id* device_list, const char* options,
                       cl_uint num_headers, const cl_program* headers, const char** names,
                       void(CL_CALLBACK* notify)(cl_program, void*), void* user_data) {
  return guarded([&] {
    const Ref<Program> target(&need<Program>(program));
    const auto devices = devices_or(target->devices(), num_devices, device_list);
    require((num_headers == 0) == (headers == nullptr) && (num_headers == 0) == (names == nullptr), CL_INVALID_VALUE);
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    std::vector<std::pair<std::string, Program*>> texts;
    for (cl_uint i = 0; i < num_headers; ++i) {
      require(names[i] != nullptr, CL_INVALID_VALUE);
      texts.emplace_back(names[i], &need<Program>(headers[i]));
    }
    const cl_int status = target->compile(devices, text_or_empty(options), texts);
    finish_build(*target, status, notify, user_data, CL_COMPILE_PROGRAM_FAILURE);
  });
}

cl_program link_program(cl_context context, cl_uint num_devices, const cl_device_id* device_list, const char* options,
                        cl_uint num_parts, const cl_program* parts, void(CL_CALLBACK* notify)(cl_program, void*),
                        void* user_data, cl_int* errcode_ret) {
  cl_int linked = CL_SUCCESS;
  cl_int tried = CL_SUCCESS;
  const cl_program program = guarded_result(&tried, [&] {
    Context& owner = need<Context>(context);
    const auto devices = devices_or(owner.devices(), num_devices, device_list);
    for (const Device* device : devices) require(owner.has(*device), CL_INVALID_DEVICE);
    require(num_parts != 0 && parts != nullptr, CL_INVALID_VALUE);
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    std::vector<Program*> all;
    for (cl_uint i = 0; i < num_parts; ++i) all.push_back(&need<Program>(parts[i]));
    const cl_program made = Program::link(owner, devices, text_or_empty(options), all, linked)->handle();
    if (notify != nullptr) notify(made, user_data);
    return made;
  });
  if (errcode_ret != nullptr) *errcode_ret = tried == CL_SUCCESS ? linked : tried;
  return program;
}

cl_int get_program_info(cl_program program, cl_program_info what, std::size_t size, void* value,
                        std::size_t* size_ret) {
  return guarded([&] { need<Program>(program).info(what, Info(size, value, size_ret)); });
}

cl_int get_program_build_info(cl_program program, cl_device_id device, cl_program_build_info what, std::size_t size,
                              void* value, std::size_t* size_ret) {
  return guarded([&] {
    Program& target = need<Program>(program);
    target.build_info(need<Device>(device), what, Info(size, value, size_ret));
  });
}

}  // namespace troupe::opencl
