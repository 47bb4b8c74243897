/// The state of the fake CUDA runtime library.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests::fake_cuda {

using Clock = std::chrono::steady_clock;

/// One recording of an event in a stream. It is done when the stream has reached this point.
struct Mark {
  std::mutex mutex;
  std::condition_variable reached;
  bool done = false;
  Clock::time_point when;

  void reach(Clock::time_point at);
  void wait();
  bool is_done();
};

/// A stream: a thread that does its work in the order in which the work was added.
class Stream {
 public:
  explicit Stream(int device);
  /// Does the remaining work before it ends the thread.
  ~Stream();

  void add(std::function<void()> work);
  /// Waits until all added work has been done.
  void drain();
  [[nodiscard]] bool idle();
  void hold(bool held);

  const int device;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool busy_ = false;
  bool held_ = false;
  bool ends_ = false;
  std::thread thread_;
};

struct Event {
  int device = 0;
  bool timing = true;
  std::shared_ptr<Mark> mark;
};

struct Library {};

/// The processor of one device. It divides its time equally among its kernels and has a clock of its own.
class Processor {
 public:
  /// Waits until the calling thread's kernel has received `work` of the processor's time.
  void run(Clock::duration work);
  /// Returns the device's time. The clock stands still from a kernel's end until the kernel's thread has woken.
  Clock::time_point now();

 private:
  void look_at_clock();

  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point looked_at_ = Clock::now();
  Clock::time_point now_ = looked_at_;
  /// The processor time that a kernel would have received if it had run since the beginning.
  Clock::duration served_{};
  /// The values of `served_` at which the running kernels end.
  std::multiset<Clock::duration> ends_;
};

struct Device {
  std::uint64_t used = 0;
  Processor processor;
  std::atomic<cudaError_t> fault{cudaSuccess};
  std::set<int> peers;
  bool in_use = false;
};

/// A block of memory. The map's key is its first address.
struct Block {
  std::size_t size = 0;
  int device = 0;
};

enum class Side { host, pinned, device };

struct Place {
  Side side = Side::host;
  int device = -1;
  /// False if the range begins in a block and ends outside of it. CUDA refuses copies of a range that begins in pinned
  /// memory and ends elsewhere.
  bool inside = true;
};

/// The state of the fake. `mutex` must be locked for everything except the work in the streams' threads.
class Machine final : public FakeCudaControl {
 public:
  static Machine& get();

  void reset(const FakeCudaOptions& options) override;
  void register_kernel(const std::string& name, FakeKernel kernel) override;
  [[nodiscard]] FakeCudaLeaks leaks() const override;
  [[nodiscard]] FakeCudaCounts counts() const override;
  void pause() override;
  void resume() override;
  void break_device(int device) override { devices[static_cast<std::size_t>(device)].fault = cudaErrorIllegalAddress; }
  [[nodiscard]] bool is_pinned(const void* address) const override;
  [[nodiscard]] bool is_in_use(int device) const override;

  /// Lists the devices that CUDA_VISIBLE_DEVICES lets the process see. Returns an error if there is no driver or no
  /// device.
  cudaError_t visible(std::vector<int>& devices) const;
  /// Stores the calling thread's device in `device`. Returns an error if the device does not exist, is unavailable or
  /// has a fault.
  cudaError_t current(int& device) const;
  /// Notes that the process uses the device from now on.
  void begin_to_use(int device) { devices[static_cast<std::size_t>(device)].in_use = true; }
  [[nodiscard]] cudaError_t fault_of(int device) const { return devices[static_cast<std::size_t>(device)].fault; }

  [[nodiscard]] Place find(const void* address, std::size_t bytes) const;
  cudaError_t add_work(cudaStream_t stream, std::function<void()> work);
  /// Waits for `FakeCudaOptions::least_ns`, the least time of each copy and kernel.
  void take_time() const;
  /// Returns the processor whose clock gives the times of the device's events.
  [[nodiscard]] Processor& processor(int device) { return devices[static_cast<std::size_t>(device)].processor; }

  mutable std::mutex mutex;
  FakeCudaOptions options;
  std::deque<Device> devices;
  std::map<const std::byte*, Block> memory;
  std::map<const std::byte*, std::size_t> pinned;
  std::map<const std::byte*, std::size_t> pinned_allocations;
  std::map<Stream*, std::unique_ptr<Stream>> streams;
  std::map<Event*, std::unique_ptr<Event>> events;
  std::map<Library*, std::unique_ptr<Library>> libraries;
  std::map<std::string, FakeKernel> kernels;
  FakeCudaCounts counted;
  std::uint64_t mallocs = 0;
  bool paused = false;

 private:
  Machine() { reset({}); }
  /// Frees the memory of lost devices. On a real machine it is freed when the process ends; here, when a new machine
  /// begins.
  void forget_lost();
  [[nodiscard]] bool any_fault() const;
};

/// The calling thread's device.
extern thread_local int current_device;
/// Stores the error for `cudaGetLastError`, and returns the error.
cudaError_t report(cudaError_t error);
cudaError_t take_last_error(bool reset);

}  // namespace troupe::tests::fake_cuda
