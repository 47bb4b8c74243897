#include "traces/text/mailbox_table.hpp"

#include <fmt/format.h>

#include "actors/observation/report_members.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::traces {

namespace {

/// Returns three latencies as one text: "median / 99th percentile / longest".
std::string in_brief(const LatencySummary& latency) {
  if (latency.count == 0) return "-";
  return fmt::format("{} / {} / {}", human_seconds(seconds(latency.p50)), human_seconds(seconds(latency.p99)),
                     human_seconds(seconds(latency.max)));
}

}  // namespace

std::string mailbox_table(const MetricsSnapshot& metrics) {
  Table table({"actor", ">received", ">processed", ">depth", ">peak", ">waiting", ">handling", ">steals answered",
               ">answering"});
  for (const MailboxMetrics& one : metrics.mailboxes) {
    table.add_row({one.actor, human_count(one.received), human_count(one.processed), human_count(one.depth),
                   human_count(one.peak_depth), in_brief(one.waiting), in_brief(one.handling),
                   human_count(one.answered_at_delivery), in_brief(one.answering)});
  }
  return "\nMailboxes since the start (times: median / 99th percentile / longest):\n" + table.text(2);
}

Json metrics_as_json(const MetricsSnapshot& metrics) { return {{"mailboxes", as_json(metrics.mailboxes)}}; }

}  // namespace troupe::traces
