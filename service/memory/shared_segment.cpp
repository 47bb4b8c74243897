#include "service/memory/shared_segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "platform/machine/host_memory.hpp"
#include "platform/memory/huge_pages.hpp"

namespace troupe::service {
namespace {

/// Allocated between two looks at what the machine has left.
constexpr std::uint64_t kStep = 256ULL << 20U;
/// What the machine keeps: with the last of its memory gone, the kernel would end processes.
constexpr std::uint64_t kReserve = 64ULL << 20U;

std::string in_mebibytes(Bytes size) { return fmt::format("{:.1f} MiB", static_cast<double>(size.count) / 1048576.0); }

Failure no_memory(Bytes size, const std::string& why) {
  return {ErrorCode::out_of_memory, fmt::format("cannot share {} of memory: {}", in_mebibytes(size), why)};
}

std::string message(int error) { return std::generic_category().message(error); }

Result<void> check_room(Bytes size, std::uint64_t step) {
  const platform::HostMemory memory = platform::read_host_memory();
  const std::uint64_t free = memory.available.count > kReserve ? memory.available.count - kReserve : 0;
  if (step <= free) return {};
  return no_memory(size, fmt::format("{} is left ({}): ask for less, or end other programs", in_mebibytes({free}),
                                     memory.limited_by));
}

}  // namespace

bool MemoryAccount::take(Bytes size) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (size.count > most_.count || used > most_.count - size.count) return false;
  } while (!used_.compare_exchange_weak(used, used + size.count, std::memory_order_relaxed));
  return true;
}

Result<std::shared_ptr<SharedSegment>> SharedSegment::create(Bytes size, std::shared_ptr<MemoryAccount> account) {
  if (size.count == 0) return Failure{ErrorCode::invalid_argument, "a segment of 0 bytes was asked for"};
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = size.count <= kMost - page;
  const Bytes rounded{fits ? (size.count + page - 1) / page * page : size.count};
  if (!fits || !account->take(rounded)) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("{} of shared memory were asked for with {} in use, and the service lets a client have "
                               "{}: release memory that is not needed, or ask for a higher limit",
                               in_mebibytes(size), in_mebibytes(account->used()), in_mebibytes(account->most()))};
  }
  const std::shared_ptr<SharedSegment> segment(new SharedSegment(rounded, std::move(account)));
  if (auto opened = segment->open(); !opened) return opened.failure();
  if (auto filled = segment->fill(); !filled) return filled.failure();
  // Where it cannot be pinned, copies to GPUs are slower and nothing else.
  if (auto pinned = platform::PinnedMemory::pin(segment->data_, rounded)) segment->pinned_ = std::move(pinned).value();
  return segment;
}

SharedSegment::~SharedSegment() {
  pinned_ = {};
  if (data_ != nullptr) ::munmap(data_, size_.count);
  descriptor_.reset();
  account_->give_back(size_);
}

Result<void> SharedSegment::open() {
  if (auto room = check_room(size_, size_.count); !room) return room;
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
    if (auto room = check_room(size_, step); !room) return room;
    // Ten times faster than page by page, and kernels run faster on them.
    platform::make_huge(data_ + offset, step);
    int outcome = 0;
    do {
      outcome = ::fallocate(descriptor_.get(), 0, static_cast<off_t>(offset), static_cast<off_t>(step));
    } while (outcome != 0 && errno == EINTR);
    if (outcome != 0) return no_memory(size_, message(errno));
    // Saves kernels the first touch of each page. Older systems do not know it.
    ::madvise(data_ + offset, step, MADV_POPULATE_WRITE);
  }
  return {};
}

}  // namespace troupe::service
