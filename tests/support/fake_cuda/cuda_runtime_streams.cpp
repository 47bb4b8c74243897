// The fake's functions for streams, events, copies and kernels.
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "tests/support/fake_cuda/cuda_machine.hpp"

using namespace troupe::tests;
using namespace troupe::tests::fake_cuda;

namespace {

template <class F>
cudaError_t locked(const F& body) {
  Machine& machine = Machine::get();
  const std::lock_guard lock(machine.mutex);
  return report(body(machine));
}

/// Calls `body` with the calling thread's device. If that device cannot be used, returns the error instead.
template <class F>
cudaError_t on_device(const F& body) {
  return locked([&](Machine& machine) {
    int device = -1;
    const cudaError_t error = machine.current(device);
    if (device >= 0) machine.begin_to_use(device);
    return error != cudaSuccess ? error : body(machine, device);
  });
}

Stream* as_stream(cudaStream_t stream) { return reinterpret_cast<Stream*>(stream); }
Event* as_event(cudaEvent_t event) { return reinterpret_cast<Event*>(event); }

/// A copy of `rows` rows of `width` bytes each. A pitch is the distance between the begins of two rows, in bytes.
struct Copy {
  std::byte* to;
  std::size_t to_pitch;
  const std::byte* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t rows;

  [[nodiscard]] std::size_t to_bytes() const { return rows == 0 ? 0 : (rows - 1) * to_pitch + width; }
  [[nodiscard]] std::size_t from_bytes() const { return rows == 0 ? 0 : (rows - 1) * from_pitch + width; }
};

void move(const Copy& copy) {
  for (std::size_t row = 0; row < copy.rows; ++row) {
    std::memcpy(copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch, copy.width);
  }
}

bool fits(cudaMemcpyKind kind, const Place& to, const Place& from) {
  const bool to_device = to.side == Side::device;
  const bool from_device = from.side == Side::device;
  switch (kind) {
    case cudaMemcpyHostToHost: return !to_device && !from_device;
    case cudaMemcpyHostToDevice: return to_device && !from_device;
    case cudaMemcpyDeviceToHost: return !to_device && from_device;
    case cudaMemcpyDeviceToDevice: return to_device && from_device;
    default: return true;
  }
}

/// Copies the data in the stream's thread. Does nothing if the device has a fault.
void do_copy(int device, const Copy& copy, bool faulty) {
  Machine& machine = Machine::get();
  if (machine.fault_of(device) != cudaSuccess) return;
  if (faulty) {
    machine.devices[static_cast<std::size_t>(device)].fault = cudaErrorIllegalAddress;
    return;
  }
  machine.take_time();
  bool good = false;
  {
    // The memory may have been freed after the copy was enqueued.
    const std::lock_guard lock(machine.mutex);
    const auto is_there = [&machine](const void* begin, std::size_t bytes) {
      const Place place = machine.find(begin, bytes);
      // Host memory may have been pinned or unpinned since the copy was enqueued, so only device memory is checked.
      return place.inside || place.side != Side::device;
    };
    good = is_there(copy.to, copy.to_bytes()) && is_there(copy.from, copy.from_bytes());
  }
  if (good) {
    move(copy);
  } else {
    machine.devices[static_cast<std::size_t>(device)].fault = cudaErrorIllegalAddress;
  }
}

/// Enqueues a copy. If `across` is true, the copy may go from one device to another without peer access.
cudaError_t begin_copy(const Copy& copy, cudaMemcpyKind kind, cudaStream_t handle, bool across) {
  Machine& machine = Machine::get();
  std::unique_lock lock(machine.mutex);
  Stream* const stream = as_stream(handle);
  if (!machine.streams.contains(stream)) return report(cudaErrorInvalidResourceHandle);
  if (copy.to_pitch < copy.width || copy.from_pitch < copy.width) return report(cudaErrorInvalidPitchValue);
  const Place to = machine.find(copy.to, copy.to_bytes());
  const Place from = machine.find(copy.from, copy.from_bytes());
  if (!to.inside || !from.inside || !fits(kind, to, from)) return report(cudaErrorInvalidValue);
  const bool peers = to.side == Side::device && from.side == Side::device && to.device != from.device;
  if (peers) {
    const auto knows = [&](int a, int b) { return machine.devices[static_cast<std::size_t>(a)].peers.contains(b); };
    const int here = stream->device;
    const int there = here == to.device ? from.device : to.device;
    if (!across && !knows(here, there)) return report(cudaErrorInvalidValue);
    ++machine.counted.peer_copies;
  }
  const bool pageable = to.side == Side::host || from.side == Side::host;
  if (pageable) ++machine.counted.copies_of_pageable_memory;
  const bool faulty = ++machine.counted.copies == machine.options.fault_in_copy;
  const cudaError_t error =
      machine.add_work(handle, [device = stream->device, copy, faulty] { do_copy(device, copy, faulty); });
  lock.unlock();
  // A device cannot access pageable memory, so the call waits until the copy has ended.
  if (error == cudaSuccess && pageable) stream->drain();
  return report(error);
}

class Launch final : public FakeLaunch {
 public:
  Launch(int device, std::vector<std::vector<std::byte>> arguments)
      : device_(device), arguments_(std::move(arguments)) {}

