/// A test's control of the fake of CUDA's runtime library: which machine it pretends to be, and what goes wrong there.
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
  /// The memory of each device, and how much of it other processes have taken.
  std::uint64_t memory = std::uint64_t{64} << 20;
  std::uint64_t taken = 0;
  /// The driver's version as CUDA counts it: 13000 is 13.0. If it is 0, there is no driver.
  int driver_version = 99000;
  /// True if devices reach each other's memory.
  bool peer_access = true;
  /// The device that belongs to another process or is forbidden; -1 if there is none.
  int unavailable_device = -1;
  /// The number of the launch or copy that has a fault, counted from 1 over all devices since `reset`; 0 if none has. A
  /// later call reports the fault.
  std::uint64_t fault_in_launch = 0;
  std::uint64_t fault_in_copy = 0;
  /// The number of the allocation that fails, counted from 1 over all devices since `reset`; 0 if none fails.
  std::uint64_t failing_malloc = 0;
  bool host_register_fails = false;
  /// A call that pins memory waits this long after it has pinned the memory. A call that unpins memory waits this long
  /// before it unpins.
  std::uint64_t pinning_ns = 0;
  /// The least time of every copy and every kernel.
  std::uint64_t least_ns = 0;
  /// The time that every kernel takes if it has its device alone. Kernels on one device share it equally, by the clock
  /// that the device's events show. That clock stands still from a kernel's end until its thread wakes.
  std::uint64_t shared_ns = 0;
  /// The properties that tell how fast each device is: its compute capability (9.0), multiprocessors, highest clock
  /// rate, and the ratio of its rates in float and in double. The defaults stand for 1.024 TFlop/s in float, because
  /// 9.0 means 128 multiply-adds per clock and multiprocessor. The rate in double is the same, on tensor cores. The
  /// fake's kernels are not that fast.
  int capability_major = 9;
  int capability_minor = 0;
  int multiprocessors = 4;
  int clock_khz = 1'000'000;
  int single_to_double = 2;
};

/// The environment variable that sets `memory`, in bytes, in a program that a test starts and cannot control. All else
/// is the default there.
inline constexpr const char* kFakeCudaMemory = "TROUPE_FAKE_CUDA_MEMORY";

/// A launch: the arguments of `cudaLaunchKernel`. Kernel arguments are copies made at the launch.
class FakeLaunch {
 public:
  virtual ~FakeLaunch() = default;
  /// Returns the address of argument `index`.
  [[nodiscard]] virtual const void* argument(std::size_t index) const = 0;
  /// Returns the device on which the kernel runs.
  [[nodiscard]] virtual int device() const = 0;
  /// A kernel calls this for all memory that it is about to touch. If it returns false, the memory belongs to another
  /// device or is not allocated. Then the launch is a fault like an illegal address, and the kernel has to return.
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

/// The objects that are alive in the fake.
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
  /// The number of events with times that interrupt the host, although they were made for a caller that polls.
  std::uint64_t timed_events_that_interrupt = 0;
};

/// All functions are thread-safe, except that no call of CUDA may run during `reset`.
class FakeCudaControl {
 public:
  virtual ~FakeCudaControl() = default;
  /// Makes a new machine without errors or counts. Kernels stay registered.
  virtual void reset(const FakeCudaOptions& options) = 0;
  virtual void register_kernel(const std::string& name, FakeKernel kernel) = 0;
  [[nodiscard]] virtual FakeCudaLeaks leaks() const = 0;
  [[nodiscard]] virtual FakeCudaCounts counts() const = 0;
  /// After `pause`, streams only collect the work that they are given; `resume` lets them go on.
  virtual void pause() = 0;
  virtual void resume() = 0;
  /// Gives the device a fault at once, as after a launch that touched an illegal address.
  virtual void break_device(int device) = 0;
  [[nodiscard]] virtual bool is_pinned(const void* address) const = 0;
  /// Returns true if the process has begun to use the device since the last `reset`. It has if a thread has chosen the
  /// device, or has called a function that needs a device while this was the thread's device. Using a device takes time
  /// and some of its memory.
  [[nodiscard]] virtual bool is_in_use(int device) const = 0;
};

/// The name of the function that a test looks up in the library; its type is `FakeCudaControl*()`.
inline constexpr const char* kFakeCudaControl = "fake_cuda_control";

/// Registers a function that takes its arguments by value as a kernel: `register_kernel<double*, int>(fake, "scale",
/// [](const FakeLaunch&, double* x, int n) { … })`.
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
