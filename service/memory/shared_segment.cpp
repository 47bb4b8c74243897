#include "service/memory/shared_segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <limits>
#include <system_error>
#include <utility>

#include "platform/machine/host_memory.hpp"
#include "platform/memory/huge_pages.hpp"
#include "proto/mutex.hpp"

namespace troupe::service {
namespace {

/// The bytes that are allocated between two checks of the machine's free memory.
constexpr std::uint64_t kStep = 256ULL << 20U;
/// The memory that is always left free: if all memory were used, the kernel would kill processes.
constexpr std::uint64_t kReserve = 64ULL << 20U;

Failure no_memory(Bytes size, const std::string& why) {
  return {ErrorCode::out_of_memory, fmt::format("cannot share {} of memory: {}", in_mebibytes(size), why)};
}

std::string message(int error) { return std::generic_category().message(error); }

/// The sum of the memory that threads are about to allocate. The system does not count this memory yet.
class Promises {
 public:
  /// Adds `step` bytes to the sum if the machine has room for them. If the room is short only because of promises to
  /// other threads, waits for these allocations to end. Fails with `out_of_memory` if there is no room.
  Result<void> begin(Bytes size, std::uint64_t step) {
    UniqueLock lock(mutex_);
    for (;;) {
      const platform::HostMemory memory = platform::read_host_memory();
      const std::uint64_t free = memory.available.count > kReserve ? memory.available.count - kReserve : 0;
      if (step <= free - std::min(free, promised_)) {
        promised_ += step;
        return {};
      }
      if (promised_ == 0) {
        return no_memory(size, fmt::format("{} is left ({}): ask for less, or end other programs", in_mebibytes({free}),
                                           memory.limited_by));
      }
      kept_.wait(lock);
    }
  }
  void end(std::uint64_t step) {
    {
      const LockGuard lock(mutex_);
      promised_ -= step;
    }
    kept_.notify_all();
  }

 private:
  Mutex mutex_;
  std::condition_variable kept_;
  std::uint64_t promised_ TROUPE_GUARDED_BY(mutex_) = 0;
};

/// Returns the only `Promises` of the process, because all threads use the memory of the same machine.
Promises& promises() {
  static Promises all;
  return all;
}

int allocate_pages(int descriptor, std::uint64_t offset, std::uint64_t size) {
  int outcome = 0;
  do {
    outcome = ::fallocate(descriptor, 0, static_cast<off_t>(offset), static_cast<off_t>(size));
  } while (outcome != 0 && errno == EINTR);
  return outcome == 0 ? 0 : errno;
}

}  // namespace

Result<std::shared_ptr<SharedSegment>> SharedSegment::create(Bytes size, std::shared_ptr<MemoryAccount> account,
                                                             BudgetHold hold) {
  if (size.count == 0) return Failure{ErrorCode::invalid_argument, "a segment of 0 bytes was asked for"};
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = size.count <= kMost - page;
  const Bytes rounded{fits ? (size.count + page - 1) / page * page : size.count};
  if (const MemoryAccount* const full = fits ? account->take(rounded) : account.get()) {
    return Failure{
        ErrorCode::invalid_argument,
        fmt::format("{} of shared memory were asked for with {} in use, and the service lets {} have {}: "
                    "release some, or ask for a higher limit",
                    in_mebibytes(size), in_mebibytes(full->used()), full->whose(), in_mebibytes(full->most()))};
  }
  const std::shared_ptr<SharedSegment> segment(new SharedSegment(rounded, std::move(account), std::move(hold)));
  if (auto opened = segment->open(); !opened) return opened.failure();
  if (auto filled = segment->fill(); !filled) return filled.failure();
  // Pinning may fail: then copies to GPUs are slower, but everything works.
  if (auto pinned = platform::PinnedMemory::pin(segment->data_, rounded)) segment->pinned_ = std::move(pinned).value();
  return segment;
}

SharedSegment::~SharedSegment() {
  pinned_ = {};
  if (data_ != nullptr && taken_away_) ::madvise(data_, size_.count, MADV_REMOVE);
  if (data_ != nullptr) ::munmap(data_, size_.count);
  account_->give_back(size_);
}

Result<void> SharedSegment::open() {
  // Check that there is room for the whole size before any of it is allocated.
  if (auto room = promises().begin(size_, size_.count); !room) return room;
  promises().end(size_.count);
  descriptor_ = platform::FileDescriptor(::memfd_create("troupe-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor_.valid()) return no_memory(size_, message(errno));
  if (::ftruncate(descriptor_.get(), static_cast<off_t>(size_.count)) != 0) return no_memory(size_, message(errno));
  if (::fcntl(descriptor_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Failure{ErrorCode::platform, fmt::format("cannot seal shared memory: {}", message(errno))};
  }
  data_ = platform::map_aligned(size_.count, MAP_SHARED, descriptor_.get());
  if (data_ == nullptr) return no_memory(size_, message(errno));
  return {};
}

Result<void> SharedSegment::fill() {
  for (std::uint64_t offset = 0; offset < size_.count; offset += kStep) {
    const std::uint64_t step = std::min(kStep, size_.count - offset);
    if (auto room = promises().begin(size_, step); !room) return room;
    // Huge pages are allocated ten times as fast as small pages, and kernels run faster on them.
    platform::make_huge(data_ + offset, step);
    const int error = allocate_pages(descriptor_.get(), offset, step);
    promises().end(step);
    if (error != 0) return no_memory(size_, message(error));
    // Populating the pages now saves kernels the page faults of their first accesses. Older systems do not know the
    // flag.
    ::madvise(data_ + offset, step, MADV_POPULATE_WRITE);
  }
  return {};
}

}  // namespace troupe::service
