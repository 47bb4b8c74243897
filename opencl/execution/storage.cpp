#include "opencl/execution/storage.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "opencl/objects/memory.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

namespace {

/// Returns the codelet that writes data without reading them. It does no work: its access only tells the runtime that
/// content on devices is not needed.
const Codelet& overwrite() {
  static const Codelet& codelet =
      *new Codelet(Codelet("drop buffer", {AccessMode::write}).cpu([](const KernelContext& /*context*/) {}));
  return codelet;
}

}  // namespace

/// The registered storages whose memory belongs to the program.
struct Storage::Shared {
  Mutex mutex;
  std::vector<Storage*> known TROUPE_GUARDED_BY(mutex);

  static Shared& get() {
    // The object is never destroyed: a program's own static objects may use OpenCL until the very end.
    static auto* const shared = new Shared;
    return *shared;
  }
};

Storage::Storage(std::shared_ptr<Execution> execution, std::byte* host, std::size_t size, Content content)
    : execution_(std::move(execution)),
      host_(host),
      size_(size),
      of_program_(content == Content::of_program),
      defined_(content != Content::undefined) {}

Storage::~Storage() {
  if (!of_program_) {
    forget();
    return;
  }
  Shared& shared = Shared::get();
  const LockGuard lock(shared.mutex);
  std::erase(shared.known, this);
  forget();
}

void Storage::forget() {
  if (!data_) return;
  try {
    // Without this task, the end of the registration would first copy the content from a device to host memory. The
    // task has the highest priority, because the memory is freed after it.
    TaskOptions first;
    first.priority = std::numeric_limits<std::int32_t>::max();
    execution_->runtime().submit(overwrite(), {data_->handle()}, {}, first);
  } catch (...) {  // The runtime has stopped, so there are no data any more.
  }
  data_.reset();
}

bool Storage::overlaps(const Storage& other) const {
  return execution_ == other.execution_ && host_ < other.host_ + other.size_ && other.host_ < host_ + size_;
}

void Storage::know() {
  const std::span bytes(reinterpret_cast<std::uint8_t*>(host_), size_);
  data_.emplace(execution_->runtime().vector(bytes));
}

Access Storage::access(AccessMode mode) {
  const bool undefined = !defined_;
  if (mode != AccessMode::read) defined_ = true;
  const AccessMode needed = undefined && mode == AccessMode::read_write ? AccessMode::write : mode;
  if (!of_program_) {
    if (!data_) know();
    return {data_->handle(), needed};
  }
  Shared& shared = Shared::get();
  const LockGuard lock(shared.mutex);
  if (!data_) {
    std::erase_if(shared.known, [this](Storage* other) {
      if (!overlaps(*other)) return false;
      // The end of the other registration first copies the newest content from devices to host memory.
      other->data_.reset();
      return true;
    });
    know();
    shared.known.push_back(this);
  }
  return {data_->handle(), needed};
}

Storage& Memory::storage() {
  if (storage_ == nullptr) {
    Storage::Content content = Storage::Content::undefined;
    if ((flags_ & CL_MEM_COPY_HOST_PTR) != 0) content = Storage::Content::defined;
    if (uses_program_memory()) content = Storage::Content::of_program;
    storage_ = std::make_shared<Storage>(context_->execution(), host_, size_, content);
  }
  return *storage_;
}

}  // namespace troupe::opencl
