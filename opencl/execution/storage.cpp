#include "opencl/execution/storage.hpp"

#include <span>
#include <utility>

#include "opencl/objects/memory.hpp"

namespace troupe::opencl {

namespace {

/// Nothing reads what it writes: only to say that the content on devices is of no use any more.
const Codelet& overwrite() {
  static const Codelet codelet =
      Codelet("drop buffer", {AccessMode::write}).cpu([](const KernelContext& /*context*/) {});
  return codelet;
}

Data registered(Execution& execution, std::byte* host, std::size_t size) {
  const std::span bytes(reinterpret_cast<std::uint8_t*>(host), size);
  return execution.runtime().vector(bytes);
}

}  // namespace

Storage::Storage(std::shared_ptr<Execution> execution, std::byte* host, std::size_t size, bool defined)
    : execution_(std::move(execution)), data_(registered(*execution_, host, size)), defined_(defined) {}

Storage::~Storage() {
  try {
    // Else what a device has would be copied home before the registration ends.
    execution_->runtime().submit(overwrite(), {data_.handle()});
  } catch (...) {  // The runtime has stopped: there are no data any more.
  }
}

Access Storage::access(AccessMode mode) {
  const bool undefined = !defined_;
  if (mode != AccessMode::read) defined_ = true;
  return {data_.handle(), undefined && mode == AccessMode::read_write ? AccessMode::write : mode};
}

Storage& Memory::storage() {
  if (storage_ == nullptr) {
    const bool defined = (flags_ & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0;
    storage_ = std::make_shared<Storage>(context_->execution(), host_, size_, defined);
  }
  return *storage_;
}

}  // namespace troupe::opencl
