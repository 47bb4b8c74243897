#include "actors/workers/devices/opencl_lending.hpp"

#include <CL/cl_icd.h>

#include <algorithm>
#include <utility>

namespace troupe::workers {

Result<void> OpenClLending::lend(cl_command_queue queue, const graph::Task& task, TaskViews& views,
                                 platform::OpenClEvent& last) {
  try {
    auto lent = lend_all(queue, task, views, last);
    if (!lent) give_back(queue);
    return lent;
  } catch (...) {
    give_back(queue);
    throw;
  }
}

Result<void> OpenClLending::lend_all(cl_command_queue queue, const graph::Task& task, TaskViews& views,
                                     platform::OpenClEvent& last) {
  const KernelContext context = views.context_of(task);
  buffers_.clear();
  buffers_.reserve(context.size());
  pieces_.reserve(context.size());
  for (std::size_t i = 0; i < context.size(); ++i) {
    const DataView& view = context.data(i);
    const graph::TaskAccess& access = task.data()[i];
    const platform::HostBlock block =
        in_place_ ? host_block_of(access.data()->view)
                  : platform::HostBlock{view.data, view.layout.payload().count, 1, view.layout.payload().count};
    const Result<std::byte*> address = lend_one(queue, {block, access.mode()}, last);
    if (!address) return address.failure();
    if (address.value() != view.data) views.move_to(i, address.value());
  }
  share_beginnings();
  return {};
}

Result<std::byte*> OpenClLending::lend_one(cl_command_queue queue, const Piece& piece, platform::OpenClEvent& last) {
  const auto known = std::ranges::find(pieces_, piece.block, &Piece::block);
  if (known == pieces_.end() || known->mode != piece.mode) {
    cl_event enqueued = nullptr;
    const auto lent = data_.lend(queue, piece, enqueued);
    if (enqueued != nullptr) last = {*data_.device().api, enqueued};
    if (!lent) return lent.failure();
    if (known == pieces_.end()) {
      pieces_.push_back(piece);
      buffers_.push_back({lent.value().address, lent.value().buffer});
      return lent.value().address;
    }
    // A piece of data that the task uses twice, in different ways, is lent only once.
    data_.end(piece);
    known->mode = AccessMode::read_write;
  }
  return const_cast<std::byte*>(buffers_[static_cast<std::size_t>(known - pieces_.begin())].address);
}

/// Pieces of data may begin at the same address, the shorter pieces inside the longest piece. All these pieces get the
/// buffer of the longest piece, because a kernel that looks up an address finds the first buffer with this address.
void OpenClLending::share_beginnings() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const bool longer = pieces_[k].block.bytes() > pieces_[i].block.bytes();
      if (longer && buffers_[k].address == buffers_[i].address) buffers_[i].buffer = buffers_[k].buffer;
    }
  }
}

Result<void> OpenClLending::bring_back(cl_command_queue queue, std::span<const cl_event> after,
                                       platform::OpenClEvent& last) {
  Result<void> outcome;
  for (const Piece& piece : pieces_) {
    cl_event enqueued = nullptr;
    auto back = data_.bring_back(queue, piece, after, enqueued);
    if (enqueued != nullptr) last = {*data_.device().api, enqueued};
    if (outcome && !back) outcome = std::move(back);
  }
  return outcome;
}

void OpenClLending::end() noexcept {
  for (const Piece& piece : pieces_) data_.end(piece);
  pieces_.clear();
}

void OpenClLending::give_back(cl_command_queue queue) noexcept {
  if (pieces_.empty()) return;
  try {
    platform::OpenClEvent last;
    (void)bring_back(queue, {}, last);
  } catch (...) {  // The task fails in any case.
  }
  (void)data_.device().api->clFinish(queue);
  end();
}

}  // namespace troupe::workers
