#include "service/views/prometheus_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/utf8.hpp"

namespace troupe::service {

namespace {

/// Returns a label's value with the escapes that the format needs.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : valid_text(value)) {
    switch (c) {
      case '\\': text += "\\\\"; break;
      case '"': text += "\\\""; break;
      case '\n': text += "\\n"; break;
      default: text += c;
    }
  }
  return text;
}

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// Collects the lines. All lines of one metric must follow one another, as the format demands.
class Writer {
 public:
  /// Begins a metric. `type` is "gauge", "counter" or "summary".
  void metric(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    fmt::format_to(out(), "# HELP troupe_{} {}\n# TYPE troupe_{} {}\n", name, help, name, type);
  }
  template <std::integral Number>
  void value(const Labels& labels, Number number, std::string_view suffix = {}) {
    line(labels, suffix, fmt::format("{}", number));
  }
  void value(const Labels& labels, double number, std::string_view suffix = {}) {
    line(labels, suffix, std::isnan(number) ? "NaN" : fmt::format("{}", number));
  }
  void value(const Labels& labels, Duration duration, std::string_view suffix = {}) {
    value(labels, seconds(duration), suffix);
  }
  void value(const Labels& labels, Bytes bytes, std::string_view suffix = {}) { value(labels, bytes.count, suffix); }

  std::string take() { return std::move(text_); }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  void line(const Labels& labels, std::string_view suffix, std::string_view number) {
    fmt::format_to(out(), "troupe_{}{}", name_, suffix);
    char separator = '{';
    for (const auto& [label, content] : labels) {
      fmt::format_to(out(), "{}{}=\"{}\"", std::exchange(separator, ','), label, escaped(content));
    }
    fmt::format_to(out(), "{} {}\n", labels.empty() ? "" : "}", number);
  }

  std::string text_;
  std::string_view name_;
};

/// Writes a metric that has one line for each element of a list.
template <class List, class LabelsOf, class ValueOf>
void metric_of(Writer& writer, const char* name, const char* type, const char* help, const List& list,
               LabelsOf labels_of, ValueOf value_of) {
  if (list.empty()) return;
  writer.metric(name, type, help);
  for (std::size_t i = 0; i < list.size(); ++i) writer.value(labels_of(i, list[i]), value_of(list[i]));
}

void write_service(Writer& writer, const ServiceView& view) {
  writer.metric("up", "gauge", "1 while the service takes new sessions, 0 while it drains.");
  writer.value({}, view.state == "serving" ? 1 : 0);
  writer.metric("info", "gauge", "Always 1; what the service is, in labels.");
  writer.value({{"version", view.version}, {"policy", view.runtime.policy}}, 1);
  writer.metric("uptime_seconds", "gauge", "Since the service's start.");
  writer.value({}, view.age);
  writer.metric("entry_queue_tasks", "gauge", "Ready tasks that no worker owns.");
  writer.value({}, view.runtime.entry_queue);
}

void write_workers(Writer& writer, const std::vector<LiveWorker>& workers) {
  const auto labels = [](std::size_t i, const LiveWorker& of) {
    return Labels{{"worker", std::to_string(i)}, {"device", of.device}};
  };
  metric_of(writer, "worker_tasks_total", "counter", "Tasks that the worker has run.", workers, labels,
            [](const LiveWorker& of) { return of.tasks; });
  metric_of(writer, "worker_busy_seconds_total", "counter", "Time that the worker has spent on tasks.", workers, labels,
            [](const LiveWorker& of) { return of.busy; });
  metric_of(writer, "worker_deque_tasks", "gauge", "Ready tasks in the worker's deque.", workers, labels,
            [](const LiveWorker& of) { return of.deque_length; });
  metric_of(writer, "worker_idle", "gauge", "1 while the worker has nothing to do.", workers, labels,
            [](const LiveWorker& of) { return of.idle ? 1 : 0; });
  metric_of(writer, "worker_lost", "gauge", "1 after the worker's device stopped working.", workers, labels,
            [](const LiveWorker& of) { return of.lost ? 1 : 0; });
  metric_of(writer, "worker_cores", "gauge", "Cores that work together as the worker; 0 of a GPU.", workers, labels,
            [](const LiveWorker& of) { return of.members.size(); });
  metric_of(writer, "worker_team_offered_seconds_total", "counter",
            "Of a cluster: time of its tasks times its cores, where it is known how many of them computed.", workers,
            labels, [](const LiveWorker& of) { return of.team.offered; });
  metric_of(writer, "worker_team_used_seconds_total", "counter", "Of that, the time in which its cores computed.",
            workers, labels, [](const LiveWorker& of) { return of.team.used; });
}