  [[nodiscard]] const void* argument(std::size_t index) const override { return arguments_.at(index).data(); }
  [[nodiscard]] int device() const override { return device_; }
  [[nodiscard]] bool touches(const void* address, std::size_t bytes) const override {
    Machine& machine = Machine::get();
    const std::lock_guard lock(machine.mutex);
    const Place place = machine.find(address, bytes);
    Device& device = machine.devices[static_cast<std::size_t>(device_)];
    const bool mine = place.side == Side::pinned ||
                      (place.side == Side::device && (place.device == device_ || device.peers.contains(place.device)));
    if (mine && place.inside) return true;
    device.fault = cudaErrorIllegalAddress;
    return false;
  }

 private:
  int device_;
  std::vector<std::vector<std::byte>> arguments_;
};

const FakeKernel* find_kernel(const Machine& machine, const void* function) {
  for (const auto& [name, kernel] : machine.kernels) {
    if (&kernel == function) return &kernel;
  }
  return nullptr;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t handle) {
  return on_device([&](Machine& machine, int device) {
    const FakeKernel* const kernel = find_kernel(machine, function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (!machine.streams.contains(as_stream(handle)) || as_stream(handle)->device != device) {
      return cudaErrorInvalidResourceHandle;
    }
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (threads == 0 || threads > 1024 || grid.x == 0 || grid.y == 0 || grid.z == 0) {
      return cudaErrorInvalidConfiguration;
    }
    std::vector<std::vector<std::byte>> copies;
    for (std::size_t i = 0; i < kernel->argument_bytes.size(); ++i) {
      const auto* const bytes = static_cast<const std::byte*>(arguments[i]);
      copies.emplace_back(bytes, bytes + kernel->argument_bytes[i]);
    }
    auto made = std::make_shared<Launch>(device, std::move(copies));
    made->grid = {grid.x, grid.y, grid.z};
    made->block = {block.x, block.y, block.z};
    made->shared_bytes = shared;
    const bool faulty = ++machine.counted.launches == machine.options.fault_in_launch;
    return machine.add_work(handle, [&machine, device, made, faulty, run = kernel->run] {
      if (machine.fault_of(device) != cudaSuccess) return;
      machine.take_time();
      if (machine.options.shared_ns != 0) {
        machine.processor(device).run(std::chrono::nanoseconds(machine.options.shared_ns));
      }
      if (faulty) {
        machine.devices[static_cast<std::size_t>(device)].fault = cudaErrorIllegalAddress;
      } else {
        run(*made);
      }
    });
  });
}

}  // namespace

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return on_device([&](Machine&, int) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/, int /*priority*/) {
  return on_device([&](Machine& machine, int device) {
    auto made = std::make_unique<Stream>(device);
    made->hold(machine.paused);
    *stream = reinterpret_cast<cudaStream_t>(made.get());
    machine.streams[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Machine& machine = Machine::get();
  std::unique_ptr<Stream> ended;
  cudaError_t error = cudaErrorInvalidResourceHandle;
  {
    const std::lock_guard lock(machine.mutex);
    if (const auto found = machine.streams.find(as_stream(stream)); found != machine.streams.end()) {
      ended = std::move(found->second);
      machine.streams.erase(found);
      error = machine.fault_of(ended->device);
    }
  }
  return report(error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Machine& machine = Machine::get();
  Stream* const stream = as_stream(handle);
  const cudaError_t error =
      locked([&](Machine& m) { return m.streams.contains(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
  if (error != cudaSuccess) return error;
  stream->drain();
  return report(machine.fault_of(stream->device));
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return locked([&](Machine& machine) {
    if (!machine.streams.contains(as_stream(handle))) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t fault = machine.fault_of(as_stream(handle)->device); fault != cudaSuccess) return fault;
    return as_stream(handle)->idle() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  return locked([&](Machine& machine) {
    if (!machine.events.contains(as_event(event))) return cudaErrorInvalidResourceHandle;
    const std::shared_ptr<Mark> mark = as_event(event)->mark;
    return mark == nullptr ? cudaSuccess : machine.add_work(stream, [mark] { mark->wait(); });
  });
}

cudaError_t cudaDeviceSynchronize() {
  Machine& machine = Machine::get();
  int device = -1;
  std::vector<Stream*> streams;
  const cudaError_t error = on_device([&](Machine& m, int found) {
    device = found;
    for (const auto& [stream, owned] : m.streams) {
      if (stream->device == found) streams.push_back(stream);
    }
    return cudaSuccess;
  });
  if (error != cudaSuccess) return error;
  for (Stream* stream : streams) stream->drain();
  return report(machine.fault_of(device));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return on_device([&](Machine& machine, int device) {
    const bool timing = (flags & cudaEventDisableTiming) == 0;
    if (timing && (flags & cudaEventBlockingSync) != 0) ++machine.counted.timed_events_that_interrupt;
    auto made = std::make_unique<Event>(Event{device, timing, nullptr});
    *event = reinterpret_cast<cudaEvent_t>(made.get());
    machine.events[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return locked([&](Machine& machine) {
    return machine.events.erase(as_event(event)) == 0 ? cudaErrorInvalidResourceHandle : cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return locked([&](Machine& machine) {
    if (!machine.events.contains(as_event(event)) || !machine.streams.contains(as_stream(stream)) ||
        as_event(event)->device != as_stream(stream)->device) {
      return cudaErrorInvalidResourceHandle;
    }
    auto mark = std::make_shared<Mark>();
    as_event(event)->mark = mark;
    return machine.add_work(
        stream, [mark, &processor = machine.processor(as_event(event)->device)] { mark->reach(processor.now()); });
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return locked([&](Machine& machine) {
    if (!machine.events.contains(as_event(event))) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t fault = machine.fault_of(as_event(event)->device); fault != cudaSuccess) return fault;
    const std::shared_ptr<Mark>& mark = as_event(event)->mark;
    return mark == nullptr || mark->is_done() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Machine& machine = Machine::get();
  std::shared_ptr<Mark> mark;
  int device = 0;
  const cudaError_t error = locked([&](Machine& m) {
    if (!m.events.contains(as_event(event))) return cudaErrorInvalidResourceHandle;
    mark = as_event(event)->mark;
    device = as_event(event)->device;
    return cudaSuccess;
  });
  if (error != cudaSuccess) return error;
  if (mark != nullptr) mark->wait();
  return report(machine.fault_of(device));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return locked([&](Machine& machine) {
    for (const cudaEvent_t event : {begin, end}) {
      if (!machine.events.contains(as_event(event)) || !as_event(event)->timing || as_event(event)->mark == nullptr) {
        return cudaErrorInvalidResourceHandle;
      }
      if (!as_event(event)->mark->is_done()) return cudaErrorNotReady;
    }
    const auto elapsed = as_event(end)->mark->when - as_event(begin)->mark->when;
    *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return begin_copy({static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from), bytes, bytes, 1}, kind,
                    stream, false);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  // The value of `cudaDeviceProp::memPitch` on all devices so far.
  constexpr std::size_t kMostPitch = std::numeric_limits<std::int32_t>::max();
  if (to_pitch > kMostPitch || from_pitch > kMostPitch) return report(cudaErrorInvalidPitchValue);
  return begin_copy(
      {static_cast<std::byte*>(to), to_pitch, static_cast<const std::byte*>(from), from_pitch, width, rows}, kind,
      stream, false);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int /*to_device*/, const void* from, int /*from_device*/, std::size_t bytes,
                                cudaStream_t stream) {
  return begin_copy({static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from), bytes, bytes, 1},
                    cudaMemcpyDeviceToDevice, stream, true);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* what, cudaStream_t stream) {
  if (what->extent.depth != 1) return report(cudaErrorNotSupported);
  return begin_copy(
      {static_cast<std::byte*>(what->dstPtr.ptr), what->dstPtr.pitch, static_cast<const std::byte*>(what->srcPtr.ptr),
       what->srcPtr.pitch, what->extent.width, what->extent.height},
      cudaMemcpyDeviceToDevice, stream, true);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return locked([&](Machine& machine) {
    const Place place = machine.find(to, bytes);
    if (place.side == Side::host || !place.inside) return cudaErrorInvalidValue;
    return machine.add_work(stream, [to, value, bytes] { std::memset(to, value, bytes); });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return locked([&](Machine& machine) {
    if (!machine.streams.contains(as_stream(stream))) return cudaErrorInvalidResourceHandle;
    return machine.add_work(stream, [&machine, device = as_stream(stream)->device, function, data] {
      if (machine.fault_of(device) == cudaSuccess) function(data);
    });
  });
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* /*options*/, void** /*values*/,
                                unsigned /*count*/, cudaLibraryOption* /*library_options*/, void** /*library_values*/,
                                unsigned /*library_count*/) {
  return on_device([&](Machine& machine, int) {
    if (code == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<Library>();
    *library = reinterpret_cast<cudaLibrary_t>(made.get());
    machine.libraries[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return locked([&](Machine& machine) {
    return machine.libraries.erase(reinterpret_cast<Library*>(library)) == 0 ? cudaErrorInvalidResourceHandle
                                                                             : cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return locked([&](Machine& machine) {
    if (!machine.libraries.contains(reinterpret_cast<Library*>(library))) return cudaErrorInvalidResourceHandle;
    const auto found = machine.kernels.find(name);
    if (found == machine.kernels.end()) return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(&found->second);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute /*attribute*/, int /*value*/) {
  return locked([&](Machine& machine) {
    return find_kernel(machine, function) == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function, void** arguments) {
  return launch(function, configuration->gridDim, configuration->blockDim, arguments, configuration->dynamicSmemBytes,
                configuration->stream);
}
