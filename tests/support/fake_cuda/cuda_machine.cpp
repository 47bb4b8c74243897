#include "tests/support/fake_cuda/cuda_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace troupe::tests::fake_cuda {

thread_local int current_device = 0;

namespace {
thread_local cudaError_t last_error = cudaSuccess;

/// Returns the block with the highest address that is not above `begin`; `blocks.end()` if there is none.
template <class Map>
auto find_block(const Map& blocks, const std::byte* begin) {
  auto found = blocks.upper_bound(begin);
  return found == blocks.begin() ? blocks.end() : --found;
}

}  // namespace

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t take_last_error(bool reset) {
  const cudaError_t error = last_error;
  if (reset) last_error = cudaSuccess;
  // A device keeps its fault, so every later call reports the fault.
  int device = -1;
  const cudaError_t now = Machine::get().current(device);
  return error == cudaSuccess && now == cudaErrorIllegalAddress ? now : error;
}

void Mark::reach(Clock::time_point at) {
  const std::lock_guard lock(mutex);
  done = true;
  when = at;
  reached.notify_all();
}

void Mark::wait() {
  std::unique_lock lock(mutex);
  reached.wait(lock, [this] { return done; });
}

bool Mark::is_done() {
  const std::lock_guard lock(mutex);
  return done;
}

void Processor::look_at_clock() {
  const Clock::time_point real = Clock::now();
  Clock::duration passed = real - looked_at_;
  looked_at_ = real;
  if (!ends_.empty()) {
    const auto kernels = static_cast<Clock::rep>(ends_.size());
    passed = std::min(passed, (*ends_.begin() - served_) * kernels);
    served_ += passed / kernels;
  }
  now_ += passed;
}

void Processor::run(Clock::duration work) {
  std::unique_lock lock(mutex_);
  look_at_clock();
  const Clock::duration end = served_ + work;
  const auto mine = ends_.insert(end);
  changed_.notify_all();
  while (true) {
    look_at_clock();
    if (served_ >= end) break;
    changed_.wait_for(lock, (*ends_.begin() - served_) * static_cast<Clock::rep>(ends_.size()));
  }
  ends_.erase(mine);
  changed_.notify_all();
}

Clock::time_point Processor::now() {
  const std::lock_guard lock(mutex_);
  look_at_clock();
  return now_;
}

Stream::Stream(int of) : device(of), thread_([this] { run(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    held_ = false;
  }
  changed_.notify_all();
  thread_.join();
}

void Stream::add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void Stream::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return work_.empty() && !busy_; });
}

bool Stream::idle() {
  const std::lock_guard lock(mutex_);
  return work_.empty() && !busy_;
}

void Stream::hold(bool held) {
  {
    const std::lock_guard lock(mutex_);
    held_ = held;
  }
  changed_.notify_all();
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return (ends_ && work_.empty()) || (!work_.empty() && !held_); });
    if (work_.empty()) return;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

namespace {
/// Returns the options of the machine in a process in which no test calls `reset`.
FakeCudaOptions first_options() {
  FakeCudaOptions first;
  if (const char* const memory = std::getenv(kFakeCudaMemory)) first.memory = std::strtoull(memory, nullptr, 10);
  return first;
}
}  // namespace

Machine& Machine::get() {
  // The machine is never destroyed, because threads of the program may use it until the process ends.
  static Machine* const machine = [] {
    auto* const made = new Machine();
    made->reset(first_options());
    return made;
  }();
  return *machine;
}

void Machine::reset(const FakeCudaOptions& to) {
  const std::lock_guard lock(mutex);
  options = to;
  forget_lost();
  // Memory that is still allocated on an old device counts as used memory of the new device with the same number.
  std::vector<std::uint64_t> used;
  for (const Device& device : devices) used.push_back(device.used);
  devices.clear();
  devices.resize(static_cast<std::size_t>(to.devices));
  for (std::size_t i = 0; i < devices.size() && i < used.size(); ++i) devices[i].used = used[i];
  counted = {};
  mallocs = 0;
}

void Machine::forget_lost() {
  if (!any_fault()) return;
  for (auto block = memory.begin(); block != memory.end();) {
    Device& device = devices[static_cast<std::size_t>(block->second.device)];
    if (device.fault == cudaSuccess) {
      ++block;
      continue;
    }
    device.used -= block->second.size;
    std::free(const_cast<std::byte*>(block->first));
    block = memory.erase(block);
  }
  pinned.clear();
  for (const auto& [address, size] : pinned_allocations) std::free(const_cast<std::byte*>(address));
  pinned_allocations.clear();
}

