#include "troupe/data.hpp"

#include <utility>

#include "client/backend.hpp"
#include "graph/codelets/type_names.hpp"
#include "troupe/errors.hpp"

namespace troupe {

void Data::release() {
  auto backend = take_backend();
  if (backend == nullptr) return;
  Result<void> released = backend->release(handle_);
  if (!released && released.failure().code != ErrorCode::invalid_handle) backend_ = backend;
  std::move(released).value_or_throw();
}

void Data::discard() {
  if (const auto backend = backend_.lock()) backend->discard(handle_).value_or_throw();
}

void Data::reset() noexcept {
  if (const auto backend = take_backend()) backend->let_go(handle_);
}

HostAccess::HostAccess(HostAccess&& other) noexcept
    : backend_(other.backend_), hold_(std::exchange(other.hold_, nullptr)), view_(other.view_) {
  if (hold_ != nullptr) backend_->hand_on(hold_);
}

void HostAccess::give_back() noexcept {
  if (hold_ != nullptr) backend_->give_back(std::exchange(hold_, nullptr));
}

void HostAccess::refuse_type(std::uint64_t asked, std::size_t size) const {
  throw Error(ErrorCode::signature_mismatch,
              "data of element type " +
                  two_types(view_.layout.element_tag, view_.layout.element_size, " were looked at as ", asked, size) +
                  ": use the type that they were registered with");
}

void HostAccess::refuse_gaps() {
  throw Error(ErrorCode::signature_mismatch,
              "data with gaps between their columns or planes were looked at as a vector: use matrix or volume");
}

}  // namespace troupe
