#include "opencl/objects/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "opencl/commands/released_memory.hpp"
#include "opencl/commands/worker_scope.hpp"

namespace troupe::opencl {
namespace {

constexpr cl_mem_flags kDeviceAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags kHostAccess = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kHostPointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool at_most_one_of(cl_mem_flags flags, cl_mem_flags group) { return std::popcount(flags & group) <= 1; }
bool all_of(cl_mem_flags flags, cl_mem_flags wanted) { return (flags & wanted) == wanted; }
bool any_of(cl_mem_flags flags, cl_mem_flags wanted) { return (flags & wanted) != 0; }

void check_flags(cl_mem_flags flags) {
  require((flags & ~(kDeviceAccess | kHostAccess | kHostPointer)) == 0, CL_INVALID_VALUE);
  require(at_most_one_of(flags, kDeviceAccess) && at_most_one_of(flags, kHostAccess), CL_INVALID_VALUE);
  require(!all_of(flags, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR) &&
              !all_of(flags, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR),
          CL_INVALID_VALUE);
}

/// Checks the flags of a sub-buffer. They may forbid accesses that the whole buffer allows, but not allow more.
void check_flags_of_part(cl_mem_flags flags, cl_mem_flags whole) {
  check_flags(flags);
  require(!any_of(flags, kHostPointer), CL_INVALID_VALUE);
  const auto excludes = [&](cl_mem_flags of_whole, cl_mem_flags of_part) {
    require(!any_of(whole, of_whole) || !any_of(flags, of_part), CL_INVALID_VALUE);
  };
  excludes(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY);
  excludes(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY);
  excludes(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY);
  excludes(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY);
  excludes(CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY);
}

/// Adds flags of the whole buffer to those of a sub-buffer, for each kind of access for which the sub-buffer has no
/// flag.
cl_mem_flags inherited(cl_mem_flags flags, cl_mem_flags whole) {
  if (!any_of(flags, kDeviceAccess)) flags |= whole & kDeviceAccess;
  if (!any_of(flags, kHostAccess)) flags |= whole & kHostAccess;
  return flags | (whole & kHostPointer);
}

}  // namespace

platform::HostBuffer host_memory(std::size_t size) {
  // The memory has separate pages, so it is aligned for every type and device, and its pages may be on any NUMA node.
  static constexpr int kAnyNode = -1;
  Result<platform::HostBuffer> made = platform::HostBuffer::allocate_on({size}, kAnyNode);
  require(static_cast<bool>(made), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  return std::move(made).value();
}

Memory::Memory(Context& context, Memory* parent, const Shape& shape)
    : context_(&context), parent_(parent), flags_(shape.flags), size_(shape.size), offset_(shape.offset) {}

Memory* Memory::make_buffer(Context& context, const cl_mem_properties* properties, cl_mem_flags flags, std::size_t size,
                            void* host_pointer) {
  require(properties == nullptr || *properties == 0, CL_INVALID_PROPERTY);
  check_flags(flags);
  require(size != 0 && size <= context.largest_buffer(), CL_INVALID_BUFFER_SIZE);
  require((host_pointer != nullptr) == any_of(flags, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR), CL_INVALID_HOST_PTR);
  platform::HostBuffer block;
  if (!any_of(flags, CL_MEM_USE_HOST_PTR)) {
    ReleasedMemory::get().wait_until_little_is_left();
    block = host_memory(size);
  }
  if (any_of(flags, CL_MEM_COPY_HOST_PTR)) std::memcpy(block.data(), host_pointer, size);
  auto* memory = new Memory(context, nullptr, {flags, size});
  memory->host_ = block.data() != nullptr ? block.data() : static_cast<std::byte*>(host_pointer);
  memory->block_ = std::move(block);
  if (properties != nullptr) memory->properties_.push_back(0);
  return memory;
}

Memory* Memory::make_sub_buffer(Memory& parent, cl_mem_flags flags, cl_buffer_create_type type, const void* info) {
  require(parent.parent() == nullptr, CL_INVALID_MEM_OBJECT);
  check_flags_of_part(flags, parent.flags());
  require(type == CL_BUFFER_CREATE_TYPE_REGION && info != nullptr, CL_INVALID_VALUE);
  const auto& region = *static_cast<const cl_buffer_region*>(info);
  require(region.size != 0, CL_INVALID_BUFFER_SIZE);
  require(region.origin <= parent.size() && region.size <= parent.size() - region.origin, CL_INVALID_VALUE);
  const auto& devices = parent.context().devices();
  require(std::ranges::any_of(devices,
                              [&](const Device* device) { return region.origin % device->offset_alignment() == 0; }),
          CL_MISALIGNED_SUB_BUFFER_OFFSET);
  auto* memory = new Memory(parent.context(), &parent, {inherited(flags, parent.flags()), region.size, region.origin});
  memory->host_ = parent.host() + region.origin;
  return memory;
}

void Memory::on_unused() {
  struct Last {
    // The block is declared first, so that it is destroyed last: the data lie in it.
    platform::HostBuffer block;
    std::shared_ptr<Storage> storage;
    std::vector<Registered> callbacks;
  };
  parent_ = Ref<Memory>();
  auto last = std::make_shared<Last>();
  last->block = std::move(block_);
  last->storage = std::move(storage_);
  {
    const LockGuard lock(mutex_);
    last->callbacks.swap(callbacks_);
  }
  if (last->storage == nullptr && last->callbacks.empty()) return;
  const std::size_t bytes = last->block.size().count;
  ReleasedMemory::get().add(bytes);
  run_outside_of_workers([self = handle(), last = std::move(last), bytes] {
    last->storage.reset();
    last->block = {};
    ReleasedMemory::get().give_back(bytes);
    if (last->callbacks.empty()) return;
    run_program_functions([self, callbacks = std::move(last->callbacks)] {
      for (auto callback = callbacks.rbegin(); callback != callbacks.rend(); ++callback) {
        callback->function(self, callback->user_data);
      }
    });
  });
}

void Memory::add_map(Map map) {
  const LockGuard lock(mutex_);
  maps_.push_back(std::move(map));
}

std::optional<Memory::Map> Memory::take_map(std::byte* place) {
  const LockGuard lock(mutex_);
  const auto found = std::ranges::find(maps_, place, &Map::place);
  if (found == maps_.end()) return std::nullopt;
  Map map = std::move(*found);
  maps_.erase(found);
  return map;
}

std::size_t Memory::maps() const {
  const LockGuard lock(mutex_);
  return maps_.size();
}

void Memory::on_destruction(Callback function, void* user_data) {
  const LockGuard lock(mutex_);
  callbacks_.push_back({function, user_data});
}

void Memory::info(cl_mem_info what, const Info& answer) {
  switch (what) {
    case CL_MEM_TYPE: return answer.value(cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
    case CL_MEM_FLAGS: return answer.value(flags_);
    case CL_MEM_SIZE: return answer.value(size_);
    case CL_MEM_HOST_PTR: return answer.value(static_cast<void*>(uses_program_memory() ? host_ : nullptr));
    case CL_MEM_MAP_COUNT: return answer.value(static_cast<cl_uint>(maps()));
    case CL_MEM_REFERENCE_COUNT: return answer.value(user_references());
    case CL_MEM_CONTEXT: return answer.value(context_->handle());
    case CL_MEM_ASSOCIATED_MEMOBJECT: return answer.value(parent_ ? parent_->handle() : cl_mem{nullptr});
    case CL_MEM_OFFSET: return answer.value(offset_);
    case CL_MEM_USES_SVM_POINTER: return answer.value(cl_bool{CL_FALSE});
    case CL_MEM_PROPERTIES: return answer.list(std::span(properties_));
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

}  // namespace troupe::opencl
