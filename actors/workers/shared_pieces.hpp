/// Tasks that run in pieces, and who runs which.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>

#include "graph/codelets/device_set.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "proto/device_kinds.hpp"
#include "proto/ids.hpp"
#include "proto/spin_lock.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// Pieces of one task, one after the other.
struct PieceRange {
  std::uint32_t first = 0;
  std::uint32_t number = 0;

  [[nodiscard]] bool empty() const { return number == 0; }
};

class SharedPieces;

/// What one worker did of a task of pieces, some of which others may still be at.
struct PartOfTask {
  /// Null: nothing of the kind.
  SharedPieces* of = nullptr;
  std::uint32_t pieces = 0;
  /// The time of all its cores.
  Duration took{};
  /// It has begun the task.
  bool owner = false;
};

/// One running task of pieces. The worker that begins it, its *owner*, opens it; then the owner and whoever joins take
/// ranges of pieces until none is left, and leave. Who leaves last ends the task: nobody waits for another.
///
/// 1. A piece is in one range exactly: ranges are cut off a word by compare and exchange, which also has the number of
///    the opening, so that who looks at what belongs to one opening never takes pieces of another.
/// 2. Whoever has taken a range and has not left keeps the task, and what is said here of it, as they are: the count of
///    what has not been left begins with all pieces and one for the owner.
/// 3. A failure takes all pieces that nobody has, so that they never run.
///
/// Any thread may call what is const, and `join`. Outlives all actors.
class SharedPieces {
 public:
  SharedPieces() = default;
  SharedPieces(const SharedPieces&) = delete;
  SharedPieces& operator=(const SharedPieces&) = delete;

  // The owner.

  /// `cores`: of the owner. Pieces can be taken from here on.
  void open(graph::Task& task, WorkerId owner, int cores, std::uint32_t pieces, std::uint32_t grain) noexcept;
  /// The last that had it has let go of it.
  [[nodiscard]] bool free() const { return free_.load(std::memory_order_acquire); }

  // Who does not take part.

  [[nodiscard]] bool has_some_for(DeviceKind kind, WorkerId worker) const noexcept;
  /// The first range of one more worker, whose device must be such that it runs the task on host memory, and who may
  /// run it. Empty: there is none for it.
  [[nodiscard]] PieceRange join(DeviceKind kind, WorkerId worker) noexcept;

  // Who takes part: the owner, or who has joined and has not left.

  /// The next pieces; empty where none is left.
  [[nodiscard]] PieceRange take() noexcept;
  [[nodiscard]] graph::Task& task() const { return *task_.load(std::memory_order_relaxed); }
  [[nodiscard]] WorkerId owner() const { return owner_; }
  [[nodiscard]] std::uint32_t pieces() const { return pieces_.load(std::memory_order_relaxed); }
  /// A piece has failed: the first cause is the task's. `cause`: not null.
  void fail(const graph::FailureLog::Cause& cause) noexcept;
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
  /// True: all others have left, so the task has ended; then comes `let_go`.
  [[nodiscard]] bool leave(const PartOfTask& part) noexcept;

  // Who has left last.

  struct Ended {
    graph::Task* task = nullptr;
    WorkerId owner;
    graph::FailureLog::Cause cause;
    /// The time of all pieces on a device as the owner's: of a single core their sum.
    Duration took{};
  };
  [[nodiscard]] Ended let_go() noexcept;

  // For people.

  struct Progress {
    std::uint32_t pieces = 0;
    std::uint32_t begun = 0;
  };
  /// Of this task; nothing where it is not, or not any more.
  [[nodiscard]] std::optional<Progress> progress_of(const graph::Task& task) const noexcept;

 private:
  static constexpr std::uint64_t kLeft = 0xffff'ffff;
  static constexpr std::uint64_t kOpening = kLeft + 1;

  [[nodiscard]] bool may_join(std::uint64_t word, DeviceKind kind, WorkerId worker) const noexcept;
  /// Cuts a range off, if the word is still this, or else says what it is.
  [[nodiscard]] PieceRange cut(std::uint64_t& word) noexcept;

  /// The number of the opening, and below it the pieces that nobody has: the last ones.
  std::atomic<std::uint64_t> word_{0};
  // Atomic as those look who do not take part; `word_` tells them whether to believe it.
  std::atomic<graph::Task*> task_{nullptr};
  /// Who may join: devices of these kinds, and of these workers only (null: all). Not the codelet, which may be gone
  /// with its client when somebody looks who does not take part; sets of workers stay as long as the crew.
  std::atomic<KindSet> kinds_{0};
  std::atomic<const WorkerSet*> workers_{nullptr};
  std::atomic<std::uint32_t> pieces_{0};
  std::atomic<std::uint32_t> grain_{1};
  WorkerId owner_;
  int cores_ = 1;
  /// Pieces that have not been left, and one while the owner has not.
  alignas(64) std::atomic<std::uint64_t> unfinished_{0};
  std::atomic<Duration::rep> took_{0};
  std::atomic<bool> failed_{false};
  graph::FailureLog::Cause cause_;
  std::atomic<bool> free_{true};
};

/// Of one worker: the task of pieces that others can take part in, and what it takes part in itself.
class PieceBoard {
 public:
  /// `anywhere`: counts tasks of all workers that may have pieces left; outlives this. Before anything else.
  void use(std::atomic<std::uint32_t>* anywhere) noexcept { anywhere_ = anywhere; }

  // The worker.

  /// Opens a task; throws `std::bad_alloc`. One at a time.
  [[nodiscard]] SharedPieces& open(graph::Task& task, WorkerId owner, int cores, std::uint32_t pieces,
                                   std::uint32_t grain);
  /// None of its pieces is left to be taken.
  void close() noexcept;
  /// For people: null where it takes part in none. Release, with the acquire of who looks: it may just have been made.
  void takes_part_in(const SharedPieces* shared) noexcept { working_.store(shared, std::memory_order_release); }

  // Any thread.

  /// Null: none. It stays where it is, whatever becomes of the task. Sequentially consistent, as `TaskDeque::size` is:
  /// who declares itself idle sees it, or is seen by who opens it.
  [[nodiscard]] SharedPieces* open_task() const noexcept { return open_.load(std::memory_order_seq_cst); }
  [[nodiscard]] const SharedPieces* takes_part_in() const noexcept { return working_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint32_t>* anywhere_ = nullptr;
  std::atomic<SharedPieces*> open_{nullptr};
  std::atomic<const SharedPieces*> working_{nullptr};
  /// As many as had others in them at once when the worker went on.
  std::deque<SharedPieces> all_;
};

}  // namespace troupe::workers
