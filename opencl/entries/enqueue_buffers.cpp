/// The entries that enqueue commands on buffers.
#include <algorithm>
#include <bit>
#include <cstring>

#include "opencl/entries/enqueue.hpp"
#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"
#include "opencl/entries/regions.hpp"
#include "opencl/execution/buffer_commands.hpp"

namespace troupe::opencl {

namespace {

EventPointer new_event() { return std::make_shared<EventState>(); }

constexpr cl_mem_flags kHostCannotRead = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kHostCannotWrite = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

void require_not(const Memory& memory, cl_mem_flags forbidden) {
  require((memory.flags() & forbidden) == 0, CL_INVALID_OPERATION);
}

/// Returns the box of one row of the program's memory.
Box row_of(std::size_t size) {
  Box box;
  box.row_pitch = box.slice_pitch = size;
  return box;
}

/// Makes the command for a map. If the map has memory of its own (`apart`), the command copies the buffer's content to
/// that memory, and the unmap copies it back to the buffer. Otherwise, if the program writes, the content is valid only
/// in host memory until the unmap has ended.
std::shared_ptr<Command> command_of_map(Queue& on, Memory& memory, const Memory::Map& map, AccessMode mode,
                                        bool invalidates) {
  if (map.apart == nullptr) return map_command(on, new_event(), memory, mode);
  if (invalidates) return marker_command(on, new_event());
  return read_command(on, new_event(), {&memory, linear_box(memory, map.offset, map.size)}, map.place, row_of(map.size),
                      {map.size, 1, 1});
}

std::shared_ptr<Command> command_of_unmap(Queue& on, Memory& memory, const Memory::Map& map) {
  if (map.apart == nullptr) {
    return map_command(on, new_event(), memory, map.writes ? AccessMode::read_write : AccessMode::read);
  }
  auto command = write_command(on, new_event(), map.place, row_of(map.size),
                               {&memory, linear_box(memory, map.offset, map.size)}, {map.size, 1, 1});
  // The listener keeps the memory alive until the command's end.
  command->event()->when(CL_COMPLETE, [apart = map.apart](int /*status*/) {});
  return command;
}

/// A copy between a buffer and the program's memory. Both regions have already been checked.
struct HostTransfer {
  Region region;
  Box host;
  Extent extent;
  bool blocking;
};

void enqueue_read(Queue& on, cl_command_type type, const HostTransfer& what, void* to, const WaitList& list) {
  std::vector<Awaited> awaited = awaited_of(on.context(), list);
  require_aligned(on, *what.region.memory);
  require_not(*what.region.memory, kHostCannotRead);
  const auto command = read_command(on, new_event(), what.region, static_cast<std::byte*>(to), what.host, what.extent);
  enqueue(on, type, command, std::move(awaited), list, what.blocking);
}

void enqueue_write(Queue& on, cl_command_type type, const HostTransfer& what, const void* from, const WaitList& list) {
  std::vector<Awaited> awaited = awaited_of(on.context(), list);
  require_aligned(on, *what.region.memory);
  require_not(*what.region.memory, kHostCannotWrite);
  const auto command =
      write_command(on, new_event(), static_cast<const std::byte*>(from), what.host, what.region, what.extent);
  enqueue(on, type, command, std::move(awaited), list, what.blocking);
}

}  // namespace

cl_int enqueue_read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                           std::size_t size, void* to, cl_uint count, const cl_event* events, cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& memory = need_buffer(on, buffer);
    require(to != nullptr, CL_INVALID_VALUE);
    const Box from = linear_box(memory, offset, size);
    enqueue_read(on, CL_COMMAND_READ_BUFFER, {{&memory, from}, row_of(size), {size, 1, 1}, blocking != CL_FALSE}, to,
                 {count, events, event});
  });
}

cl_int enqueue_write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                            std::size_t size, const void* from, cl_uint count, const cl_event* events,
                            cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& memory = need_buffer(on, buffer);
    require(from != nullptr, CL_INVALID_VALUE);
    const Box to = linear_box(memory, offset, size);
    enqueue_write(on, CL_COMMAND_WRITE_BUFFER, {{&memory, to}, row_of(size), {size, 1, 1}, blocking != CL_FALSE}, from,
                  {count, events, event});
  });
}

