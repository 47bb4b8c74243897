#include "opencl/commands/released_memory.hpp"

namespace troupe::opencl {

namespace {

/// A wait ends when at most this much released memory is not yet freed. The amount is fixed, because the next buffer of
/// the program may be small or large.
constexpr std::size_t kLittle = std::size_t{32} << 20U;

}  // namespace

ReleasedMemory& ReleasedMemory::get() {
  // The object is never destroyed: a program's own static objects may use OpenCL until the very end.
  static auto* const memory = new ReleasedMemory;
  return *memory;
}

void ReleasedMemory::add(std::size_t bytes) {
  const LockGuard lock(mutex_);
  bytes_ += bytes;
}

void ReleasedMemory::give_back(std::size_t bytes) {
  const LockGuard lock(mutex_);
  bytes_ -= bytes;
  if (bytes_ <= kLittle) less_.notify_all();
}

void ReleasedMemory::wait_until_little_is_left() {
  if (process_ != getpid()) return;
  UniqueLock lock(mutex_);
  less_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return bytes_ <= kLittle; });
}

}  // namespace troupe::opencl
