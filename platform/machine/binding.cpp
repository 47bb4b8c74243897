#include "platform/machine/binding.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace troupe::platform {
namespace {

/// OpenMP's function `omp_set_num_threads`; null if OpenMP is not part of the program. The function is looked up when
/// the program starts, because every look-up that fails leaves some memory allocated for the calling thread. A program
/// that loads OpenMP later, in a plug-in, must limit the number of its threads itself (see `openmp_team`).
void (*const kSetOpenmpThreads)(int) = reinterpret_cast<void (*)(int)>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));

/// A mask for `kMaxPu + 1` processing units (PUs). One `cpu_set_t` holds only 1024 PUs, and the kernel refuses to write
/// into a mask that is shorter than its own.
class Mask {
 public:
  Mask() : words_(CPU_ALLOC_SIZE(kMaxPu + 1) / sizeof(cpu_set_t), cpu_set_t{}) {}

  [[nodiscard]] std::size_t size() const { return words_.size() * sizeof(cpu_set_t); }
  [[nodiscard]] cpu_set_t* get() { return words_.data(); }
  void add(int pu) { CPU_SET_S(static_cast<std::size_t>(pu), size(), get()); }
  [[nodiscard]] bool has(int pu) { return CPU_ISSET_S(static_cast<std::size_t>(pu), size(), get()); }

 private:
  std::vector<cpu_set_t> words_;
};

Result<void> bind_to(const CpuSet& pus) {
  Mask mask;
  for (const int pu : pus) mask.add(pu);
  const int error = pthread_setaffinity_np(pthread_self(), mask.size(), mask.get());
  if (error == 0) return {};
  const std::string reason =
      error == EINVAL ? "it does not exist or this process may not use it" : std::strerror(error);
  return Failure{ErrorCode::platform, "cannot bind a thread to PU " + to_string(pus) + ": " + reason};
}

}  // namespace

Result<void> bind_this_thread(int pu) {
  if (pu < 0 || pu > kMaxPu) {
    return Failure{ErrorCode::platform, "cannot bind a thread to PU " + std::to_string(pu) + ": no such index"};
  }
  return bind_to({pu});
}

Result<void> bind_this_thread(const CpuSet& pus) {
  const bool exist = std::all_of(pus.begin(), pus.end(), [](int pu) { return pu >= 0 && pu <= kMaxPu; });
  if (pus.empty() || !exist) {
    return Failure{ErrorCode::platform, "cannot bind a thread to PUs " + to_string(pus) + ": no such indices"};
  }
  return bind_to(pus);
}

Result<CpuSet> this_thread_binding() {
  Mask mask;
  const int error = pthread_getaffinity_np(pthread_self(), mask.size(), mask.get());
  if (error != 0) {
    return Failure{ErrorCode::platform, std::string("cannot read a thread's affinity mask: ") + std::strerror(error)};
  }
  CpuSet pus;
  for (int pu = 0; pu <= kMaxPu; ++pu) {
    if (mask.has(pu)) pus.push_back(pu);
  }
  return pus;
}

int this_pu() noexcept { return sched_getcpu(); }

void name_this_thread(std::string_view name) noexcept {
  constexpr std::size_t kMaxName = 15;
  char text[kMaxName + 1] = {};
  std::copy_n(name.begin(), std::min(name.size(), kMaxName), text);
  pthread_setname_np(pthread_self(), text);
}

void use_one_openmp_thread() noexcept {
  if (kSetOpenmpThreads != nullptr) kSetOpenmpThreads(1);
}

template <class Pus>
Result<BindingGuard> BindingGuard::bind_to_any(const Pus& pus) {
  auto previous = this_thread_binding();
  if (!previous) return previous.failure();
  if (auto bound = bind_this_thread(pus); !bound) return bound.failure();
  return BindingGuard(std::move(previous).value());
}

Result<BindingGuard> BindingGuard::bind(int pu) { return bind_to_any(pu); }

Result<BindingGuard> BindingGuard::bind(const CpuSet& pus) { return bind_to_any(pus); }

BindingGuard::BindingGuard(CpuSet previous) : previous_(std::move(previous)), thread_(std::this_thread::get_id()) {}

BindingGuard::BindingGuard(BindingGuard&& other) noexcept
    : previous_(std::exchange(other.previous_, {})), thread_(other.thread_) {}

BindingGuard::~BindingGuard() {
  if (previous_.empty()) return;
  assert(thread_ == std::this_thread::get_id() && "a BindingGuard must end in the thread that it bound");
  // Ignores errors. The old binding was valid when it was read. If the cpuset has become smaller since then, the thread
  // keeps its present binding.
  (void)bind_to(previous_);
}

}  // namespace troupe::platform
