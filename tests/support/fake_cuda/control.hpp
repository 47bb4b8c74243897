/// The control of the fake CUDA runtime library: a test sets which machine the fake imitates, and which calls fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

/// Describes the machine that the fake imitates.
struct FakeCudaOptions {
  int devices = 2;
  /// The memory of each device, and the part of it that other processes use, in bytes.
  std::uint64_t memory = std::uint64_t{64} << 20;
  std::uint64_t taken = 0;
  /// The driver's version in CUDA's notation: 13000 is 13.0. 0 means that there is no driver.
  int driver_version = 99000;
  /// True if each device can access the other devices' memory.
  bool peer_access = true;
  /// The device that this process cannot use, because another process uses it or it is forbidden; -1 if there is none.
  int unavailable_device = -1;
  /// The number of the launch or copy that causes a fault, counted from 1 over all devices since `reset`; 0 for none.
  /// Later calls report the fault.
  std::uint64_t fault_in_launch = 0;
  std::uint64_t fault_in_copy = 0;
  /// The number of the allocation that fails, counted from 1 over all devices since `reset`; 0 for none.
  std::uint64_t failing_malloc = 0;
  bool host_register_fails = false;
  /// A call that pins memory returns this long after the memory has been pinned. A call that unpins memory waits this
  /// long before the memory is unpinned.
  std::uint64_t pinning_ns = 0;
  /// The least time of each copy and each kernel.
  std::uint64_t least_ns = 0;
  /// The time that a kernel takes when no other kernel runs on its device. Kernels that run at once divide the device's
  /// time equally. The device's events read the device's own clock. This clock stands still from a kernel's end until
  /// the kernel's thread has woken.
  std::uint64_t shared_ns = 0;
  /// The properties from which programs calculate how fast each device is: its compute capability (9.0),
  /// multiprocessors, highest clock rate, and the ratio of its rates in float and in double. The defaults mean 1.024
  /// TFlop/s in float, because 9.0 means 128 multiply-adds per clock and multiprocessor. In double the rate is equal,
  /// on tensor cores. The fake's kernels are slower than that.
  int capability_major = 9;
  int capability_minor = 0;
  int multiprocessors = 4;
  int clock_khz = 1'000'000;
  int single_to_double = 2;
};

/// The environment variable that sets `memory`, in bytes, for a program that a test starts. The other options have
/// their defaults there.
inline constexpr const char* kFakeCudaMemory = "TROUPE_FAKE_CUDA_MEMORY";

/// One launch, with the arguments of `cudaLaunchKernel`. The kernel's arguments are copied at the launch.
class FakeLaunch {
 public:
  virtual ~FakeLaunch() = default;
  /// Returns the address of argument `index`.
  [[nodiscard]] virtual const void* argument(std::size_t index) const = 0;
  /// Returns the device on which the kernel runs.
  [[nodiscard]] virtual int device() const = 0;
  /// A kernel must call this for all memory before it accesses the memory. Returns false if the memory belongs to
  /// another device or is not allocated. Then the launch causes a fault, like an illegal address, and the kernel must
  /// return.
  [[nodiscard]] virtual bool touches(const void* address, std::size_t bytes) const = 0;

  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  std::size_t shared_bytes = 0;
};

/// A kernel of the fake is a host function. The thread of the stream calls it.
struct FakeKernel {
  std::vector<std::size_t> argument_bytes;
  std::function<void(const FakeLaunch&)> run;
};

/// The objects of the fake that have been created and not yet destroyed.
struct FakeCudaLeaks {
  std::size_t allocations = 0;
  std::size_t pinned_ranges = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t libraries = 0;

  [[nodiscard]] bool none() const { return allocations + pinned_ranges + streams + events + libraries == 0; }
};

/// The numbers of operations since the last `reset`.
struct FakeCudaCounts {
  std::uint64_t launches = 0;
  std::uint64_t copies = 0;
  std::uint64_t copies_of_pageable_memory = 0;
  std::uint64_t peer_copies = 0;
  /// The number of events that measure times and that interrupt the host, although their caller only polls them.
  std::uint64_t timed_events_that_interrupt = 0;
};

/// All functions are thread-safe. But while `reset` runs, no thread may call a CUDA function.
class FakeCudaControl {
 public:
  virtual ~FakeCudaControl() = default;
  /// Makes a new machine without faults, with all counts 0. Registered kernels remain.
  virtual void reset(const FakeCudaOptions& options) = 0;
  virtual void register_kernel(const std::string& name, FakeKernel kernel) = 0;
  [[nodiscard]] virtual FakeCudaLeaks leaks() const = 0;
  [[nodiscard]] virtual FakeCudaCounts counts() const = 0;
  /// After `pause`, streams only collect their work. After `resume`, they execute this work.
  virtual void pause() = 0;
  virtual void resume() = 0;
  /// Makes the device faulty at once, as if a launch had accessed an illegal address.
  virtual void break_device(int device) = 0;
  [[nodiscard]] virtual bool is_pinned(const void* address) const = 0;
  /// Returns true if the process has begun to use the device since the last `reset`: if a thread has chosen the device,
  /// or has called a function that needs a device while this one was the thread's device. Beginning to use a device
  /// takes time and some of the device's memory.
  [[nodiscard]] virtual bool is_in_use(int device) const = 0;
};

/// The name of the library function that returns the control. Its type is `FakeCudaControl*()`.
inline constexpr const char* kFakeCudaControl = "fake_cuda_control";

/// Registers a kernel. `function` gets the arguments by value: `register_kernel<double*, int>(fake, "scale", [](const
/// FakeLaunch&, double* x, int n) { … })`.
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
