#include "service/views/prometheus_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/utf8.hpp"
#include "service/views/view_members.hpp"

namespace troupe::service {

namespace {

/// Returns a label's value, escaped as the format requires.
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

/// Collects the lines. All lines of one metric must be together, as the format requires.
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
  std::string name_;
};

/// A metric of one kind of report. Its value is the report's member with this key (`members`). The metric's name
/// consists of a prefix for the kind of report, the key without "_sum", and a suffix: "_total" for a counter,
/// "_seconds" for a summary.
struct Metric {
  const char* key;
  const char* type;
  const char* help;
};

std::string name_of(std::string_view prefix, const Metric& metric) {
  const std::string_view type = metric.type;
  std::string_view key = metric.key;
  if (key.ends_with("_sum")) key.remove_suffix(4);
  return fmt::format("{}{}{}", prefix, key, type == "counter" ? "_total" : type == "summary" ? "_seconds" : "");
}

/// Writes a metric's lines for one report: the value of the member with this key, or all numbers of a summary.
class MetricLine {
 public:
  MetricLine(Writer& writer, std::string_view key, const Labels& labels)
      : writer_(&writer), key_(key), labels_(&labels) {}

  template <class T>
  void operator()(std::string_view key, const T& value) {
    if (key == key_) write(value);
  }
  template <class T>
  void later(std::string_view key, const T& value) {
    (*this)(key, value);
  }

 private:
  void write(const auto& /*has no number*/) {}
  void write(bool value) { writer_->value(*labels_, value ? 1 : 0); }
  void write(std::uint64_t value) { writer_->value(*labels_, value); }
  void write(double value) { writer_->value(*labels_, value); }
  void write(Duration value) { writer_->value(*labels_, value); }
  void write(Bytes value) { writer_->value(*labels_, value); }
  void write(const LatencySummary& latency) {
    const auto quantile = [&](const char* which, Duration duration) {
      Labels labels = *labels_;
      labels.emplace_back("quantile", which);
      // Without observations a quantile has no value, which Prometheus writes as NaN.
      writer_->value(labels, latency.count == 0 ? std::nan("") : seconds(duration));
    };
    quantile("0.5", latency.p50);
    quantile("0.9", latency.p90);
    quantile("0.99", latency.p99);
    writer_->value(*labels_, seconds(latency.mean) * static_cast<double>(latency.count), "_sum");
    writer_->value(*labels_, latency.count, "_count");
  }

  Writer* writer_;
  std::string_view key_;
  const Labels* labels_;
};

/// Writes each of the metrics, with one line for each report of the list. `labels_of` returns a report's labels from
/// its index and the report.
template <class Report, class LabelsOf>
void write_metrics(Writer& writer, std::string_view prefix, std::initializer_list<Metric> metrics,
                   const std::vector<Report>& list, LabelsOf labels_of) {
  if (list.empty()) return;
  for (const Metric& metric : metrics) {
    writer.metric(name_of(prefix, metric), metric.type, metric.help);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Labels labels = labels_of(i, list[i]);
      MetricLine line(writer, metric.key, labels);
      members(line, list[i]);
    }
  }
}

void write_service(Writer& writer, const ServiceView& view) {
  writer.metric("up", "gauge", "1 while the service takes new sessions, 0 while it drains.");
  writer.value({}, view.state == "serving" ? 1 : 0);
  writer.metric("info", "gauge", "Always 1; the labels have the version and the policy of the service.");
  writer.value({{"version", view.version}, {"policy", view.runtime.policy}}, 1);
  writer.metric("age_seconds", "gauge", "Time in seconds since the service started.");
  writer.value({}, view.age);
  writer.metric("entry_queue", "gauge", "Number of ready tasks in the queue that all workers share.");
  writer.value({}, view.runtime.entry_queue);
}

void write_workers(Writer& writer, const std::vector<LiveWorker>& workers) {
  const auto labels = [&](std::size_t i, const auto& /*of*/) {
    return Labels{{"worker", std::to_string(i)}, {"device", workers[i].device}};
  };
  write_metrics(
      writer, "worker_",
      {{"tasks", "counter", "Number of tasks that the worker has run."},
       {"busy_seconds", "counter", "Time in seconds that the worker has spent on tasks, the running task included."},
       {"deque_length", "gauge", "Number of ready tasks in the worker's deque."},
       {"idle", "gauge", "1 while the worker has nothing to do."},
       {"lost", "gauge", "1 after the worker's device stopped working."}},
      workers, labels);
  if (!workers.empty())
    writer.metric("worker_cores", "gauge", "Number of cores that work together as the worker; 0 for a GPU.");
  for (std::size_t i = 0; i < workers.size(); ++i) writer.value(labels(i, workers[i]), workers[i].members.size());
  std::vector<TeamUse> teams;
  for (const LiveWorker& of : workers) teams.push_back(of.team);
  write_metrics(
      writer, "worker_team_",
      {{"offered_seconds", "counter",
        "Sum, in seconds, of the times of a cluster's tasks multiplied by its number of cores; only tasks whose use of "
        "the cores is known count."},
       {"used_seconds", "counter", "Part of the offered time, in seconds, in which the cluster's cores computed."}},
      teams, labels);
}

