/// Virtual time: a clock that jumps from one event to the next. Each action that takes time in a simulated run (a
/// kernel, a copy) is an event at its end; nothing sleeps, and no real clock is read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/event.hpp"
#include "platform/machine/clock.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// The name of an event that was asked for, by which it can be cancelled. Never used again for another event (up to
/// 2^32 events in the same slot).
struct EventId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  friend constexpr bool operator==(EventId, EventId) = default;
};

/// The event queue and the clock that it moves. Events are called in the order of their times, and those of one time
/// in the order in which they were asked for, so that equal programs give equal runs.
///
/// For one thread; others may read the clock. Asking, cancelling and advancing take O(log n) for n events that are
/// still to come. A cancelled event leaves the queue at once: a user that often cancels (the link network, whose next
/// completion moves with each copy that starts or ends) leaves nothing behind.
class VirtualTime {
 public:
  explicit VirtualTime(TimeStamp start = TimeStamp::zero()) : clock_(start) {}
  /// This class is not copied, as events hold references to it.
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] TimeStamp now() const noexcept { return clock_.now(); }

  /// Asks for a call of `event` at `when`, which must not be in the past. If `when` is now, the event comes after all
  /// events that were already asked for at this time.
  EventId at(TimeStamp when, Event event);
  /// Asks for a call of `event` after `delay`, which must not be negative.
  EventId after(Duration delay, Event event) { return at(now() + delay, std::move(event)); }

  /// Cancels an event and destroys it. Returns false if it was called, is being called or was cancelled already.
  bool cancel(EventId id);

  /// Moves the clock to the next event, removes it from the queue and calls it; it may ask for others and cancel.
  /// Passes its exceptions on. Returns false if there is no event; the clock then stands still.
  bool advance();

  /// Returns the time when the next event is due; nothing if there is none.
  [[nodiscard]] std::optional<TimeStamp> next() const;
  /// Returns the number of events still to come.
  [[nodiscard]] std::size_t pending() const noexcept { return heap_.size(); }

 private:
  /// The place where an event waits. The heap moves entries of 24 bytes; the events themselves do not move.
  struct Slot {
    Event event;
    std::uint32_t generation = 0;
    /// The position of the slot's entry in the heap while the event waits.
    std::uint32_t position = 0;
    bool waiting = false;
  };
  struct Entry {
    TimeStamp when;
    std::uint64_t sequence;
    std::uint32_t slot;

    [[nodiscard]] bool before(const Entry& other) const noexcept {
      return when != other.when ? when < other.when : sequence < other.sequence;
    }
  };

  std::uint32_t free_slot();
  /// Takes the entry at `position` out of the heap, and frees its slot.
  Event remove(std::uint32_t position);
  /// Put `entry` into the hole at `position`, or as far above it (`rise`) or below it (`sink`) as its time requires.
  void rise(std::uint32_t position, const Entry& entry);
  void sink(std::uint32_t position, const Entry& entry);
  void place(std::uint32_t position, const Entry& entry);

  ManualClock clock_;
  /// A heap with four children per node: half as deep as a binary one, and siblings share cache lines.
  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint64_t sequence_ = 0;
};

}  // namespace troupe::platform