cl_int enqueue_read_buffer_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                const std::size_t* buffer_origin, const std::size_t* host_origin,
                                const std::size_t* region, std::size_t buffer_row_pitch, std::size_t buffer_slice_pitch,
                                std::size_t host_row_pitch, std::size_t host_slice_pitch, void* to, cl_uint count,
                                const cl_event* events, cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& memory = need_buffer(on, buffer);
    require(to != nullptr, CL_INVALID_VALUE);
    const Extent extent = extent_of(region);
    const Box from = rectangle_box_in(memory, buffer_origin, extent, buffer_row_pitch, buffer_slice_pitch);
    const Box host = rectangle_box(host_origin, extent, host_row_pitch, host_slice_pitch);
    enqueue_read(on, CL_COMMAND_READ_BUFFER_RECT, {{&memory, from}, host, extent, blocking != CL_FALSE}, to,
                 {count, events, event});
  });
}

cl_int enqueue_write_buffer_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                 const std::size_t* buffer_origin, const std::size_t* host_origin,
                                 const std::size_t* region, std::size_t buffer_row_pitch,
                                 std::size_t buffer_slice_pitch, std::size_t host_row_pitch,
                                 std::size_t host_slice_pitch, const void* from, cl_uint count, const cl_event* events,
                                 cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& memory = need_buffer(on, buffer);
    require(from != nullptr, CL_INVALID_VALUE);
    const Extent extent = extent_of(region);
    const Box to = rectangle_box_in(memory, buffer_origin, extent, buffer_row_pitch, buffer_slice_pitch);
    const Box host = rectangle_box(host_origin, extent, host_row_pitch, host_slice_pitch);
    enqueue_write(on, CL_COMMAND_WRITE_BUFFER_RECT, {{&memory, to}, host, extent, blocking != CL_FALSE}, from,
                  {count, events, event});
  });
}

cl_int enqueue_copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset,
                           std::size_t to_offset, std::size_t size, cl_uint count, const cl_event* events,
                           cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& source = need_buffer(on, from);
    Memory& target = need_buffer(on, to);
    std::vector<Awaited> awaited = awaited_of(on.context(), {count, events, event});
    require_aligned(on, source);
    require_aligned(on, target);
    const Box source_box = linear_box(source, from_offset, size);
    const Box target_box = linear_box(target, to_offset, size);
    // Source and target may be overlapping parts of one buffer.
    const std::size_t a = source.offset() + from_offset;
    const std::size_t b = target.offset() + to_offset;
    require(&source.whole() != &target.whole() || a + size <= b || b + size <= a, CL_MEM_COPY_OVERLAP);
    const auto command = copy_command(on, new_event(), {&source, source_box}, {&target, target_box}, {size, 1, 1});
    enqueue(on, CL_COMMAND_COPY_BUFFER, command, std::move(awaited), {count, events, event});
  });
}

cl_int enqueue_copy_buffer_rect(cl_command_queue queue, cl_mem from, cl_mem to, const std::size_t* from_origin,
                                const std::size_t* to_origin, const std::size_t* region, std::size_t from_row_pitch,
                                std::size_t from_slice_pitch, std::size_t to_row_pitch, std::size_t to_slice_pitch,
                                cl_uint count, const cl_event* events, cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& source = need_buffer(on, from);
    Memory& target = need_buffer(on, to);
    std::vector<Awaited> awaited = awaited_of(on.context(), {count, events, event});
    const Extent extent = extent_of(region);
    const Box source_box = rectangle_box_in(source, from_origin, extent, from_row_pitch, from_slice_pitch);
    const Box target_box = rectangle_box_in(target, to_origin, extent, to_row_pitch, to_slice_pitch);
    if (&source == &target) {
      require(source_box.row_pitch == target_box.row_pitch && source_box.slice_pitch == target_box.slice_pitch,
              CL_INVALID_VALUE);
      require(!overlap(source_box, target_box, extent), CL_MEM_COPY_OVERLAP);
    } else if (&source.whole() == &target.whole()) {
      require(!overlap(source_box, source.offset(), target_box, target.offset(), extent), CL_MEM_COPY_OVERLAP);
    }
    require_aligned(on, source);
    require_aligned(on, target);
    const auto command = copy_command(on, new_event(), {&source, source_box}, {&target, target_box}, extent);
    enqueue(on, CL_COMMAND_COPY_BUFFER_RECT, command, std::move(awaited), {count, events, event});
  });
}

