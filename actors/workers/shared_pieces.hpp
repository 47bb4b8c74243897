/// Tasks that run in pieces, and the workers that run the pieces.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/device_set.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "proto/spin_lock.hpp"
#include "troupe/devices.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// Consecutive pieces of one task.
struct PieceRange {
  std::uint32_t first = 0;
  std::uint32_t number = 0;

  [[nodiscard]] bool empty() const { return number == 0; }
};

class SharedPieces;

/// The pieces of one task that one worker did; other workers may still run other pieces.
struct PiecesDone {
  /// The shared object of the task; null if the worker did no pieces of the task.
  SharedPieces* of = nullptr;
  std::uint32_t number = 0;
  /// The time of all cores of the worker, added up.
  Duration took{};
  /// True if the worker began the task.
  bool owner = false;
};

/// One running task of pieces. The worker that begins the task is the *owner*, and opens the task. Then the owner and
/// the workers that join take ranges of pieces until no piece is left. Then each of these workers leaves. The worker
/// that leaves last ends the task, so no worker waits for another.
///
/// 1. Each piece is in exactly one range. Ranges are taken from the atomic `word_` by compare and exchange. The word
/// also counts the calls of `open`, so that a worker that has read the word for one task never takes pieces of the next
/// task.
/// 2. While a worker has a range and has not left, the task exists and the fields here do not change. The reason is
/// that `unfinished_`, which begins as the number of pieces plus one for the owner, has not become 0.
/// 3. A failure removes all pieces that no worker has taken, so that they never run.
///
/// The const functions and `join` may be called from any thread. This object outlives all actors.
class SharedPieces {
 public:
  SharedPieces() = default;
  SharedPieces(const SharedPieces&) = delete;
  SharedPieces& operator=(const SharedPieces&) = delete;

  // These functions are called by the owner.

  /// Opens a task: pieces can be taken from now on. `cores` is the number of the owner's cores. A range has at most
  /// `grain` pieces.
  void open(graph::Task& task, WorkerId owner, int cores, std::uint32_t pieces, std::uint32_t grain) noexcept;
  /// Returns true if this object can be opened for another task: the worker that left the last task last has called
  /// `let_go`.
  [[nodiscard]] bool free() const { return free_.load(std::memory_order_acquire); }

  // These functions are called by workers that have not joined.

  [[nodiscard]] bool has_some_for(DeviceKind kind, WorkerId worker) const noexcept;
  /// Lets one more worker join, and takes the first range for this worker. The range is empty if no piece is left,
  /// if devices of this kind cannot run the task on host memory, or if the worker is not allowed to run the task.
  [[nodiscard]] PieceRange join(DeviceKind kind, WorkerId worker) noexcept;

  // These functions are called by the workers that run pieces: the owner, and each worker that has joined and has
  // not left.

  /// Takes the next range of pieces; the range is empty if no piece is left.
  [[nodiscard]] PieceRange take() noexcept;
  [[nodiscard]] graph::Task& task() const { return *task_.load(std::memory_order_relaxed); }
  [[nodiscard]] WorkerId owner() const { return owner_; }
  [[nodiscard]] std::uint32_t pieces() const { return pieces_.load(std::memory_order_relaxed); }
  /// Notes that a piece has failed. The first cause becomes the cause of the task's failure. `cause` must not be null.
  void fail(const graph::FailureLog::Cause& cause) noexcept;
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
  /// Called when the worker takes no more pieces. Returns true if all other workers have left: then the task has ended,
  /// and the caller must call `let_go`.
  [[nodiscard]] bool leave(const PiecesDone& pieces) noexcept;

  // This function is called by the worker that has left last.

  struct Ended {
    graph::Task* task = nullptr;
    WorkerId owner;
    graph::FailureLog::Cause cause;
    /// The time that all pieces would take on the owner's device: the sum of the times of all pieces, divided by the
    /// number of the owner's cores.
    Duration took{};
  };
  [[nodiscard]] Ended let_go() noexcept;