void write_mailboxes(Writer& writer, const std::vector<MailboxMetrics>& mailboxes) {
  write_metrics(
      writer, "mailbox_",
      {{"depth", "gauge", "Number of messages that wait in the actor's mailbox."},
       {"peak_depth", "gauge", "Most messages that waited in the actor's mailbox at one time."},
       {"received", "counter", "Number of messages that were sent to the actor."},
       {"dropped", "counter", "Number of messages that were lost because the actor died, or that came after its end."},
       {"answered_at_delivery", "counter",
        "Number of steal requests that the requesting worker's thread answered at delivery, in place of the actor."},
       {"waiting", "summary", "Time in seconds from the sending of a message to the start of its handler."},
       {"handling", "summary",
        "Time in seconds from the start of a message's handler to its end, or to the start of the first task that the "
        "message brought."}},
      mailboxes, [](std::size_t, const MailboxMetrics& of) {
        return Labels{{"actor", of.actor}};
      });
}

void write_transfers(Writer& writer, const LiveView& runtime) {
  write_metrics(writer, "pair_",
                {{"bytes", "counter", "Bytes copied from one memory to another; memory 0 is the host's."},
                 {"copies", "counter", "Number of copies from one memory to another; memory 0 is the host's."},
                 {"busy_seconds", "counter",
                  "Time in seconds in which at least one copy from this memory to the other was under way."}},
                runtime.transfers.pairs, [](std::size_t, const PairTraffic& of) {
                  return Labels{{"from", std::to_string(of.from.value())}, {"to", std::to_string(of.to.value())}};
                });
  write_metrics(
      writer, "link_",
      {{"bytes", "counter", "Bytes that were copied over the link."},
       {"busy_seconds", "counter", "Time in seconds in which at least one copy over the link was under way."}},
      runtime.transfers.links, [](std::size_t, const LinkTraffic& of) {
        return Labels{{"link", of.name}};
      });
  // Two memories may have the same name. A label with the number distinguishes them.
  write_metrics(writer, "memory_",
                {{"used_bytes", "gauge", "Bytes that data take in the device's memory now."},
                 {"capacity_bytes", "gauge", "Size, in bytes, of the part of the device's memory that data may use."}},
                runtime.memories, [](std::size_t i, const LiveMemory& of) {
                  return Labels{{"memory", of.name}, {"number", std::to_string(i)}};
                });
  write_metrics(writer, "",
                {{"evictions", "counter",
                  "Number of times that data were removed from a device's memory to make room for other data."},
                 {"write_backs", "counter",
                  "Number of copies to the host that were started to make room, or early because no task would write "
                  "the data any more."},
                 {"prefetches", "counter", "Number of copies that were started before a task asked for the data."},
                 {"prefetches_used", "counter", "Number of prefetched data that a task used later."},
                 {"cache_hits", "counter",
                  "Number of data that tasks read on devices with a memory of their own, and whose content was in that "
                  "memory when the task was admitted."},
                 {"cache_misses", "counter",
                  "Number of data that tasks read on devices with a memory of their own, and whose content had to be "
                  "fetched or was still being copied when the task was admitted."}},
                std::vector{runtime.transfers.manager}, [](std::size_t, const auto& /*of*/) { return Labels{}; });
}

void write_sessions(Writer& writer, const std::vector<SessionView>& sessions) {
  writer.metric("clients", "gauge",
                "Number of open sessions, with those whose client has left while their last kernels run.");
  writer.value({}, sessions.size());
  write_metrics(
      writer, "client_",
      {{"submitted", "counter", "Number of tasks that the client has submitted."},
       {"ended", "counter", "Number of the client's tasks that have succeeded, failed or been cancelled."},
       {"failed", "counter", "Number of the client's tasks that have failed; cancelled tasks do not count."},
       {"worker_seconds", "counter", "Time in seconds that workers have spent on the client's tasks."},
       {"memory_bytes", "gauge", "Shared memory, in bytes, that the client has."},
       {"weight", "gauge", "Weight of the client's user: users get worker time in proportion to their weights."}},
      sessions, [](std::size_t, const SessionView& of) {
        return Labels{{"session", std::to_string(of.id)},
                      {"name", of.name},
                      {"user", of.user_name.empty() ? std::to_string(of.user) : of.user_name}};
      });
}

void write_predictions(Writer& writer, const std::vector<PredictionReport>& predictions) {
  write_metrics(writer, "prediction_",
                {{"tasks", "counter", "Number of tasks that were placed with a prediction."},
                 {"unpredicted_tasks", "counter",
                  "Number of tasks that were placed without a prediction, in order to learn their time."},
                 {"predicted_seconds_sum", "counter",
                  "Sum of the predicted times, in seconds, of the tasks that were placed with a prediction."},
                 {"measured_seconds_sum", "counter",
                  "Sum of the measured times, in seconds, of the tasks that were placed with a prediction."},
                 {"relative_error_sum", "counter",
                  "Sum of |measured - predicted| / measured over the times of the tasks that were placed with a "
                  "prediction; divided by their number, it is their mean error."}},
                predictions, [](std::size_t, const PredictionReport& of) {
                  return Labels{{"codelet", of.codelet}, {"kind", to_string(of.kind)}};
                });
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
  write_transfers(writer, view.runtime);
  write_sessions(writer, view.sessions);
  write_predictions(writer, view.runtime.predictions);
  return writer.take();
}

}  // namespace troupe::service
