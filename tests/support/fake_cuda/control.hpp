/// How a test rules the fake of CUDA's runtime library: what machine it pretends to be, and what goes wrong there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

/// The machine that the fake pretends to be.
struct FakeCudaOptions {
  int devices = 2;
  /// Of each device, and how much of it others have taken.
  std::uint64_t memory = std::uint64_t{64} << 20;
  std::uint64_t taken = 0;
  /// As CUDA counts versions, 13000 for 13.0; 0: no driver.
  int driver_version = 99000;
  /// Devices reach each other's memory.
  bool peer_access = true;
  /// This device belongs to another process, or is forbidden; -1: none.
  int unavailable_device = -1;
  /// Counted from 1 over all devices from `reset` on, 0: never. The fault comes to light in a later call.
  std::uint64_t fault_in_launch = 0;
  std::uint64_t fault_in_copy = 0;
  /// This allocation fails, counted in the same way.
  std::uint64_t failing_malloc = 0;
  bool host_register_fails = false;
  /// Pinning returns so much later than memory is pinned, and unpinning takes so long before it no longer is.
  std::uint64_t pinning_ns = 0;
  /// Every copy and every kernel takes at least so long.
  std::uint64_t least_ns = 0;
  /// What every kernel takes of its device alone. Kernels on one device share it equally, by the clock that the
  /// device's events show: that does not count how late the machine's threads wake at a kernel's end.
  std::uint64_t shared_ns = 0;
};

/// What `cudaLaunchKernel` was told. Arguments are copies that were made at the launch.
class FakeLaunch {
 public:
  virtual ~FakeLaunch() = default;
  /// Where argument `index` lies.
  [[nodiscard]] virtual const void* argument(std::size_t index) const = 0;
  /// The device on which the kernel runs.
  [[nodiscard]] virtual int device() const = 0;
  /// A kernel calls this for what it is about to touch. False: the memory is not this device's to touch (or not
  /// allocated), and the launch is a fault like an illegal address; the kernel has to return.
  [[nodiscard]] virtual bool touches(const void* address, std::size_t bytes) const = 0;

  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  std::size_t shared_bytes = 0;
};

/// A kernel of the fake: a host function that the stream's thread calls.
struct FakeKernel {
  std::vector<std::size_t> argument_bytes;
  std::function<void(const FakeLaunch&)> run;
};

/// What is alive in the fake.
struct FakeCudaLeaks {
  std::size_t allocations = 0;
  std::size_t pinned_ranges = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t libraries = 0;

  [[nodiscard]] bool none() const { return allocations + pinned_ranges + streams + events + libraries == 0; }
};

/// Counted since the last `reset`.
struct FakeCudaCounts {
  std::uint64_t launches = 0;
  std::uint64_t copies = 0;
  std::uint64_t copies_of_pageable_memory = 0;
  std::uint64_t peer_copies = 0;
  /// Events made with times for whoever asks again and again, which interrupt the host nonetheless.
  std::uint64_t timed_events_that_interrupt = 0;
};

/// Thread-safe but for `reset`, which no call of CUDA may run beside.
class FakeCudaControl {
 public:
  virtual ~FakeCudaControl() = default;
  /// A new machine: no errors, no counts. Kernels stay registered.
  virtual void reset(const FakeCudaOptions& options) = 0;
  virtual void register_kernel(const std::string& name, FakeKernel kernel) = 0;
  [[nodiscard]] virtual FakeCudaLeaks leaks() const = 0;
  [[nodiscard]] virtual FakeCudaCounts counts() const = 0;
  /// From now on streams only collect what they are given; `resume` lets them go on.
  virtual void pause() = 0;
  virtual void resume() = 0;
  /// The device has a fault at once, as after a launch that touched an illegal address.
  virtual void break_device(int device) = 0;
  [[nodiscard]] virtual bool is_pinned(const void* address) const = 0;
  /// Since the last `reset` the process has begun to use the device, which takes time and some of its memory: a thread
  /// has chosen it, or has called what needs a device while this was its own.
  [[nodiscard]] virtual bool is_in_use(int device) const = 0;
};

/// The name of the function that a test looks up in the library; its type is `FakeCudaControl*()`.
inline constexpr const char* kFakeCudaControl = "fake_cuda_control";

/// Registers a function of values as a kernel: `register_kernel<double*, int>(fake, "scale", [](const FakeLaunch&,
/// double* x, int n) { … })`.
template <class... A, class F>
void register_kernel(FakeCudaControl& fake, const std::string& name, F function) {
  fake.register_kernel(name, {{sizeof(A)...}, [function](const FakeLaunch& launch) {
                                [&]<std::size_t... I>(std::index_sequence<I...>) {
                                  function(launch, *static_cast<const A*>(launch.argument(I))...);
                                }
                                (std::index_sequence_for<A...>{});
                              }});
}

}  // namespace troupe::tests
