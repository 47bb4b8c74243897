/// The state of the fake of CUDA's runtime library.
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

/// One record of an event: done when the stream has come to it.
struct Mark {
  std::mutex mutex;
  std::condition_variable reached;
  bool done = false;
  Clock::time_point when;

  void reach(Clock::time_point at);
  void wait();
  bool is_done();
};

/// A thread that does what it is given, in order.
class Stream {
 public:
  explicit Stream(int device);
  /// Does what is left first.
  ~Stream();

  void add(std::function<void()> work);
  /// Until everything that was added has been done.
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

/// Kernels that share a device, and its clock.
class Processor {
 public:
  /// Returns when the calling thread's kernel has had so much of the device.
  void run(Clock::duration work);
  /// Stands still at a kernel's end until its thread has woken.
  Clock::time_point now();

 private:
  void look_at_clock();

  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point looked_at_ = Clock::now();
  Clock::time_point now_ = looked_at_;
  /// What each kernel would have had that had been there from the beginning.
  Clock::duration served_{};
  /// At which of that the kernels end.
  std::multiset<Clock::duration> ends_;
};

struct Device {
  std::uint64_t used = 0;
  Processor processor;
  std::atomic<cudaError_t> fault{cudaSuccess};
  std::set<int> peers;
  bool in_use = false;
};

/// A block of memory, by its first address.
struct Block {
  std::size_t size = 0;
  int device = 0;
};

enum class Side { host, pinned, device };

struct Place {
  Side side = Side::host;
  int device = -1;
  /// Whether all of the range lies in one block, where it begins in one. CUDA refuses copies of what begins in pinned
  /// memory and does not.
  bool inside = true;
};

/// Everything but the streams' threads works under `mutex`.
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

  /// The devices that the process may see: CUDA_VISIBLE_DEVICES. Without a driver or a device, the error that says so.
  cudaError_t visible(std::vector<int>& devices) const;
  /// The calling thread's device, which the error says is there, free, and without fault.
  cudaError_t current(int& device) const;
  /// The process uses the device from now on.
  void begin_to_use(int device) { devices[static_cast<std::size_t>(device)].in_use = true; }
  [[nodiscard]] cudaError_t fault_of(int device) const { return devices[static_cast<std::size_t>(device)].fault; }

  [[nodiscard]] Place find(const void* address, std::size_t bytes) const;
  cudaError_t add_work(cudaStream_t stream, std::function<void()> work);
  /// Takes the time that every copy and kernel takes.
  void take_time() const;
  /// Where events of the device have their times from.
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
  /// What lost devices had ends with their process; here with the next machine.
  void forget_lost();
  [[nodiscard]] bool any_fault() const;
};

/// Of the calling thread.
extern thread_local int current_device;
/// Keeps the error for cudaGetLastError and returns it.
cudaError_t report(cudaError_t error);
cudaError_t take_last_error(bool reset);

}  // namespace troupe::tests::fake_cuda
