// Calls every function of the dispatch table with null arguments, and with an object of a wrong type in each place.
// Each call must return an error and must not crash.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <set>
#include <tuple>
#include <type_traits>

#include "opencl/objects/event.hpp"
#include "opencl/objects/queue.hpp"
#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(dispatch_table)

namespace {

/// A function of the table, with its name for messages.
template <class Function>
struct Entry {
  const char* name;
  Function cl_icd_dispatch::*place;
};

#define TROUPE_ENTRY(name) \
  Entry<decltype(cl_icd_dispatch::name)> { #name, &cl_icd_dispatch::name }
const auto kEntries = std::make_tuple(
    TROUPE_ENTRY(clGetPlatformIDs), TROUPE_ENTRY(clGetPlatformInfo), TROUPE_ENTRY(clGetDeviceIDs),
    TROUPE_ENTRY(clGetDeviceInfo), TROUPE_ENTRY(clCreateContext), TROUPE_ENTRY(clCreateContextFromType),
    TROUPE_ENTRY(clRetainContext), TROUPE_ENTRY(clReleaseContext), TROUPE_ENTRY(clGetContextInfo),
    TROUPE_ENTRY(clCreateCommandQueue), TROUPE_ENTRY(clRetainCommandQueue), TROUPE_ENTRY(clReleaseCommandQueue),
    TROUPE_ENTRY(clGetCommandQueueInfo), TROUPE_ENTRY(clSetCommandQueueProperty), TROUPE_ENTRY(clCreateBuffer),
    TROUPE_ENTRY(clCreateImage2D), TROUPE_ENTRY(clCreateImage3D), TROUPE_ENTRY(clRetainMemObject),
    TROUPE_ENTRY(clReleaseMemObject), TROUPE_ENTRY(clGetSupportedImageFormats), TROUPE_ENTRY(clGetMemObjectInfo),
    TROUPE_ENTRY(clGetImageInfo), TROUPE_ENTRY(clCreateSampler), TROUPE_ENTRY(clRetainSampler),
    TROUPE_ENTRY(clReleaseSampler), TROUPE_ENTRY(clGetSamplerInfo), TROUPE_ENTRY(clCreateProgramWithSource),
    TROUPE_ENTRY(clCreateProgramWithBinary), TROUPE_ENTRY(clRetainProgram), TROUPE_ENTRY(clReleaseProgram),
    TROUPE_ENTRY(clBuildProgram), TROUPE_ENTRY(clUnloadCompiler), TROUPE_ENTRY(clGetProgramInfo),
    TROUPE_ENTRY(clGetProgramBuildInfo), TROUPE_ENTRY(clCreateKernel), TROUPE_ENTRY(clCreateKernelsInProgram),
    TROUPE_ENTRY(clRetainKernel), TROUPE_ENTRY(clReleaseKernel), TROUPE_ENTRY(clSetKernelArg),
    TROUPE_ENTRY(clGetKernelInfo), TROUPE_ENTRY(clGetKernelWorkGroupInfo), TROUPE_ENTRY(clWaitForEvents),
    TROUPE_ENTRY(clGetEventInfo), TROUPE_ENTRY(clRetainEvent), TROUPE_ENTRY(clReleaseEvent),
    TROUPE_ENTRY(clGetEventProfilingInfo), TROUPE_ENTRY(clFlush), TROUPE_ENTRY(clFinish),
    TROUPE_ENTRY(clEnqueueReadBuffer), TROUPE_ENTRY(clEnqueueWriteBuffer), TROUPE_ENTRY(clEnqueueCopyBuffer),
    TROUPE_ENTRY(clEnqueueReadImage), TROUPE_ENTRY(clEnqueueWriteImage), TROUPE_ENTRY(clEnqueueCopyImage),
    TROUPE_ENTRY(clEnqueueCopyImageToBuffer), TROUPE_ENTRY(clEnqueueCopyBufferToImage),
    TROUPE_ENTRY(clEnqueueMapBuffer), TROUPE_ENTRY(clEnqueueMapImage), TROUPE_ENTRY(clEnqueueUnmapMemObject),
    TROUPE_ENTRY(clEnqueueNDRangeKernel), TROUPE_ENTRY(clEnqueueTask), TROUPE_ENTRY(clEnqueueNativeKernel),
    TROUPE_ENTRY(clEnqueueMarker), TROUPE_ENTRY(clEnqueueWaitForEvents), TROUPE_ENTRY(clEnqueueBarrier),
    TROUPE_ENTRY(clGetExtensionFunctionAddress), TROUPE_ENTRY(clCreateFromGLBuffer),
    TROUPE_ENTRY(clCreateFromGLTexture2D), TROUPE_ENTRY(clCreateFromGLTexture3D),
    TROUPE_ENTRY(clCreateFromGLRenderbuffer), TROUPE_ENTRY(clGetGLObjectInfo), TROUPE_ENTRY(clGetGLTextureInfo),
    TROUPE_ENTRY(clEnqueueAcquireGLObjects), TROUPE_ENTRY(clEnqueueReleaseGLObjects),
    TROUPE_ENTRY(clGetGLContextInfoKHR), TROUPE_ENTRY(clSetEventCallback), TROUPE_ENTRY(clCreateSubBuffer),
    TROUPE_ENTRY(clSetMemObjectDestructorCallback), TROUPE_ENTRY(clCreateUserEvent), TROUPE_ENTRY(clSetUserEventStatus),
    TROUPE_ENTRY(clEnqueueReadBufferRect), TROUPE_ENTRY(clEnqueueWriteBufferRect),
    TROUPE_ENTRY(clEnqueueCopyBufferRect), TROUPE_ENTRY(clCreateSubDevicesEXT), TROUPE_ENTRY(clRetainDeviceEXT),
    TROUPE_ENTRY(clReleaseDeviceEXT), TROUPE_ENTRY(clCreateEventFromGLsyncKHR), TROUPE_ENTRY(clCreateSubDevices),
    TROUPE_ENTRY(clRetainDevice), TROUPE_ENTRY(clReleaseDevice), TROUPE_ENTRY(clCreateImage),
    TROUPE_ENTRY(clCreateProgramWithBuiltInKernels), TROUPE_ENTRY(clCompileProgram), TROUPE_ENTRY(clLinkProgram),
    TROUPE_ENTRY(clUnloadPlatformCompiler), TROUPE_ENTRY(clGetKernelArgInfo), TROUPE_ENTRY(clEnqueueFillBuffer),
    TROUPE_ENTRY(clEnqueueFillImage), TROUPE_ENTRY(clEnqueueMigrateMemObjects),
    TROUPE_ENTRY(clEnqueueMarkerWithWaitList), TROUPE_ENTRY(clEnqueueBarrierWithWaitList),
    TROUPE_ENTRY(clGetExtensionFunctionAddressForPlatform), TROUPE_ENTRY(clCreateFromGLTexture),
    TROUPE_ENTRY(clCreateFromEGLImageKHR), TROUPE_ENTRY(clEnqueueAcquireEGLObjectsKHR),
    TROUPE_ENTRY(clEnqueueReleaseEGLObjectsKHR), TROUPE_ENTRY(clCreateEventFromEGLSyncKHR),
    TROUPE_ENTRY(clCreateCommandQueueWithProperties), TROUPE_ENTRY(clCreatePipe), TROUPE_ENTRY(clGetPipeInfo),
    TROUPE_ENTRY(clSVMAlloc), TROUPE_ENTRY(clSVMFree), TROUPE_ENTRY(clEnqueueSVMFree), TROUPE_ENTRY(clEnqueueSVMMemcpy),
    TROUPE_ENTRY(clEnqueueSVMMemFill), TROUPE_ENTRY(clEnqueueSVMMap), TROUPE_ENTRY(clEnqueueSVMUnmap),
    TROUPE_ENTRY(clCreateSamplerWithProperties), TROUPE_ENTRY(clSetKernelArgSVMPointer),
    TROUPE_ENTRY(clSetKernelExecInfo), TROUPE_ENTRY(clGetKernelSubGroupInfoKHR), TROUPE_ENTRY(clCloneKernel),
    TROUPE_ENTRY(clCreateProgramWithIL), TROUPE_ENTRY(clEnqueueSVMMigrateMem), TROUPE_ENTRY(clGetDeviceAndHostTimer),
    TROUPE_ENTRY(clGetHostTimer), TROUPE_ENTRY(clGetKernelSubGroupInfo), TROUPE_ENTRY(clSetDefaultDeviceCommandQueue),
    TROUPE_ENTRY(clSetProgramReleaseCallback), TROUPE_ENTRY(clSetProgramSpecializationConstant),
    TROUPE_ENTRY(clCreateBufferWithProperties), TROUPE_ENTRY(clCreateImageWithProperties),
    TROUPE_ENTRY(clSetContextDestructorCallback));
#undef TROUPE_ENTRY

/// A function without a type in the table, because it shares its entry with a function that exists only on Windows.
template <class Function>
struct UntypedEntry {
  const char* name;
  void* cl_icd_dispatch::*place;
};
using FindDevices = cl_int (*)(cl_platform_id, cl_uint, void*, cl_uint, cl_uint, cl_device_id*, cl_uint*);
using Acquire = cl_int (*)(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*);
using CreateBuffer = cl_mem (*)(cl_context, cl_mem_flags, void*, cl_int*);
using CreateTexture = cl_mem (*)(cl_context, cl_mem_flags, void*, cl_uint, cl_int*);
using CreateSurface = cl_mem (*)(cl_context, cl_mem_flags, cl_uint, void*, cl_uint, cl_int*);

#define TROUPE_ENTRY(type, name) \
  UntypedEntry<type> { #name, &cl_icd_dispatch::name }
const auto kUntypedEntries = std::make_tuple(
    TROUPE_ENTRY(FindDevices, clGetDeviceIDsFromD3D10KHR), TROUPE_ENTRY(CreateBuffer, clCreateFromD3D10BufferKHR),
    TROUPE_ENTRY(CreateTexture, clCreateFromD3D10Texture2DKHR),
    TROUPE_ENTRY(CreateTexture, clCreateFromD3D10Texture3DKHR), TROUPE_ENTRY(Acquire, clEnqueueAcquireD3D10ObjectsKHR),
    TROUPE_ENTRY(Acquire, clEnqueueReleaseD3D10ObjectsKHR), TROUPE_ENTRY(FindDevices, clGetDeviceIDsFromD3D11KHR),
    TROUPE_ENTRY(CreateBuffer, clCreateFromD3D11BufferKHR), TROUPE_ENTRY(CreateTexture, clCreateFromD3D11Texture2DKHR),
    TROUPE_ENTRY(CreateTexture, clCreateFromD3D11Texture3DKHR),
    TROUPE_ENTRY(CreateSurface, clCreateFromDX9MediaSurfaceKHR), TROUPE_ENTRY(Acquire, clEnqueueAcquireD3D11ObjectsKHR),
    TROUPE_ENTRY(Acquire, clEnqueueReleaseD3D11ObjectsKHR),
    TROUPE_ENTRY(FindDevices, clGetDeviceIDsFromDX9MediaAdapterKHR),
    TROUPE_ENTRY(Acquire, clEnqueueAcquireDX9MediaSurfacesKHR),
    TROUPE_ENTRY(Acquire, clEnqueueReleaseDX9MediaSurfacesKHR));
#undef TROUPE_ENTRY

template <class Function>
Function function_of(const Entry<Function>& entry) {
  return table().*entry.place;
}
template <class Function>
Function function_of(const UntypedEntry<Function>& entry) {
  return reinterpret_cast<Function>(table().*entry.place);
}

/// One object of each type.
struct Objects : OpenClFixture {
  Objects() {
    if (devices.empty()) return;
    cl_int status = CL_SUCCESS;
    queue = OwnedQueue(table().clCreateCommandQueue(context, devices.front(), 0, &status));
    memory = make_buffer(64);
    program = make_program(context, "kernel void nothing(global int* x) { x[0] = 1; }");
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
    kernel = make_kernel(program, "nothing");
    event = new opencl::Event(*opencl::find<opencl::Context>(context));
  }
  ~Objects() {
    if (event != nullptr) event->release();
  }

  [[nodiscard]] std::vector<void*> all() const {
    return {opencl::Platform::get().handle(),
            devices.front(),
            context.get(),
            queue.get(),
            memory.get(),
            program.get(),
            kernel.get(),
            event->handle()};
  }
  template <class T>
  [[nodiscard]] void* right() const {
    if constexpr (std::is_same_v<T, cl_platform_id>) return opencl::Platform::get().handle();
    if constexpr (std::is_same_v<T, cl_device_id>) return devices.front();
    if constexpr (std::is_same_v<T, cl_context>) return context.get();
    if constexpr (std::is_same_v<T, cl_command_queue>) return queue.get();
    if constexpr (std::is_same_v<T, cl_mem>) return memory.get();
    if constexpr (std::is_same_v<T, cl_program>) return program.get();
    if constexpr (std::is_same_v<T, cl_kernel>) return kernel.get();
    if constexpr (std::is_same_v<T, cl_event>) return event->handle();
    return nullptr;
  }

  OwnedQueue queue;
  OwnedMemory memory;
  OwnedProgram program;
  OwnedKernel kernel;
  opencl::Event* event = nullptr;
};

template <class T>
constexpr bool kIsHandle =
    std::is_same_v<T, cl_platform_id> || std::is_same_v<T, cl_device_id> || std::is_same_v<T, cl_context> ||
    std::is_same_v<T, cl_command_queue> || std::is_same_v<T, cl_mem> || std::is_same_v<T, cl_program> ||
    std::is_same_v<T, cl_kernel> || std::is_same_v<T, cl_event> || std::is_same_v<T, cl_sampler>;

/// Returns true if the call failed: its result is an error code, or its result is null and the last argument has the
/// code.
template <class Result, class... Arguments>
bool refuses(Result (*function)(Arguments...), cl_int& errcode, std::tuple<Arguments...> arguments) {
  errcode = CL_SUCCESS;
  if constexpr (std::is_void_v<Result>) {
    std::apply(function, arguments);
    return true;
  } else if constexpr (std::is_same_v<Result, cl_int>) {
    errcode = std::apply(function, arguments);
    return errcode < 0;
  } else {
    using Last = std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
    if constexpr (std::is_same_v<Last, cl_int*>) {
      std::get<sizeof...(Arguments) - 1>(arguments) = &errcode;
      return std::apply(function, arguments) == nullptr && errcode < 0;
    } else {
      return std::apply(function, arguments) == nullptr;
    }
  }
}

/// Returns true for a function that has no handle among its arguments.
bool takes_no_handle(const std::string& name) { return name == "clUnloadCompiler"; }

template <class Result, class... Arguments>
void call_with_nothing(const char* name, Result (*function)(Arguments...)) {
  BOOST_TEST_CONTEXT(name) {
    BOOST_TEST_REQUIRE((function != nullptr));
    if (takes_no_handle(name)) return;
    cl_int errcode = CL_SUCCESS;
    BOOST_TEST(refuses(function, errcode, std::tuple<Arguments...>{}), "code " << errcode);
  }
}

/// Calls the function once for each handle argument, with a wrong handle in this place. All other handles are valid,
/// and all other arguments are zero.
template <class Result, class... Arguments, std::size_t... places>
int call_with_wrong(const char* name, Result (*function)(Arguments...), const Objects& objects,
                    std::index_sequence<places...>) {
  int calls = 0;
  [[maybe_unused]] const auto with_wrong = [&]<std::size_t wrong>(std::integral_constant<std::size_t, wrong>) {
    using Wrong = std::tuple_element_t<wrong, std::tuple<Arguments...>>;
    if constexpr (kIsHandle<Wrong>) {
      for (void* object : objects.all()) {
        if (object == objects.right<Wrong>()) continue;
        std::tuple<Arguments...> arguments;
        const auto fill = [&]<std::size_t place>(std::integral_constant<std::size_t, place>) {
          using Argument = std::tuple_element_t<place, std::tuple<Arguments...>>;
          if constexpr (kIsHandle<Argument>) {
            std::get<place>(arguments) = static_cast<Argument>(place == wrong ? object : objects.right<Argument>());
          }
        };
        (fill(std::integral_constant<std::size_t, places>{}), ...);
        cl_int errcode = CL_SUCCESS;
        BOOST_TEST(refuses(function, errcode, arguments), name << ", argument " << wrong << ", code " << errcode);
        ++calls;
      }
    }
  };
  (with_wrong(std::integral_constant<std::size_t, places>{}), ...);
  return calls;
}

template <class Result, class... Arguments>
int call_with_wrong(const char* name, Result (*function)(Arguments...), const Objects& objects) {
  return call_with_wrong(name, function, objects, std::index_sequence_for<Arguments...>{});
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_place_is_empty_and_each_is_looked_at) {
  std::array<void*, sizeof(cl_icd_dispatch) / sizeof(void*)> places{};
  std::memcpy(places.data(), &table(), sizeof(cl_icd_dispatch));
  for (std::size_t i = 0; i < places.size(); ++i) BOOST_TEST((places[i] != nullptr), "place " << i);
  BOOST_TEST(places.size() == std::tuple_size_v<decltype(kEntries)> + std::tuple_size_v<decltype(kUntypedEntries)>);
}

BOOST_AUTO_TEST_CASE(every_function_refuses_nothing_at_all) {
  const auto call_each = [](const auto&... entry) { (call_with_nothing(entry.name, function_of(entry)), ...); };
  std::apply(call_each, kEntries);
  std::apply(call_each, kUntypedEntries);
}

BOOST_AUTO_TEST_CASE(every_function_refuses_objects_of_other_types) {
  const Objects objects;
  if (!objects.has_devices()) return;
  int calls = 0;
  const auto call_each = [&](const auto&... entry) {
    ((calls += call_with_wrong(entry.name, function_of(entry), objects)), ...);
  };
  std::apply(call_each, kEntries);
  std::apply(call_each, kUntypedEntries);
  BOOST_TEST(calls > 800);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_an_address_is_no_object) {
  for (const std::uintptr_t address : {std::uintptr_t{1}, std::uintptr_t{8}, std::uintptr_t{4095}}) {
    BOOST_TEST(table().clRetainContext(reinterpret_cast<cl_context>(address)) == CL_INVALID_CONTEXT);
    BOOST_TEST(table().clFinish(reinterpret_cast<cl_command_queue>(address)) == CL_INVALID_COMMAND_QUEUE);
  }
}

BOOST_AUTO_TEST_CASE(what_only_looks_like_an_object_is_none) {
  const auto ours = reinterpret_cast<std::uint64_t>(&table());
  const auto mark = static_cast<std::uint64_t>(opencl::ObjectType::kernel);
  using Words = std::array<std::uint64_t, 32>;
  for (Words words : {Words{0, mark}, Words{1, mark}, Words{ours, 0}, Words{ours, mark + 1}}) {
    BOOST_TEST(table().clRetainKernel(reinterpret_cast<cl_kernel>(words.data())) == CL_INVALID_KERNEL);
  }
  Words words{ours, mark};
  const auto between = reinterpret_cast<std::uintptr_t>(words.data()) + 1;
  BOOST_TEST(table().clRetainKernel(reinterpret_cast<cl_kernel>(between)) == CL_INVALID_KERNEL);
}

BOOST_AUTO_TEST_CASE(what_is_absent_says_so_with_the_standards_codes) {
  const Objects objects;
  if (!objects.has_devices()) return;
  cl_int status = CL_SUCCESS;
  BOOST_TEST((table().clCreateImage(objects.context, 0, nullptr, nullptr, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_OPERATION);
  BOOST_TEST((table().clCreateSampler(objects.context, CL_TRUE, 0, 0, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_OPERATION);
  BOOST_TEST(table().clGetImageInfo(objects.memory, CL_IMAGE_FORMAT, 0, nullptr, nullptr) == CL_INVALID_MEM_OBJECT);
  BOOST_TEST(table().clRetainSampler(reinterpret_cast<cl_sampler>(objects.memory.get())) == CL_INVALID_SAMPLER);
  const std::array<cl_device_partition_property, 3> halves{CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  BOOST_TEST(table().clCreateSubDevices(objects.devices.front(), halves.data(), 0, nullptr, nullptr) ==
             CL_INVALID_VALUE);
  BOOST_TEST((table().clSVMAlloc(objects.context, 0, 64, 0) == nullptr));
  cl_uint formats = 7;
  BOOST_TEST(table().clGetSupportedImageFormats(objects.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &formats) ==
             CL_SUCCESS);
  BOOST_TEST(formats == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
