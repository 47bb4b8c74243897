#include "opencl/objects/info.hpp"

namespace troupe::opencl {

void* Info::place(std::size_t size) const {
  require(value_ == nullptr || size <= size_, CL_INVALID_VALUE);
  if (size_ret_ != nullptr) *size_ret_ = size;
  return value_;
}

void Info::bytes(const void* answer, std::size_t size) const {
  void* to = place(size);
  if (to != nullptr && size != 0) std::memcpy(to, answer, size);
}

void Info::text(std::string_view answer) const {
  auto* to = static_cast<char*>(place(answer.size() + 1));
  if (to == nullptr) return;
  answer.copy(to, answer.size());
  to[answer.size()] = '\0';
}

}  // namespace troupe::opencl
