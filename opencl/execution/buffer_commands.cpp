#include "opencl/execution/buffer_commands.hpp"

#include <CL/cl.h>

#include <utility>

namespace troupe::opencl {

namespace {

using Extent = std::array<std::size_t, 3>;

/// A command that runs on a core, on host memory.
class HostCommand : public RuntimeCommand {
 public:
  HostCommand(Queue& queue, EventPointer event, const Codelet& codelet)
      : RuntimeCommand(queue, std::move(event)), codelet_(&codelet) {}

 protected:
  [[nodiscard]] const Codelet& codelet() override { return *codelet_; }

 private:
  const Codelet* codelet_;
};

/// Returns the access mode of a command that writes this many bytes. A command that writes the whole buffer does not
/// need the old content.
AccessMode mode_of_writing(const Memory& memory, std::size_t bytes) {
  return memory.parent() == nullptr && bytes == memory.size() ? AccessMode::write : AccessMode::read_write;
}

std::size_t bytes_of(const Extent& region) { return region[0] * region[1] * region[2]; }

class ReadCommand final : public HostCommand {
 public:
  ReadCommand(Queue& queue, EventPointer event, const Region& from, std::byte* to, const Box& to_box,
              const Extent& region)
      : HostCommand(queue, std::move(event), the_codelet()),
        memory_(from.memory),
        from_(from.box),
        to_(to),
        to_box_(to_box),
        region_(region) {
    use(*from.memory, AccessMode::read);
    use(HostRange{to + to_box.begin(), to_box.end(region) - to_box.begin(), true});
  }

 private:
  static const Codelet& the_codelet() {
    static const Codelet& codelet = *new Codelet(command_codelet("read buffer", kind_set(DeviceKind::cpu_core)));
    return codelet;
  }
  int run(const KernelContext& context) override {
    copy_box(to_, to_box_, begin_of(context, *memory_), from_, region_);
    return CL_COMPLETE;
  }
  void drop() override { memory_ = {}; }

  Ref<Memory> memory_;
  Box from_;
  std::byte* to_;
  Box to_box_;
  Extent region_;
};

class WriteCommand final : public HostCommand {
 public:
  WriteCommand(Queue& queue, EventPointer event, const std::byte* from, const Box& from_box, const Region& to,
               const Extent& region)
      : HostCommand(queue, std::move(event), the_codelet()),
        memory_(to.memory),
        to_(to.box),
        from_(from),
        from_box_(from_box),
        region_(region) {
    use(*to.memory, mode_of_writing(*to.memory, bytes_of(region)));
    use(HostRange{from + from_box.begin(), from_box.end(region) - from_box.begin(), false});
  }

 private:
  static const Codelet& the_codelet() {
    static const Codelet& codelet = *new Codelet(command_codelet("write buffer", kind_set(DeviceKind::cpu_core)));
    return codelet;
  }
  int run(const KernelContext& context) override {
    copy_box(begin_of(context, *memory_), to_, from_, from_box_, region_);
    return CL_COMPLETE;
  }
  void drop() override { memory_ = {}; }

  Ref<Memory> memory_;
  Box to_;
  const std::byte* from_;
  Box from_box_;
  Extent region_;
};

class CopyCommand final : public HostCommand {
 public:
  CopyCommand(Queue& queue, EventPointer event, const Region& from, const Region& to, const Extent& region)
      : HostCommand(queue, std::move(event), the_codelet()),
        from_(from.memory),
        from_box_(from.box),
        to_(to.memory),
        to_box_(to.box),
        region_(region) {
    use(*from.memory, AccessMode::read);
    use(*to.memory, mode_of_writing(*to.memory, bytes_of(region)));
  }

 private:
  static const Codelet& the_codelet() {
    static const Codelet& codelet = *new Codelet(command_codelet("copy buffer", kind_set(DeviceKind::cpu_core)));
    return codelet;
  }
  int run(const KernelContext& context) override {
    copy_box(begin_of(context, *to_), to_box_, begin_of(context, *from_), from_box_, region_);
    return CL_COMPLETE;
  }
  void drop() override {
    from_ = {};
    to_ = {};
  }

