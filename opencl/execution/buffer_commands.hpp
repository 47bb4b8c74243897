/// Commands on buffers and the program's memory (read, write, copy, fill, map, migrate), and markers and barriers.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "opencl/execution/host_copy.hpp"
#include "opencl/execution/runtime_command.hpp"

namespace troupe::opencl {

/// A box of a buffer's bytes.
struct Region {
  Memory* memory = nullptr;
  Box box;
};

/// Each function below makes a command and does not enqueue it. The caller must have checked sizes and offsets.
using EventPointer = std::shared_ptr<EventState>;

[[nodiscard]] std::shared_ptr<Command> read_command(Queue& queue, EventPointer event, const Region& from, std::byte* to,
                                                    const Box& to_box, const std::array<std::size_t, 3>& region);
[[nodiscard]] std::shared_ptr<Command> write_command(Queue& queue, EventPointer event, const std::byte* from,
                                                     const Box& from_box, const Region& to,
                                                     const std::array<std::size_t, 3>& region);
[[nodiscard]] std::shared_ptr<Command> copy_command(Queue& queue, EventPointer event, const Region& from,
                                                    const Region& to, const std::array<std::size_t, 3>& region);
[[nodiscard]] std::shared_ptr<Command> fill_command(Queue& queue, EventPointer event, Memory& memory,
                                                    std::size_t offset, std::size_t size,
                                                    std::vector<std::byte> pattern);
/// Makes the command for a map or an unmap. The command copies newer content from devices to host memory; if `mode`
/// includes writing, the content then is valid only in host memory.
[[nodiscard]] std::shared_ptr<Command> map_command(Queue& queue, EventPointer event, Memory& memory, AccessMode mode);
/// Makes a command that copies newer content from devices to host memory. The content stays valid on the devices, too.
[[nodiscard]] std::shared_ptr<Command> bring_home_command(Queue& queue, EventPointer event,
                                                          const std::vector<Memory*>& memories);
/// Makes a command that does nothing and uses no data.
[[nodiscard]] std::shared_ptr<Command> marker_command(Queue& queue, EventPointer event);

}  // namespace troupe::opencl