Labels of_actor(std::size_t, const MailboxMetrics& of) { return {{"actor", of.actor}}; }

/// Writes a summary with its quantiles, its sum and its count.
void write_latency(Writer& writer, const char* name, const char* help, const std::vector<MailboxMetrics>& mailboxes,
                   LatencySummary MailboxMetrics::*member) {
  if (mailboxes.empty()) return;
  writer.metric(name, "summary", help);
  for (const MailboxMetrics& of : mailboxes) {
    const LatencySummary& latency = of.*member;
    const auto quantile = [&](const char* which, Duration duration) {
      // Without observations a quantile is NaN.
      const double value = latency.count == 0 ? std::nan("") : seconds(duration);
      writer.value({{"actor", of.actor}, {"quantile", which}}, value);
    };
    quantile("0.5", latency.p50);
    quantile("0.9", latency.p90);
    quantile("0.99", latency.p99);
    writer.value({{"actor", of.actor}}, seconds(latency.mean) * static_cast<double>(latency.count), "_sum");
    writer.value({{"actor", of.actor}}, latency.count, "_count");
  }
}

void write_mailboxes(Writer& writer, const std::vector<MailboxMetrics>& mailboxes) {
  metric_of(writer, "mailbox_depth_messages", "gauge", "Messages that wait in the actor's mailbox.", mailboxes,
            of_actor, [](const MailboxMetrics& of) { return of.depth; });
  metric_of(writer, "mailbox_peak_depth_messages", "gauge", "The most messages that ever waited.", mailboxes, of_actor,
            [](const MailboxMetrics& of) { return of.peak_depth; });
  metric_of(writer, "mailbox_received_total", "counter", "Messages sent to the actor.", mailboxes, of_actor,
            [](const MailboxMetrics& of) { return of.received; });
  metric_of(writer, "mailbox_dropped_total", "counter", "Messages lost with an actor that died, or sent to one.",
            mailboxes, of_actor, [](const MailboxMetrics& of) { return of.dropped; });
  metric_of(writer, "mailbox_steals_answered_total", "counter", "Steal requests answered at delivery.", mailboxes,
            of_actor, [](const MailboxMetrics& of) { return of.answered_at_delivery; });
  write_latency(writer, "mailbox_waiting_seconds", "From sending to the beginning of the handler.", mailboxes,
                &MailboxMetrics::waiting);
  write_latency(writer, "mailbox_handling_seconds", "From the beginning of the handler to its end.", mailboxes,
                &MailboxMetrics::handling);
}

void write_pairs(Writer& writer, const std::vector<PairTraffic>& pairs) {
  const auto labels = [](std::size_t, const PairTraffic& of) {
    return Labels{{"from", std::to_string(of.from.value())}, {"to", std::to_string(of.to.value())}};
  };
  metric_of(writer, "copied_bytes_total", "counter", "Bytes copied from one memory to another; 0 is the host's.", pairs,
            labels, [](const PairTraffic& of) { return of.bytes; });
  metric_of(writer, "copies_total", "counter", "Copies from one memory to another; 0 is the host's.", pairs, labels,
            [](const PairTraffic& of) { return of.copies; });
}

void write_links(Writer& writer, const std::vector<LinkTraffic>& links) {
  const auto labels = [](std::size_t, const LinkTraffic& of) { return Labels{{"link", of.name}}; };
  metric_of(writer, "link_bytes_total", "counter", "Bytes that passed over the link.", links, labels,
            [](const LinkTraffic& of) { return of.bytes; });
  metric_of(writer, "link_busy_seconds_total", "counter", "Time in which anything passed over the link.", links, labels,
            [](const LinkTraffic& of) { return of.busy; });
}

