/// Prefetching of memory that the calling thread is about to write.
#pragma once

namespace troupe {

/// Begins to fetch the cache line at `address` for writing, so that other cores lose their copies of the line now, and
/// not when the thread writes. The address may be anything.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // For a baseline x86-64 processor, compilers translate `__builtin_prefetch(address, 1)` to a prefetch for reading,
  // after which the write has to wait for the other cores. Every x86-64 processor accepts this instruction: one that
  // does not know it does nothing.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace troupe