  Ref<Memory> from_;
  Box from_box_;
  Ref<Memory> to_;
  Box to_box_;
  Extent region_;
};

class FillCommand final : public HostCommand {
 public:
  FillCommand(Queue& queue, EventPointer event, Memory& memory, std::size_t offset, std::size_t size,
              std::vector<std::byte> pattern)
      : HostCommand(queue, std::move(event), the_codelet()),
        memory_(&memory),
        offset_(offset),
        size_(size),
        pattern_(std::move(pattern)) {
    use(memory, mode_of_writing(memory, size));
  }

 private:
  static const Codelet& the_codelet() {
    static const Codelet& codelet = *new Codelet(command_codelet("fill buffer", kind_set(DeviceKind::cpu_core)));
    return codelet;
  }
  int run(const KernelContext& context) override {
    fill(begin_of(context, *memory_) + offset_, size_, pattern_.data(), pattern_.size());
    return CL_COMPLETE;
  }
  void drop() override { memory_ = {}; }

  Ref<Memory> memory_;
  std::size_t offset_;
  std::size_t size_;
  std::vector<std::byte> pattern_;
};

/// A command that does no work. If it accesses data, the runtime first brings the data to the host.
class EmptyCommand final : public HostCommand {
 public:
  using HostCommand::HostCommand;
  using RuntimeCommand::use;

 private:
  int run(const KernelContext& /*context*/) override { return CL_COMPLETE; }
};

}  // namespace

std::shared_ptr<Command> read_command(Queue& queue, EventPointer event, const Region& from, std::byte* to,
                                      const Box& to_box, const Extent& region) {
  return std::make_shared<ReadCommand>(queue, std::move(event), from, to, to_box, region);
}

std::shared_ptr<Command> write_command(Queue& queue, EventPointer event, const std::byte* from, const Box& from_box,
                                       const Region& to, const Extent& region) {
  return std::make_shared<WriteCommand>(queue, std::move(event), from, from_box, to, region);
}

std::shared_ptr<Command> copy_command(Queue& queue, EventPointer event, const Region& from, const Region& to,
                                      const Extent& region) {
  return std::make_shared<CopyCommand>(queue, std::move(event), from, to, region);
}

std::shared_ptr<Command> fill_command(Queue& queue, EventPointer event, Memory& memory, std::size_t offset,
                                      std::size_t size, std::vector<std::byte> pattern) {
  return std::make_shared<FillCommand>(queue, std::move(event), memory, offset, size, std::move(pattern));
}

std::shared_ptr<Command> map_command(Queue& queue, EventPointer event, Memory& memory, AccessMode mode) {
  static const Codelet& codelet =
      *new Codelet(EmptyCommand::command_codelet("map buffer", kind_set(DeviceKind::cpu_core)));
  auto command = std::make_shared<EmptyCommand>(queue, std::move(event), codelet);
  command->use(memory, mode);
  return command;
}

std::shared_ptr<Command> bring_home_command(Queue& queue, EventPointer event, const std::vector<Memory*>& memories) {
  static const Codelet& codelet =
      *new Codelet(EmptyCommand::command_codelet("migrate buffers", kind_set(DeviceKind::cpu_core)));
  auto command = std::make_shared<EmptyCommand>(queue, std::move(event), codelet);
  for (Memory* memory : memories) command->use(*memory, AccessMode::read);
  return command;
}

std::shared_ptr<Command> marker_command(Queue& queue, EventPointer event) {
  static const Codelet& codelet = *new Codelet(EmptyCommand::command_codelet("marker", kind_set(DeviceKind::cpu_core)));
  return std::make_shared<EmptyCommand>(queue, std::move(event), codelet);
}

}  // namespace troupe::opencl
