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

/// The greatest depths (see splitting/parallel_width.hpp) of the launches that have been submitted for a buffer:
/// `writes` for launches that write the buffer, `uses` for launches that use it in any way; 0 if there are none.
struct LaunchDepths {
  std::uint64_t writes = 0;
  std::uint64_t uses = 0;
};

/// Allocates memory for a buffer's content; the system provides its pages when they are first touched. Refuses with
/// CL_MEM_OBJECT_ALLOCATION_FAILURE.
[[nodiscard]] platform::HostBuffer host_memory(std::size_t size);

class Memory : public Counted<Memory, _cl_mem, ObjectType::memory, CL_INVALID_MEM_OBJECT> {
 public:
  /// Makes a buffer. Refuses with CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR, CL_INVALID_PROPERTY
  /// and CL_MEM_OBJECT_ALLOCATION_FAILURE. `properties` is a list and may be null.
  static Memory* make_buffer(Context& context, const cl_mem_properties* properties, cl_mem_flags flags,
                             std::size_t size, void* host_pointer);
  /// Makes a sub-buffer. Refuses with CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE and
  /// CL_MISALIGNED_SUB_BUFFER_OFFSET.
  static Memory* make_sub_buffer(Memory& parent, cl_mem_flags flags, cl_buffer_create_type type, const void* info);
  /// Discards the content, frees the buffer's own host memory, and then calls the destructor callbacks; the callback
  /// that was registered last comes first. If a worker's thread calls this function, another thread does these steps.
  /// The steps do not wait for a kernel that has the object as an argument.
  void on_unused();

  [[nodiscard]] Context& context() const { return *context_; }
  /// Returns the flags that the program gave; those of a sub-buffer include the flags that it inherits. If none of
  /// CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY is set, CL_MEM_READ_WRITE applies.
  [[nodiscard]] cl_mem_flags flags() const { return flags_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns the buffer of a sub-buffer; null for a buffer.
  [[nodiscard]] Memory* parent() const { return parent_.get(); }
  /// Returns the buffer that a sub-buffer is a part of; the object itself if it is a buffer.
  [[nodiscard]] Memory& whole() { return parent_ ? *parent_ : *this; }
  /// Returns the offset in bytes within `whole`.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  /// Returns the object's bytes in host memory, valid as long as the object lives. With CL_MEM_USE_HOST_PTR these bytes
  /// are the program's memory. Otherwise they belong to the object, and the system provides their pages only when they
  /// are first touched.
  [[nodiscard]] std::byte* host() const { return host_; }
  /// Returns true if CL_MEM_USE_HOST_PTR is set: then `host` is the program's memory.
  [[nodiscard]] bool uses_program_memory() const { return (flags_ & CL_MEM_USE_HOST_PTR) != 0; }
  /// `device_reads` returns true if devices may read the memory, `device_writes` if devices may write it.
  [[nodiscard]] bool device_reads() const { return (flags_ & CL_MEM_WRITE_ONLY) == 0; }
  [[nodiscard]] bool device_writes() const { return (flags_ & CL_MEM_READ_ONLY) == 0; }

  /// Returns the content of a buffer (not of a sub-buffer) as data of the runtime. The first call registers the
  /// content. Implemented in execution/storage.cpp. Must be called in the order of submission.
  [[nodiscard]] Storage& storage();
  /// Returns the greatest depths of the buffer's launches in the launch graph. Must be used in the order of submission.
  [[nodiscard]] LaunchDepths& launch_depths() { return launch_depths_; }

  /// A mapped range, which the program may use as its own memory.
  struct Map {
    std::byte* place = nullptr;
    std::size_t offset = 0;
    std::size_t size = 0;
    bool writes = false;
    /// The memory at `place`, if it is separate from the buffer's memory.
    std::shared_ptr<platform::HostBuffer> apart;
  };
  void add_map(Map map) TROUPE_EXCLUDES(mutex_);
  /// Removes and returns a map that begins at `place`; nothing if there is none.
  [[nodiscard]] std::optional<Map> take_map(std::byte* place) TROUPE_EXCLUDES(mutex_);
  /// Returns the number of maps that the program has not unmapped yet.
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