  // This function is used in reports for people.

  struct Progress {
    std::uint32_t pieces = 0;
    std::uint32_t begun = 0;
  };
  /// Returns the progress of this task; nothing if the object holds another task or no task.
  [[nodiscard]] std::optional<Progress> progress_of(const graph::Task& task) const noexcept;

 private:
  static constexpr std::uint64_t kLeft = 0xffff'ffff;
  static constexpr std::uint64_t kOpening = kLeft + 1;

  [[nodiscard]] bool may_join(std::uint64_t word, DeviceKind kind, WorkerId worker) const noexcept;
  /// Tries to take a range from the word. If `word_` no longer has the value `word`, returns an empty range and stores
  /// the present value in `word`.
  [[nodiscard]] PieceRange cut(std::uint64_t& word) noexcept;

  /// The high half counts the calls of `open`. The low half holds the number of pieces that no worker has taken yet;
  /// these are the task's last pieces.
  std::atomic<std::uint64_t> word_{0};
  // The next five members are atomic because workers that have not joined read them. Such a worker takes pieces only
  // if `word_` has not changed since before the worker read these members.
  std::atomic<graph::Task*> task_{nullptr};
  /// A worker may join if its device is of the kinds `kinds_` and the worker is in the set `workers_` (null for all
  /// workers). The codelet is not stored: it may have been destroyed with its client when a worker that has not joined
  /// reads these members. Sets of workers live as long as the crew.
  std::atomic<KindSet> kinds_{0};
  std::atomic<const WorkerSet*> workers_{nullptr};
  std::atomic<std::uint32_t> pieces_{0};
  std::atomic<std::uint32_t> grain_{1};
  WorkerId owner_;
  int cores_ = 1;
  /// Begins as the number of pieces plus one. A worker that leaves subtracts the number of pieces that it took; the
  /// owner subtracts one more.
  alignas(64) std::atomic<std::uint64_t> unfinished_{0};
  std::atomic<Duration::rep> took_{0};
  std::atomic<bool> failed_{false};
  graph::FailureLog::Cause cause_;
  std::atomic<bool> free_{true};
};

/// One worker's board: the worker's open task of pieces, which other workers can join, and the task of pieces whose
/// pieces the worker itself runs.
class PieceBoard {
 public:
  /// `anywhere` counts the open tasks of pieces of all workers, and outlives this object. Must be called before any
  /// other function.
  void use(std::atomic<std::uint32_t>* anywhere) noexcept { anywhere_ = anywhere; }

  // These functions are called by the board's worker.

  /// Opens a task; throws `std::bad_alloc`. At most one task is open at a time.
  [[nodiscard]] SharedPieces& open(graph::Task& task, WorkerId owner, int cores, std::uint32_t pieces,
                                   std::uint32_t grain);
  /// Closes the open task. Called when no piece of the task is left to be taken.
  void close() noexcept;
  /// Notes the task whose pieces the worker runs, for reports; null if there is none. Release: pairs with the acquire
  /// in the function below, because the object may just have been made.
  void works_on(const SharedPieces* shared) noexcept { working_.store(shared, std::memory_order_release); }

  // These functions may be called by any thread.

  /// Returns the open task; null if there is none. The object stays valid, even after the task has ended. Sequentially
  /// consistent, as `TaskDeque::size` is: a worker that declares itself idle either sees the task, or is seen as idle
  /// by the worker that opens it.
  [[nodiscard]] SharedPieces* open_task() const noexcept { return open_.load(std::memory_order_seq_cst); }
  [[nodiscard]] const SharedPieces* works_on() const noexcept { return working_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint32_t>* anywhere_ = nullptr;
  std::atomic<SharedPieces*> open_{nullptr};
  std::atomic<const SharedPieces*> working_{nullptr};
  /// The objects of this worker's tasks of pieces. There may be several, because other workers may still run the last
  /// pieces of one task when this worker opens the next task.
  std::deque<SharedPieces> all_;
};

}  // namespace troupe::workers
