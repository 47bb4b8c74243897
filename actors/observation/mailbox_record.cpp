#include "actors/observation/mailbox_record.hpp"

#include <algorithm>

namespace troupe::observation {

bool MailboxRecord::answers() noexcept {
  return answered_.fetch_add(1, std::memory_order_relaxed) % kTimedAnswers == 0;
}

MailboxMetrics MailboxRecord::snapshot() const {
  MailboxMetrics metrics;
  metrics.actor = actor_;
  // Acquire: pairs with the release in `begin`, `sent` and `close`, which count a message as gone after it was counted
  // as received. Since `received_` is read last, each message that is counted as gone is also counted as received.
  const std::uint64_t taken = taken_.load(std::memory_order_acquire);
  const std::uint64_t dropped = dropped_.load(std::memory_order_acquire);
  const std::uint64_t received = received_.load(std::memory_order_relaxed);
  metrics.answered_at_delivery = answered_.load(std::memory_order_relaxed);
  metrics.received = received + metrics.answered_at_delivery;
  metrics.processed = taken + metrics.answered_at_delivery;
  metrics.dropped = dropped;
  metrics.depth = received - std::min(received, taken + dropped);
  metrics.peak_depth = std::max(metrics.depth, peak_depth_.load(std::memory_order_relaxed));
  metrics.unmeasured = unmeasured_.load(std::memory_order_relaxed);
  metrics.waiting = waiting_.summary();
  metrics.handling = handling_.summary();
  metrics.answering = answering_.summary();
  return metrics;
}

void MailboxMeter::sent(TimeStamp now) noexcept {
  const std::uint64_t received = record_.received_.fetch_add(1, std::memory_order_relaxed) + 1;
  // Acquire and release: the count above comes before `close` or `begin` counts the message as gone.
  const std::uint64_t drawn = tickets_.fetch_add(2, std::memory_order_acq_rel);
  if ((drawn & 1U) != 0) {
    record_.dropped_.fetch_add(1, std::memory_order_release);
    return;
  }
  const std::uint64_t ticket = drawn / 2;
  Stamp& stamp = ring_[ticket % kRing];
  stamp.ticket.store(0, std::memory_order_relaxed);
  // Release: pairs with the acquire in `begin`; a thread that sees the new time does not see the old ticket any more.
  stamp.sent.store(now.count(), std::memory_order_release);
  stamp.ticket.store(ticket + 1, std::memory_order_release);
  const std::uint64_t gone =
      record_.taken_.load(std::memory_order_relaxed) + record_.dropped_.load(std::memory_order_relaxed);
  const std::uint64_t depth = received - std::min(received, gone);
  std::uint64_t peak = record_.peak_depth_.load(std::memory_order_relaxed);
  while (depth > peak && !record_.peak_depth_.compare_exchange_weak(peak, depth, std::memory_order_relaxed)) {
  }
}

void MailboxMeter::begin(TimeStamp now) noexcept {
  const std::uint64_t ticket = taken_++;
  const Stamp& stamp = ring_[ticket % kRing];
  // The time is read between two loads of the ticket: if the ticket has not changed, the time belongs to it.
  const bool before = stamp.ticket.load(std::memory_order_acquire) == ticket + 1;
  const TimeStamp sent(stamp.sent.load(std::memory_order_acquire));
  if (before && stamp.ticket.load(std::memory_order_relaxed) == ticket + 1) {
    record_.waiting_.note(now - sent);
  } else {
    record_.unmeasured_.fetch_add(1, std::memory_order_relaxed);
  }
  // Release: pairs with the acquire in `MailboxRecord::snapshot`.
  record_.taken_.fetch_add(1, std::memory_order_release);
  began_ = now;
  measuring_ = true;
}

void MailboxMeter::end(TimeStamp now) noexcept {
  if (!measuring_) return;
  measuring_ = false;
  record_.handling_.note(now - began_);
}

void MailboxMeter::put_back() noexcept {
  measuring_ = false;
  --taken_;
  record_.taken_.fetch_sub(1, std::memory_order_relaxed);
}

void MailboxMeter::close() noexcept {
  // Acquire: makes visible the counts of all messages sent before. Release: the senders of later messages see that the
  // mailbox is closed, and drop these messages.
  const std::uint64_t drawn = tickets_.fetch_or(1, std::memory_order_acq_rel);
  if ((drawn & 1U) != 0) return;
  record_.open_.fetch_sub(1, std::memory_order_relaxed);
  const std::uint64_t left = drawn / 2 - std::min(drawn / 2, taken_);
  record_.dropped_.fetch_add(left, std::memory_order_release);
}

}  // namespace troupe::observation