bool Machine::any_fault() const {
  return std::ranges::any_of(devices, [](const Device& device) { return device.fault != cudaSuccess; });
}

void Machine::register_kernel(const std::string& name, FakeKernel kernel) {
  const std::lock_guard lock(mutex);
  kernels[name] = std::move(kernel);
}

FakeCudaLeaks Machine::leaks() const {
  const std::lock_guard lock(mutex);
  FakeCudaLeaks left{0, pinned.size() + pinned_allocations.size(), streams.size(), events.size(), libraries.size()};
  // Memory of a lost device cannot be freed, so it does not count as a leak.
  for (const auto& [address, block] : memory) {
    if (fault_of(block.device) == cudaSuccess) ++left.allocations;
  }
  if (any_fault()) left.pinned_ranges = 0;
  return left;
}

FakeCudaCounts Machine::counts() const {
  const std::lock_guard lock(mutex);
  return counted;
}

void Machine::pause() {
  const std::lock_guard lock(mutex);
  paused = true;
  for (const auto& [stream, owned] : streams) stream->hold(true);
}

void Machine::resume() {
  const std::lock_guard lock(mutex);
  paused = false;
  for (const auto& [stream, owned] : streams) stream->hold(false);
}

bool Machine::is_in_use(int device) const {
  const std::lock_guard lock(mutex);
  return devices[static_cast<std::size_t>(device)].in_use;
}

bool Machine::is_pinned(const void* address) const {
  const std::lock_guard lock(mutex);
  return find(address, 1).side == Side::pinned;
}

cudaError_t Machine::visible(std::vector<int>& found) const {
  if (options.driver_version < CUDART_VERSION / 1000 * 1000) return cudaErrorInsufficientDriver;
  const char* const chosen = std::getenv("CUDA_VISIBLE_DEVICES");
  for (int device = 0; chosen == nullptr && device < options.devices; ++device) found.push_back(device);
  std::istringstream list(chosen != nullptr ? chosen : "");
  // CUDA ignores all devices after the first invalid number in CUDA_VISIBLE_DEVICES, and so does the fake.
  for (std::string item; std::getline(list, item, ',');) {
    const int device = item.empty() ? -1 : std::atoi(item.c_str());
    if (device < 0 || device >= options.devices) break;
    found.push_back(device);
  }
  return found.empty() ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t Machine::current(int& device) const {
  std::vector<int> all;
  if (const cudaError_t error = visible(all); error != cudaSuccess) return error;
  if (current_device < 0 || static_cast<std::size_t>(current_device) >= all.size()) return cudaErrorInvalidDevice;
  device = all[static_cast<std::size_t>(current_device)];
  return device == options.unavailable_device ? cudaErrorDevicesUnavailable : fault_of(device);
}

Place Machine::find(const void* address, std::size_t bytes) const {
  const auto* const begin = static_cast<const std::byte*>(address);
  if (const auto block = find_block(memory, begin);
      block != memory.end() && begin < block->first + block->second.size) {
    return {Side::device, block->second.device, begin + bytes <= block->first + block->second.size};
  }
  for (const auto* blocks : {&pinned, &pinned_allocations}) {
    if (const auto block = find_block(*blocks, begin); block != blocks->end() && begin < block->first + block->second) {
      return {Side::pinned, -1, begin + bytes <= block->first + block->second};
    }
  }
  // A host range that reaches into a device's memory is invalid. A range that only ends in pinned memory counts as
  // pageable.
  const auto next = memory.upper_bound(begin);
  return {Side::host, -1, next == memory.end() || begin + bytes <= next->first};
}

cudaError_t Machine::add_work(cudaStream_t handle, std::function<void()> work) {
  auto* const stream = reinterpret_cast<Stream*>(handle);
  // The fake has no default stream, so a call that names no stream gets an error.
  if (!streams.contains(stream)) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t fault = fault_of(stream->device); fault != cudaSuccess) return fault;
  stream->add(std::move(work));
  return cudaSuccess;
}

void Machine::take_time() const {
  if (options.least_ns != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(options.least_ns));
}

}  // namespace troupe::tests::fake_cuda

extern "C" troupe::tests::FakeCudaControl* fake_cuda_control() { return &troupe::tests::fake_cuda::Machine::get(); }