void write_memories(Writer& writer, const LiveView& runtime) {
  // Two memories may have the same name, so the number is also a label.
  const auto labels = [](std::size_t i, const LiveMemory& of) {
    return Labels{{"memory", of.name}, {"number", std::to_string(i)}};
  };
  metric_of(writer, "memory_used_bytes", "gauge", "What data take in a device's memory.", runtime.memories, labels,
            [](const LiveMemory& of) { return of.used; });
  metric_of(writer, "memory_capacity_bytes", "gauge", "What a device's memory holds.", runtime.memories, labels,
            [](const LiveMemory& of) { return of.capacity; });
  const auto counter = [&](const char* name, const char* help, std::uint64_t number) {
    writer.metric(name, "counter", help);
    writer.value({}, number);
  };
  const TransferReport& transfers = runtime.transfers;
  counter("evictions_total", "Replicas that made room for others.", transfers.manager.evictions);
  counter("write_backs_total", "Replicas copied back before they made room.", transfers.manager.write_backs);
  counter("prefetches_total", "Copies begun before a task asked for them.", transfers.manager.prefetches);
  counter("prefetches_used_total", "Of these, those that a task then used.", transfers.manager.prefetches_used);
  counter("cache_hits_total", "Data that were in a device's memory when a task needed them.", transfers.manager.hits);
  counter("cache_misses_total", "Data that had to be fetched when a task needed them.", transfers.manager.misses);
}

void write_sessions(Writer& writer, const std::vector<SessionView>& sessions) {
  writer.metric("clients", "gauge", "Sessions, those whose last kernels still run included.");
  writer.value({}, sessions.size());
  const auto labels = [](std::size_t, const SessionView& of) {
    return Labels{{"session", std::to_string(of.id)},
                  {"name", of.name},
                  {"user", of.user_name.empty() ? std::to_string(of.user) : of.user_name}};
  };
  metric_of(writer, "client_submitted_total", "counter", "Tasks that the client has submitted.", sessions, labels,
            [](const SessionView& of) { return of.submitted; });
  metric_of(writer, "client_ended_total", "counter", "Of these, those that have ended.", sessions, labels,
            [](const SessionView& of) { return of.ended; });
  metric_of(writer, "client_failed_total", "counter", "Of these, those that have failed.", sessions, labels,
            [](const SessionView& of) { return of.failed; });
  metric_of(writer, "client_worker_seconds_total", "counter", "Time that workers have spent on the client's tasks.",
            sessions, labels, [](const SessionView& of) { return of.worker_time; });
  metric_of(writer, "client_memory_bytes", "gauge", "Shared memory that the client has.", sessions, labels,
            [](const SessionView& of) { return of.memory; });
  metric_of(writer, "client_weight", "gauge", "The client's share of the workers, against the others' weights.",
            sessions, labels, [](const SessionView& of) { return of.weight; });
}

void write_predictions(Writer& writer, const std::vector<PredictionReport>& predictions) {
  const auto labels = [](std::size_t, const PredictionReport& of) {
    return Labels{{"codelet", of.codelet}, {"kind", to_string(of.kind)}};
  };
  metric_of(writer, "prediction_relative_error", "gauge", "Mean of |measured - predicted| / measured over all tasks.",
            predictions, labels, [](const PredictionReport& of) { return of.errors.mean_relative(); });
  metric_of(writer, "predicted_tasks_total", "counter", "Tasks placed with a prediction.", predictions, labels,
            [](const PredictionReport& of) { return of.errors.tasks; });
  metric_of(writer, "unpredicted_tasks_total", "counter", "Tasks placed before their time was known.", predictions,
            labels, [](const PredictionReport& of) { return of.errors.unpredicted; });
  metric_of(writer, "predicted_seconds_total", "counter", "What they were predicted to take.", predictions, labels,
            [](const PredictionReport& of) { return of.errors.predicted; });
  metric_of(writer, "measured_seconds_total", "counter", "What they took.", predictions, labels,
            [](const PredictionReport& of) { return of.errors.measured; });
}

}  // namespace

std::string valid_text(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) valid += '?';
    valid += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

std::string prometheus_text(const ServiceView& view) {
  Writer writer;
  write_service(writer, view);
  write_workers(writer, view.runtime.workers);
  write_mailboxes(writer, view.runtime.mailboxes.mailboxes);
  write_pairs(writer, view.runtime.transfers.pairs);
  write_links(writer, view.runtime.transfers.links);
  write_memories(writer, view.runtime);
  write_sessions(writer, view.sessions);
  write_predictions(writer, view.runtime.predictions);
  return writer.take();
}

}  // namespace troupe::service
