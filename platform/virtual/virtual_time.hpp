/// Virtual time: a clock that jumps from one event to the next. Each action that takes time in a simulated run (a
/// kernel, a copy) is an event at the time of its end; no thread sleeps, and no real clock is read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/event.hpp"
#include "platform/machine/clock.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// The name of an event, by which it can be cancelled. No other event gets the same name (for up to 2^32 events in one
/// slot).
struct EventId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  friend constexpr bool operator==(EventId, EventId) = default;
};

/// The event queue and the clock that it moves. Events are called in the order of their times, and events of the same
/// time in the order in which they were added, so that equal programs give equal runs.
///
/// Only one thread may use the queue; other threads may read the clock. Adding, cancelling and advancing take O(log n)
/// for n pending events. A cancelled event leaves the queue at once. So cancelled events do not pile up, although the
/// link network cancels its next completion each time a copy starts or ends.
class VirtualTime {
 public:
  explicit VirtualTime(TimeStamp start = TimeStamp::zero()) : clock_(start) {}
  /// Objects of this class cannot be copied, because events hold references to them.
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] TimeStamp now() const noexcept { return clock_.now(); }

  /// Adds an event: calls `event` at `when`, which must not be in the past. If `when` is now, the event comes after all
  /// events that were already added for this time.
  EventId at(TimeStamp when, Event event);
  /// Adds an event that is called after `delay`, which must not be negative.
  EventId after(Duration delay, Event event) { return at(now() + delay, std::move(event)); }

  /// Cancels an event and destroys it. Returns false if the event was called, is being called or was already cancelled.
  bool cancel(EventId id);

  /// Moves the clock to the next event, removes the event from the queue and calls it. The event may add and cancel
  /// events; its exceptions are passed on. Returns false if there is no event; the clock then stands still.
  bool advance();

  /// Returns the time at which the next event is due; nothing if there is none.
  [[nodiscard]] std::optional<TimeStamp> next() const;
  /// Returns the number of pending events.
  [[nodiscard]] std::size_t pending() const noexcept { return heap_.size(); }

 private:
  /// The place in which an event waits. The heap moves entries of 24 bytes; the events themselves do not move.
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
  /// Put `entry` into the hole at `position`, or move it up (`rise`) or down (`sink`) in the heap as its time requires.
  void rise(std::uint32_t position, const Entry& entry);
  void sink(std::uint32_t position, const Entry& entry);
  void place(std::uint32_t position, const Entry& entry);

  ManualClock clock_;
  /// A heap with four children per node. It is half as deep as a binary heap, and siblings share cache lines.
  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint64_t sequence_ = 0;
};

}  // namespace troupe::platform
