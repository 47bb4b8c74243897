#include "tests/opencl/analysis/host_program.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "platform/files/child_process.hpp"

namespace troupe::tests {
namespace {

/// Declarations with which generated kernels can be compiled for the host.
constexpr const char* kLanguage = R"(
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef float float2 __attribute__((ext_vector_type(2))); typedef float float3 __attribute__((ext_vector_type(3)));
typedef float float4 __attribute__((ext_vector_type(4))); typedef int int2 __attribute__((ext_vector_type(2)));
global size_t troupe_items[12];  // ids, ids of groups, ids in groups, sizes; three of each
size_t get_global_id(uint d) { return troupe_items[d]; }
size_t get_group_id(uint d) { return troupe_items[3 + d]; }
size_t get_local_id(uint d) { return troupe_items[6 + d]; }
size_t get_global_size(uint d) { return d == 0 ? 8 : d == 1 ? 4 : 1; }
size_t get_local_size(uint d) { return d == 0 ? 4 : d == 1 ? 2 : 1; }
float4 vload4(size_t i, global float* p) { p += 4 * i; return (float4)(p[0], p[1], p[2], p[3]); }
void vstore2(float2 v, size_t i, global float* p) { p += 2 * i; p[0] = v.x; p[1] = v.y; }
void vstore3(float3 v, size_t i, global float* p) { p += 3 * i; p[0] = v.x; p[1] = v.y; p[2] = v.z; }
void vstore4(float4 v, size_t i, global float* p) { p += 4 * i; p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w; }
)";

/// Returns the source of a function that calls the kernel, so that the host need not know how kernels take their
/// arguments.
std::string entry(int kernel) {
  return fmt::format(
      "void call_k{0}(global char** p, int n, uint m, Values* s) "
      "{{ k{0}((global void*)p[0], (global void*)p[1], (global void*)p[2], (global void*)p[3], n, m, *s); }}\n",
      kernel);
}

}  // namespace

HostProgram::HostProgram(const std::string& compiler, const std::string& source, int kernels) {
  std::string text = kLanguage + source;
  for (int i = 0; i < kernels; ++i) text += entry(i);
  const std::string path = folder_.path("kernels.so");
  const auto ran = platform::run_child(
      {compiler, "-x", "cl", "-cl-std=CL2.0", "-cl-no-stdinc", "-w", "-O0", "-shared", "-fPIC", "-o", path, "-"}, text,
      std::chrono::seconds(60));
  if (!ran.ok()) throw std::runtime_error(ran.failure().message);
  if (ran.value().exit_status != 0) throw std::runtime_error(ran.value().errors.substr(0, 2000));
  library_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(::dlerror());
}

HostProgram::~HostProgram() {
  if (library_ != nullptr) ::dlclose(library_);
}

void HostProgram::run(int kernel, HostBuffers& buffers, int n, unsigned m, const GeneratedValues& values,
                      const opencl::ItemBox& items) const {
  using Entry = void (*)(std::byte**, int, unsigned, const GeneratedValues*);
  const auto call = reinterpret_cast<Entry>(::dlsym(library_, fmt::format("call_k{}", kernel).c_str()));
  auto* const ids = static_cast<std::size_t*>(::dlsym(library_, "troupe_items"));
  std::array<std::byte*, kGeneratedPointers> places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = buffers[i].data();
  for (std::size_t y = items.first[1]; y < items.first[1] + items.count[1]; ++y) {
    for (std::size_t x = items.first[0]; x < items.first[0] + items.count[0]; ++x) {
      const std::array<std::size_t, 2> item{x, y};
      for (std::size_t d = 0; d < 2; ++d) {
        ids[d] = item[d];
        ids[3 + d] = item[d] / kGeneratedGroup[d];
        ids[6 + d] = item[d] % kGeneratedGroup[d];
      }
      call(places.data(), n, m, &values);
    }
  }
}

}  // namespace troupe::tests
