#include "platform/memory/stack.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace troupe::platform {

namespace {

/// Returns the address in the middle of the calling thread's stack.
std::uintptr_t find_middle() noexcept {
  // Every address lies below this value, so the answer is that there is no room.
  constexpr auto kUnknown = std::numeric_limits<std::uintptr_t>::max();
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return kUnknown;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<std::uintptr_t>(lowest) + size / 2 : kUnknown;
}

}  // namespace

bool stack_is_half_free() noexcept {
  static thread_local const std::uintptr_t middle = find_middle();
  // The address of a local variable would not do: a sanitizer may keep locals elsewhere. Stacks grow downwards.
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > middle;
}

}  // namespace troupe::platform
