#include "opencl/objects/host_block.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "opencl/objects/refusal.hpp"

namespace troupe::opencl {
namespace {

/// From here on, memory is mapped; below, mapping would take longer than clearing.
constexpr std::size_t kMapped = 64 << 10;
/// Of the largest vector type, and of any device's base addresses.
constexpr std::size_t kAlignment = 4096;

}  // namespace

HostBlock::HostBlock(std::size_t size) : size_(size) {
  if (size >= kMapped) {
    void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(mapped != MAP_FAILED, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    data_ = static_cast<std::byte*>(mapped);
    return;
  }
  const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
  require(data_ != nullptr, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  std::memset(data_, 0, size);
}

HostBlock::HostBlock(HostBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

HostBlock& HostBlock::operator=(HostBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

HostBlock::~HostBlock() {
  if (data_ == nullptr) return;
  if (size_ >= kMapped) {
    ::munmap(data_, size_);
  } else {
    std::free(data_);
  }
}

}  // namespace troupe::opencl
