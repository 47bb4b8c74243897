/// Memory objects: buffers and sub-buffers. There are no images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "opencl/objects/context.hpp"
#include "platform/memory/host_buffer.hpp"

namespace troupe::opencl {

class Storage;

/// The depths (splitting/parallel_width.hpp) of the deepest launches that have been submitted and write a buffer, or
/// use it in any way; 0: none.
struct LaunchDepths {
  std::uint64_t writes = 0;
  std::uint64_t uses = 0;
};

/// Memory for a buffer's content, in pages that the system gives when they are touched first. Refuses with
/// CL_MEM_OBJECT_ALLOCATION_FAILURE.
[[nodiscard]] platform::HostBuffer host_memory(std::size_t size);

class Memory : public Counted<Memory, _cl_mem, ObjectType::memory, CL_INVALID_MEM_OBJECT> {
 public:
  /// A buffer. Refuses with CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR, CL_INVALID_PROPERTY and
  /// CL_MEM_OBJECT_ALLOCATION_FAILURE. `properties`: a list that may be null.
  static Memory* make_buffer(Context& context, const cl_mem_properties* properties, cl_mem_flags flags,
                             std::size_t size, void* host_pointer);
  /// A part of a buffer. Refuses with CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE and
  /// CL_MISALIGNED_SUB_BUFFER_OFFSET.
  static Memory* make_sub_buffer(Memory& parent, cl_mem_flags flags, cl_buffer_create_type type, const void* info);
  /// Its data end, and its own host memory goes; then the destructor callbacks are called, the last registered first.
  /// Not by a worker, who leaves that to another thread. Kernels whose argument it is do not keep it from that.
  void on_unused();

  [[nodiscard]] Context& context() const { return *context_; }
  /// As given; of a part with what it inherits. None of CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY means
  /// the first.
  [[nodiscard]] cl_mem_flags flags() const { return flags_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Of a sub-buffer; null otherwise.
  [[nodiscard]] Memory* parent() const { return parent_.get(); }
  /// The buffer that a sub-buffer is a part of; itself otherwise.
  [[nodiscard]] Memory& whole() { return parent_ ? *parent_ : *this; }
  /// In bytes within `whole`.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  /// Its bytes in host memory, as long as it lives: the program's with CL_MEM_USE_HOST_PTR, else its own, of which the
  /// system gives pages only when they are touched.
  [[nodiscard]] std::byte* host() const { return host_; }
  /// CL_MEM_USE_HOST_PTR: `host` is the program's.
  [[nodiscard]] bool uses_program_memory() const { return (flags_ & CL_MEM_USE_HOST_PTR) != 0; }
  /// What devices may do with it.
  [[nodiscard]] bool device_reads() const { return (flags_ & CL_MEM_WRITE_ONLY) == 0; }
  [[nodiscard]] bool device_writes() const { return (flags_ & CL_MEM_READ_ONLY) == 0; }

  /// The content as data of the runtime; of a buffer, not of a part. Registered at the first call. Of
  /// execution/storage.cpp. Called in the order of submission.
  [[nodiscard]] Storage& storage();
  /// Used in the order of submission.
  [[nodiscard]] LaunchDepths& launch_depths() { return launch_depths_; }

  /// Bytes that the program may use as its own memory.
  struct Map {
    std::byte* place = nullptr;
    std::size_t offset = 0;
    std::size_t size = 0;
    bool writes = false;
    /// Where `place` is, if that is not the buffer's memory.
    std::shared_ptr<platform::HostBuffer> apart;
  };
  void add_map(Map map) TROUPE_EXCLUDES(mutex_);
  /// Takes off one that begins at `place`. Nothing: there is none.
  [[nodiscard]] std::optional<Map> take_map(std::byte* place) TROUPE_EXCLUDES(mutex_);
  /// How many maps of it have not been undone.
  [[nodiscard]] std::size_t maps() const TROUPE_EXCLUDES(mutex_);

  using Callback = void(CL_CALLBACK*)(cl_mem, void*);
  void on_destruction(Callback function, void* user_data) TROUPE_EXCLUDES(mutex_);

  void info(cl_mem_info what, const Info& answer);

 private:
  struct Shape {
    cl_mem_flags flags;
    std::size_t size;
    std::size_t offset = 0;
  };
  struct Registered {
    Callback function;
    void* user_data;
  };
  Memory(Context& context, Memory* parent, const Shape& shape);

  const Ref<Context> context_;
  Ref<Memory> parent_;
  const cl_mem_flags flags_;
  const std::size_t size_;
  const std::size_t offset_;
  std::vector<cl_mem_properties> properties_;
  platform::HostBuffer block_;
  std::byte* host_ = nullptr;
  std::shared_ptr<Storage> storage_;
  LaunchDepths launch_depths_;
  mutable Mutex mutex_;
  std::vector<Map> maps_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Registered> callbacks_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
