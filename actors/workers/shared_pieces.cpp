#include "actors/workers/shared_pieces.hpp"

#include <algorithm>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

void SharedPieces::open(graph::Task& task, WorkerId owner, int cores, std::uint32_t pieces,
                        std::uint32_t grain) noexcept {
  free_.store(false, std::memory_order_relaxed);
  task_.store(&task, std::memory_order_relaxed);
  kinds_.store(task.codelet->kinds() & kOnCores, std::memory_order_relaxed);
  workers_.store(task.codelet->devices_here.workers.get(), std::memory_order_relaxed);
  pieces_.store(pieces, std::memory_order_relaxed);
  grain_.store(grain, std::memory_order_relaxed);
  owner_ = owner;
  cores_ = cores;
  unfinished_.store(std::uint64_t{pieces} + 1, std::memory_order_relaxed);
  took_.store(0, std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
  // Publishes all fields above to the workers that take a range (`cut`). Sequentially consistent, so that a worker that
  // declares itself idle sees the task.
  const std::uint64_t opening = word_.load(std::memory_order_relaxed) / kOpening + 1;
  word_.store(opening * kOpening + pieces, std::memory_order_seq_cst);
}

bool SharedPieces::may_join(std::uint64_t word, DeviceKind kind, WorkerId worker) const noexcept {
  if ((word & kLeft) == 0 || (kinds_.load(std::memory_order_relaxed) & kind_set(kind)) == 0) return false;
  const WorkerSet* const workers = workers_.load(std::memory_order_relaxed);
  return workers == nullptr || workers->contains(worker);
}

bool SharedPieces::has_some_for(DeviceKind kind, WorkerId worker) const noexcept {
  return may_join(word_.load(std::memory_order_seq_cst), kind, worker);
}

PieceRange SharedPieces::join(DeviceKind kind, WorkerId worker) noexcept {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  while (may_join(word, kind, worker)) {
    const PieceRange range = cut(word);
    if (!range.empty()) return range;
  }
  return {};
}

PieceRange SharedPieces::take() noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  while ((word & kLeft) != 0) {
    const PieceRange range = cut(word);
    if (!range.empty()) return range;
  }
  return {};
}

PieceRange SharedPieces::cut(std::uint64_t& word) noexcept {
  const auto left = static_cast<std::uint32_t>(word & kLeft);
  const std::uint32_t number = std::min(left, grain_.load(std::memory_order_relaxed));
  // Acquire: pairs with the store in `open`, before which the fields were stored.
  if (!word_.compare_exchange_weak(word, word - number, std::memory_order_acquire, std::memory_order_acquire))
    return {};
  return {pieces_.load(std::memory_order_relaxed) - left, number};
}

void SharedPieces::fail(const graph::FailureLog::Cause& cause) noexcept {
  // A failure removes all pieces that are left, even if an earlier cause is kept: this worker must find no more pieces.
  const std::uint64_t word = word_.fetch_and(~kLeft, std::memory_order_relaxed);
  // The removed pieces count as finished. The count cannot become 0 here, because this worker has not left yet.
  unfinished_.fetch_sub(word & kLeft, std::memory_order_relaxed);
  // Only the worker that leaves last reads the cause, and this worker has not left yet.
  if (!failed_.exchange(true, std::memory_order_relaxed)) cause_ = cause;
}

bool SharedPieces::leave(const PiecesDone& pieces) noexcept {
  took_.fetch_add(pieces.took.count(), std::memory_order_relaxed);
  const std::uint64_t mine = std::uint64_t{pieces.number} + (pieces.owner ? 1 : 0);
  // Release: publishes the effects of the pieces, the cause and the times. Acquire: the worker that leaves last sees
  // what all other workers have published.
  return unfinished_.fetch_sub(mine, std::memory_order_acq_rel) == mine;
}

SharedPieces::Ended SharedPieces::let_go() noexcept {
  const Duration all(took_.load(std::memory_order_relaxed));
  Ended ended{&task(), owner_, std::exchange(cause_, nullptr), all / cores_};
  // Release: pairs with the acquire in `free`, after which the owner may use this object again.
  free_.store(true, std::memory_order_release);
  return ended;
}

std::optional<SharedPieces::Progress> SharedPieces::progress_of(const graph::Task& task) const noexcept {
  const std::uint64_t before = word_.load(std::memory_order_acquire);
  // Acquire: keeps the second load of the word after these loads. There is no fence, because the thread sanitizer does
  // not know fences.
  const bool same = task_.load(std::memory_order_acquire) == &task;
  const std::uint32_t pieces = pieces_.load(std::memory_order_acquire);
  const std::uint64_t after = word_.load(std::memory_order_relaxed);
  if (!same || before / kOpening != after / kOpening) return std::nullopt;
  return Progress{pieces, pieces - static_cast<std::uint32_t>(after & kLeft)};
}

SharedPieces& PieceBoard::open(graph::Task& task, WorkerId owner, int cores, std::uint32_t pieces,
                               std::uint32_t grain) {
  const auto unused = std::ranges::find_if(all_, [](const SharedPieces& one) { return one.free(); });
  SharedPieces& shared = unused != all_.end() ? *unused : all_.emplace_back();
  shared.open(task, owner, cores, pieces, grain);
  working_.store(&shared, std::memory_order_release);
  anywhere_->fetch_add(1, std::memory_order_seq_cst);
  open_.store(&shared, std::memory_order_seq_cst);
  return shared;
}

void PieceBoard::close() noexcept {
  open_.store(nullptr, std::memory_order_seq_cst);
  anywhere_->fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace troupe::workers
