/// Host memory of a buffer.
#pragma once

#include <cstddef>

namespace troupe::opencl {

/// Pages of zeros that the system provides when they are touched first. Move-only.
class HostBlock {
 public:
  HostBlock() = default;
  /// Refuses with CL_MEM_OBJECT_ALLOCATION_FAILURE. Aligned to at least 4 KiB.
  explicit HostBlock(std::size_t size);
  HostBlock(HostBlock&& other) noexcept;
  HostBlock& operator=(HostBlock&& other) noexcept;
  ~HostBlock();

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace troupe::opencl
