/// Mailbox record: the measurements of one mailbox.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "actors/observation/latency_histogram.hpp"
#include "troupe/report.hpp"
#include "troupe/units.hpp"

namespace troupe::observation {

/// The measurements of one actor. The record outlives the actor, and continues to count when a worker's actor is
/// replaced. A snapshot may be taken from any thread at any time. Operations on the counters are relaxed: they publish
/// no other data.
class MailboxRecord {
 public:
  explicit MailboxRecord(std::string actor) : actor_(std::move(actor)) {}
  MailboxRecord(const MailboxRecord&) = delete;
  MailboxRecord& operator=(const MailboxRecord&) = delete;

  /// Only every eighth answer is timed, because two readings of the clock take longer than an answer.
  static constexpr std::uint64_t kTimedAnswers = 8;

  /// Counts a message that never enters the mailbox, because the sender's thread answers it. Returns true if the caller
  /// has to pass the answer's duration to `answered_in`. May be called from any thread.
  [[nodiscard]] bool answers() noexcept;
  void answered_in(Duration took) noexcept { answering_.note(took); }
  [[nodiscard]] MailboxMetrics snapshot() const;
  /// Returns true if some actor has this mailbox and has not ended.
  [[nodiscard]] bool open() const noexcept { return open_.load(std::memory_order_relaxed) > 0; }

 private:
  friend class MailboxMeter;

  const std::string actor_;
  /// Each message is counted once in `received_`, and later once in `taken_` or `dropped_`.
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

/// One actor's mailbox, from its construction to its end. Each sender draws a ticket, which is a rising number, and
/// leaves the time of sending in a ring. When the actor handles its n-th message, the time of ticket n is in the ring,
/// unless a newer ticket has overwritten this time. Messages of two senders at the same moment, and urgent messages,
/// may be handled in another order than that of their tickets. Then the waiting times of these messages are exchanged.
class MailboxMeter {
 public:
  static constexpr std::size_t kRing = 256;

  explicit MailboxMeter(MailboxRecord& record) : record_(record) {
    record_.open_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Counts the messages that have not been handled as dropped.
  ~MailboxMeter() { close(); }
  MailboxMeter(const MailboxMeter&) = delete;
  MailboxMeter& operator=(const MailboxMeter&) = delete;

  /// Called when a message is about to be delivered; from any thread.
  void sent(TimeStamp now) noexcept;

  // The functions below are called by the actor's thread.
  /// Called when a message has been taken out of the mailbox and its handler begins.
  void begin(TimeStamp now) noexcept;
  /// Returns true if a handler has begun and the handler's time is still being measured.
  [[nodiscard]] bool measuring() const noexcept { return measuring_; }
  /// Called when the handler has ended, or goes on with work that does not belong to the message.
  void end(TimeStamp now) noexcept;
  /// Called when the message goes back into the mailbox: then the message counts as not taken.
  void put_back() noexcept;
  /// Called when the actor has ended: no message is handled any more. May be called several times.
  void close() noexcept;

  [[nodiscard]] MailboxRecord& record() const noexcept { return record_; }

 private:
  struct Stamp {
    /// The ticket plus one; 0 while the stamp is being written.
    std::atomic<std::uint64_t> ticket{0};
    std::atomic<TimeStamp::rep> sent{0};
  };

  MailboxRecord& record_;
  /// Twice the number of tickets drawn, plus one when the actor has ended. So each message that was not taken is
  /// counted as dropped exactly once: by `close` if its ticket was drawn before the end, otherwise by its sender, which
  /// finds the mailbox closed.
  std::atomic<std::uint64_t> tickets_{0};
  std::array<Stamp, kRing> ring_;
  // The members below are used only by the actor's thread.
  std::uint64_t taken_ = 0;
  TimeStamp began_{};
  bool measuring_ = false;
};

}  // namespace troupe::observation
