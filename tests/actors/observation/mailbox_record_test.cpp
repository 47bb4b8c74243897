#include "actors/observation/mailbox_record.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

#include "tests/support/thread_checks.hpp"

namespace troupe::observation {

BOOST_AUTO_TEST_SUITE(mailbox_record)

namespace {

bool adds_up(const MailboxMetrics& metrics) {
  return metrics.received == metrics.processed + metrics.dropped + metrics.depth;
}

struct Mailbox {
  MailboxRecord record{"worker 0"};
  MailboxMeter meter{record};

  void handle(int from, int to) {
    meter.begin(TimeStamp(from));
    meter.end(TimeStamp(to));
  }
};

BOOST_AUTO_TEST_CASE(waiting_and_handling_are_measured_message_by_message) {
  Mailbox mailbox;
  mailbox.meter.sent(TimeStamp(100));
  mailbox.meter.sent(TimeStamp(200));
  mailbox.handle(1100, 1104);
  mailbox.handle(1104, 1106);
  const MailboxMetrics metrics = mailbox.record.snapshot();
  BOOST_TEST(metrics.actor == "worker 0");
  BOOST_TEST(metrics.received == 2U);
  BOOST_TEST(metrics.processed == 2U);
  BOOST_TEST(metrics.depth == 0U);
  BOOST_TEST(metrics.peak_depth == 2U);
  BOOST_TEST(metrics.waiting.max.count() == 1000);
  BOOST_TEST(metrics.waiting.mean.count() == 952);
  BOOST_TEST(metrics.handling.max.count() == 4);
  BOOST_TEST(metrics.handling.mean.count() == 3);
  BOOST_TEST(metrics.unmeasured == 0U);
}

BOOST_AUTO_TEST_CASE(depth_is_what_was_received_and_not_taken) {
  Mailbox mailbox;
  for (int i = 0; i < 5; ++i) mailbox.meter.sent(TimeStamp(i));
  mailbox.handle(10, 11);
  const MailboxMetrics metrics = mailbox.record.snapshot();
  BOOST_TEST(metrics.depth == 4U);
  BOOST_TEST(metrics.peak_depth == 5U);
  BOOST_TEST(adds_up(metrics));
}

BOOST_AUTO_TEST_CASE(the_end_of_handling_counts_once) {
  Mailbox mailbox;
  mailbox.meter.sent(TimeStamp(0));
  mailbox.meter.begin(TimeStamp(10));
  mailbox.meter.end(TimeStamp(15));
  BOOST_TEST(!mailbox.meter.measuring());
  mailbox.meter.end(TimeStamp(5000));
  BOOST_TEST(mailbox.record.snapshot().handling.count == 1U);
  BOOST_TEST(mailbox.record.snapshot().handling.max.count() == 5);
}

BOOST_AUTO_TEST_CASE(times_that_the_ring_has_lost_count_as_unmeasured) {
  Mailbox mailbox;
  const int sent = static_cast<int>(MailboxMeter::kRing) + 3;
  for (int i = 0; i < sent; ++i) mailbox.meter.sent(TimeStamp(i));
  for (int i = 0; i < sent; ++i) mailbox.handle(1000, 1001);
  const MailboxMetrics metrics = mailbox.record.snapshot();
  BOOST_TEST(metrics.unmeasured == 3U);
  BOOST_TEST(metrics.waiting.count == MailboxMeter::kRing);
  BOOST_TEST(metrics.waiting.max.count() == 1000 - 3);
  BOOST_TEST(metrics.processed == static_cast<std::uint64_t>(sent));
}

BOOST_AUTO_TEST_CASE(a_message_put_back_is_not_processed) {
  Mailbox mailbox;
  mailbox.meter.sent(TimeStamp(0));
  mailbox.meter.begin(TimeStamp(1));
  mailbox.meter.put_back();
  BOOST_TEST(mailbox.record.snapshot().processed == 0U);
  BOOST_TEST(mailbox.record.snapshot().depth == 1U);
  BOOST_TEST(mailbox.record.snapshot().handling.count == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_answered_at_delivery_is_received_and_processed_at_once) {
  Mailbox mailbox;
  BOOST_TEST(mailbox.record.answers());
  mailbox.record.answered_in(Duration(150));
  const MailboxMetrics metrics = mailbox.record.snapshot();
  BOOST_TEST(metrics.received == 1U);
  BOOST_TEST(metrics.processed == 1U);
  BOOST_TEST(metrics.answered_at_delivery == 1U);
  BOOST_TEST(metrics.answering.max.count() == 150);
  BOOST_TEST(metrics.handling.count == 0U);
  BOOST_TEST(adds_up(metrics));
}

BOOST_AUTO_TEST_CASE(what_an_actor_leaves_behind_is_dropped_and_its_successor_goes_on) {
  MailboxRecord record("worker 1");
  {
    MailboxMeter first(record);
    for (int i = 0; i < 3; ++i) first.sent(TimeStamp(i));
    first.begin(TimeStamp(5));
    first.end(TimeStamp(6));
    BOOST_TEST(record.open());
    first.close();
    BOOST_TEST(!record.open());
    first.sent(TimeStamp(7));
    BOOST_TEST(record.snapshot().dropped == 3U);
    BOOST_TEST(record.snapshot().depth == 0U);
  }
  BOOST_TEST(record.snapshot().dropped == 3U);
  MailboxMeter second(record);
  BOOST_TEST(record.open());
  second.sent(TimeStamp(100));
  second.begin(TimeStamp(110));
  const MailboxMetrics metrics = record.snapshot();
  BOOST_TEST(metrics.received == 5U);
  BOOST_TEST(metrics.processed == 2U);
  BOOST_TEST(metrics.waiting.max.count() == 10);
  BOOST_TEST(adds_up(metrics));
}

/// Several threads send messages, the actor ends halfway, and another thread takes snapshots all the time.
BOOST_AUTO_TEST_CASE(counts_add_up_in_every_snapshot_whatever_threads_do) {
  constexpr int kSenders = 3;
  constexpr int kMessages = 20'000;
  MailboxRecord record("worker 2");
  MailboxMeter meter(record);
  std::atomic<int> delivered{0};
  std::atomic<bool> done{false};
  tests::ThreadChecks checks;
  std::vector<std::thread> senders;
  for (int s = 0; s < kSenders; ++s) {
    senders.emplace_back([&] {
      for (int i = 0; i < kMessages; ++i) {
        meter.sent(TimeStamp(1000));
        delivered.fetch_add(1, std::memory_order_release);
      }
    });
  }
  std::thread actor([&] {
    int handled = 0;
    while (handled < kSenders * kMessages / 2) {
      if (handled == delivered.load(std::memory_order_acquire)) continue;
      meter.begin(TimeStamp(1500));
      meter.end(TimeStamp(1600));
      ++handled;
    }
    meter.close();
  });
  std::thread observer([&] {
    while (!done) {
      const MailboxMetrics metrics = record.snapshot();
      checks.expect(metrics.processed + metrics.dropped <= metrics.received);
      checks.expect(metrics.depth <= metrics.peak_depth);
      checks.expect(adds_up(metrics));
    }
  });
  for (std::thread& sender : senders) sender.join();
  actor.join();
  done = true;
  observer.join();
  const MailboxMetrics metrics = record.snapshot();
  BOOST_TEST(metrics.received == static_cast<std::uint64_t>(kSenders * kMessages));
  BOOST_TEST(metrics.processed == static_cast<std::uint64_t>(kSenders * kMessages / 2));
  BOOST_TEST(metrics.depth == 0U);
  BOOST_TEST(metrics.waiting.count + metrics.unmeasured == metrics.processed);
  BOOST_TEST((metrics.waiting.count == 0 || metrics.waiting.max.count() == 500));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::observation