cl_int enqueue_fill_buffer(cl_command_queue queue, cl_mem buffer, const void* pattern, std::size_t pattern_size,
                           std::size_t offset, std::size_t size, cl_uint count, const cl_event* events,
                           cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& memory = need_buffer(on, buffer);
    static constexpr std::size_t kLargestVector = 128;
    require(pattern != nullptr && std::has_single_bit(pattern_size) && pattern_size <= kLargestVector,
            CL_INVALID_VALUE);
    (void)linear_box(memory, offset, size);
    require(offset % pattern_size == 0 && size % pattern_size == 0, CL_INVALID_VALUE);
    std::vector<Awaited> awaited = awaited_of(on.context(), {count, events, event});
    require_aligned(on, memory);
    std::vector<std::byte> bytes(pattern_size);
    std::memcpy(bytes.data(), pattern, pattern_size);
    const auto command = fill_command(on, new_event(), memory, offset, size, std::move(bytes));
    enqueue(on, CL_COMMAND_FILL_BUFFER, command, std::move(awaited), {count, events, event});
  });
}

void* enqueue_map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                         std::size_t offset, std::size_t size, cl_uint count, const cl_event* events, cl_event* event,
                         cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&]() -> void* {
    static constexpr cl_map_flags kAll = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    Queue& on = need<Queue>(queue);
    Memory& memory = need_buffer(on, buffer);
    (void)linear_box(memory, offset, size);
    const bool invalidates = (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    require((flags & ~kAll) == 0 && (!invalidates || flags == CL_MAP_WRITE_INVALIDATE_REGION), CL_INVALID_VALUE);
    std::vector<Awaited> awaited = awaited_of(on.context(), {count, events, event});
    require_aligned(on, memory);
    if ((flags & CL_MAP_READ) != 0) require_not(memory, kHostCannotRead);
    if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) require_not(memory, kHostCannotWrite);
    AccessMode mode = (flags & CL_MAP_WRITE) != 0 ? AccessMode::read_write : AccessMode::read;
    if (invalidates) {
      mode = memory.parent() == nullptr && size == memory.size() ? AccessMode::write : AccessMode::read_write;
    }
    const bool writes = mode != AccessMode::read;
    // The runtime moves all parts of a buffer together. But a command may use one part while the program writes to
    // another part that it has mapped. So a map for writing a part gets memory of its own.
    Memory::Map map{memory.host() + offset, offset, size, writes, nullptr};
    if (writes && memory.parent() != nullptr && !memory.uses_program_memory()) {
      map.apart = std::make_shared<platform::HostBuffer>(host_memory(size));
      map.place = map.apart->data();
    }
    std::byte* const place = map.place;
    const auto command = command_of_map(on, memory, map, mode, invalidates);
    memory.add_map(map);
    try {
      enqueue(on, CL_COMMAND_MAP_BUFFER, command, std::move(awaited), {count, events, event}, blocking != CL_FALSE);
    } catch (...) {
      (void)memory.take_map(place);
      throw;
    }
    return place;
  });
}

cl_int enqueue_unmap_mem_object(cl_command_queue queue, cl_mem object, void* mapped, cl_uint count,
                                const cl_event* events, cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    Memory& memory = need_buffer(on, object);
    std::vector<Awaited> awaited = awaited_of(on.context(), {count, events, event});
    const std::optional<Memory::Map> map = memory.take_map(static_cast<std::byte*>(mapped));
    require(map.has_value(), CL_INVALID_VALUE);
    const auto command = command_of_unmap(on, memory, *map);
    enqueue(on, CL_COMMAND_UNMAP_MEM_OBJECT, command, std::move(awaited), {count, events, event});
  });
}

cl_int enqueue_migrate_mem_objects(cl_command_queue queue, cl_uint number, const cl_mem* objects,
                                   cl_mem_migration_flags flags, cl_uint count, const cl_event* events,
                                   cl_event* event) {
  return guarded([&] {
    static constexpr cl_mem_migration_flags kAll = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    Queue& on = need<Queue>(queue);
    require(number > 0 && objects != nullptr && (flags & ~kAll) == 0, CL_INVALID_VALUE);
    std::vector<Memory*> memories;
    for (cl_uint i = 0; i < number; ++i) memories.push_back(&need_buffer(on, objects[i]));
    std::vector<Awaited> awaited = awaited_of(on.context(), {count, events, event});
    for (const Memory* memory : memories) require_aligned(on, *memory);
    // A migration to a device does nothing: data move to a device when a command needs them there, while earlier
    // commands still run.
    const bool home = flags == CL_MIGRATE_MEM_OBJECT_HOST;
    const auto command = home ? bring_home_command(on, new_event(), memories) : marker_command(on, new_event());
    enqueue(on, CL_COMMAND_MIGRATE_MEM_OBJECTS, command, std::move(awaited), {count, events, event});
  });
}

}  // namespace troupe::opencl
