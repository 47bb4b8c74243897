#include "platform/memory/address_range.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace troupe::platform {

Result<AddressRange> AddressRange::reserve(Bytes size) {
  void* const begin = ::mmap(nullptr, size.count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) {
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("{} bytes of addresses cannot be reserved: {}", size.count, std::strerror(errno))};
  }
  return AddressRange(static_cast<std::byte*>(begin), size);
}

AddressRange::AddressRange(AddressRange&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, {})) {}

AddressRange& AddressRange::operator=(AddressRange&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

AddressRange::~AddressRange() {
  if (begin_ != nullptr) (void)::munmap(begin_, size_.count);
}

}  // namespace troupe::platform
