/// Memory of an exact size between inaccessible pages. With this memory a wrong access crashes, also inside libraries,
/// which no sanitizer checks.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace troupe::tests {

class GuardedMemory {
 public:
  /// If `at_end`, the first byte after the memory is inaccessible (rounded up to a multiple of `alignment`). Otherwise
  /// the last byte before the memory is inaccessible.
  GuardedMemory(std::size_t size, bool at_end, std::size_t alignment) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t inside = (size + page - 1) / page * page + page;
    length_ = inside + 2 * page;
    map_ = ::mmap(nullptr, length_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map_ == MAP_FAILED) throw std::runtime_error("cannot map memory");
    auto* const first = static_cast<std::byte*>(map_) + page;
    if (::mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("cannot open memory");
    data_ = at_end ? first + inside - (size + alignment - 1) / alignment * alignment : first;
  }
  GuardedMemory(GuardedMemory&& other) noexcept
      : map_(std::exchange(other.map_, nullptr)), length_(other.length_), data_(other.data_) {}
  GuardedMemory& operator=(GuardedMemory&&) = delete;
  ~GuardedMemory() {
    if (map_ != nullptr) ::munmap(map_, length_);
  }

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  void* map_ = nullptr;
  std::size_t length_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace troupe::tests
