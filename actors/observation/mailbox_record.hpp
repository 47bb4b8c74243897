/// What is measured of one mailbox.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "actors/observation/latency_histogram.hpp"
#include "actors/observation/metrics_snapshot.hpp"
#include "proto/units.hpp"

namespace troupe::observation {

/// The figures of one actor. Outlives the actor, so that a worker that is replaced goes on counting. Any thread may
/// take a snapshot at any time. Operations on the counters are relaxed: they publish nothing but themselves.
class MailboxRecord {
 public:
  explicit MailboxRecord(std::string actor) : actor_(std::move(actor)) {}
  MailboxRecord(const MailboxRecord&) = delete;
  MailboxRecord& operator=(const MailboxRecord&) = delete;

  /// One of so many answers is timed: two readings of the clock would take longer than the answer.
  static constexpr std::uint64_t kTimedAnswers = 8;

  /// A message is being answered by its sender's thread and never lies in the mailbox. True: `answered_in` shall be
  /// told how long that takes. Any thread.
  [[nodiscard]] bool answers() noexcept;
  void answered_in(Duration took) noexcept { answering_.note(took); }
  [[nodiscard]] MailboxMetrics snapshot() const;
  /// Whether some actor has this mailbox and has not ended.
  [[nodiscard]] bool open() const noexcept { return open_.load(std::memory_order_relaxed) > 0; }

 private:
  friend class MailboxMeter;

  const std::string actor_;
  /// Each message counts once in `received_`, and later once in one of the next two.
  std::atomic<std::uint64_t> received_{0};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<std::uint64_t> peak_depth_{0};
  std::atomic<std::uint64_t> unmeasured_{0};
  std::atomic<int> open_{0};
  LatencyHistogram waiting_;
  LatencyHistogram handling_;
  LatencyHistogram answering_;
};

/// One actor's mailbox, from its construction to its end. Senders draw tickets and leave the time of sending in a ring;
/// the actor, handling its n-th message, finds the time of ticket n there unless the ring has gone round since. Two
/// senders at the same moment, and urgent messages, may be handled in another order than their tickets': their waiting
/// times are then one another's.
class MailboxMeter {
 public:
  static constexpr std::size_t kRing = 256;

  explicit MailboxMeter(MailboxRecord& record) : record_(record) {
    record_.open_.fetch_add(1, std::memory_order_relaxed);
  }
  /// What has not been handled is dropped.
  ~MailboxMeter() { close(); }
  MailboxMeter(const MailboxMeter&) = delete;
  MailboxMeter& operator=(const MailboxMeter&) = delete;

  /// A message is about to be delivered. Any thread.
  void sent(TimeStamp now) noexcept;

  // For the actor's thread.
  /// A message has been taken out of the mailbox, and its handler begins.
  void begin(TimeStamp now) noexcept;
  /// Whether a handler has begun whose time is still being measured.
  [[nodiscard]] bool measuring() const noexcept { return measuring_; }
  /// The handler has ended, or goes on with other work.
  void end(TimeStamp now) noexcept;
  /// The message goes back into the mailbox: it counts as not taken.
  void put_back() noexcept;
  /// The actor has ended: nothing is handled any more. May be called again.
  void close() noexcept;

  [[nodiscard]] MailboxRecord& record() const noexcept { return record_; }

 private:
  struct Stamp {
    /// The ticket plus one; 0: being written.
    std::atomic<std::uint64_t> ticket{0};
    std::atomic<TimeStamp::rep> sent{0};
  };

  MailboxRecord& record_;
  /// Twice the tickets drawn, plus one when the actor has ended: so each message is either one that `close` saw, and
  /// drops if it was not taken, or one that finds the mailbox closed and drops itself.
  std::atomic<std::uint64_t> tickets_{0};
  std::array<Stamp, kRing> ring_;
  // The actor's thread:
  std::uint64_t taken_ = 0;
  TimeStamp began_{};
  bool measuring_ = false;
};

}  // namespace troupe::observation
