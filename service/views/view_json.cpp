#include "service/views/view_json.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "platform/files/json_field.hpp"
#include "proto/json/json.hpp"
#include "troupe/devices.hpp"

namespace troupe::service {

namespace {

using platform::JsonField;

template <class One, class T>
concept Of = std::same_as<std::remove_const_t<One>, T>;

// ---- The members of each type, for writing and for reading ----

void members(auto& member, Of<LatencySummary> auto& one) {
  member("count", one.count);
  member("mean_seconds", one.mean);
  member("p50_seconds", one.p50);
  member("p90_seconds", one.p90);
  member("p99_seconds", one.p99);
  member("max_seconds", one.max);
}

void members(auto& member, Of<MailboxMetrics> auto& one) {
  member("actor", one.actor);
  member("received", one.received);
  member("processed", one.processed);
  member("dropped", one.dropped);
  member("depth", one.depth);
  member("peak_depth", one.peak_depth);
  member("answered_at_delivery", one.answered_at_delivery);
  member("unmeasured", one.unmeasured);
  member("waiting", one.waiting);
  member("handling", one.handling);
  member("answering", one.answering);
}

void members(auto& member, Of<TeamUse> auto& one) {
  member("offered_seconds", one.offered);
  member("used_seconds", one.used);
  member("unseen_seconds", one.unseen);
}

void members(auto& member, Of<LiveWorker> auto& one) {
  member("device", one.device);
  member.later("members", one.members);
  member("idle", one.idle);
  member("lost", one.lost);
  member("deque_length", one.deque_length);
  member("task", one.task);
  member("codelet", one.codelet);
  member("client", one.client);
  member("running_for_seconds", one.running_for);
  member("tasks", one.tasks);
  member("busy_seconds", one.busy);
  member.later("team", one.team);
}

void members(auto& member, Of<LiveClient> auto& one) {
  member("name", one.name);
  member("weight", one.weight);
  member("ready", one.ready);
  member("submitted", one.submitted);
  member("ended", one.ended);
  member("worker_seconds", one.worker_time);
}

void members(auto& member, Of<LiveMemory> auto& one) {
  member("name", one.name);
  member("capacity_bytes", one.capacity);
  member("used_bytes", one.used);
}

void members(auto& member, Of<PairTraffic> auto& one) {
  member("from", one.from);
  member("to", one.to);
  member("bytes", one.bytes);
  member("copies", one.copies);
  member("busy_seconds", one.busy);
}

void members(auto& member, Of<LinkTraffic> auto& one) {
  member("name", one.name);
  member("bandwidth_mb_per_s", one.bandwidth_mb_per_s);
  member("bytes", one.bytes);
  member("busy_seconds", one.busy);
  member("highest_load", one.highest_load);
}

void members(auto& member, Of<MemoryUse> auto& one) {
  member("node", one.node);
  member("capacity_bytes", one.capacity);
  member("peak_bytes", one.highest);
  member("used_bytes", one.used);
}

void members(auto& member, Of<PredictionReport> auto& one) {
  member("codelet", one.codelet);
  member("kind", one.kind);
  member("tasks", one.errors.tasks);
  member("unpredicted_tasks", one.errors.unpredicted);
  member("predicted_seconds_sum", one.errors.predicted);
  member("measured_seconds_sum", one.errors.measured);
  member("relative_error_sum", one.errors.relative);
}

void members(auto& member, Of<TransferReport> auto& one) {
  member("bytes_host_to_device", one.host_to_device);
  member("bytes_device_to_host", one.device_to_host);
  member("bytes_device_to_device", one.device_to_device);
  member("pairs", one.pairs);
  member("links", one.links);
  member("memories", one.memories);
  member("evictions", one.evictions);
  member("write_backs", one.write_backs);
  member("prefetches", one.prefetches);
  member("prefetches_used", one.prefetches_used);
  member("cache_hits", one.hits);
  member("cache_misses", one.misses);
}

void members(auto& member, Of<SessionView> auto& one) {
  member("session", one.id);
  member("name", one.name);
  member("user", one.user);
  member.later("user_name", one.user_name);
  member("process", one.process);
  member("weight", one.weight);
  member("state", one.state);
  member("submitted", one.submitted);
  member("ended", one.ended);
  member("failed", one.failed);
  member("worker_seconds", one.worker_time);
  member("memory_bytes", one.memory);
  member("age_seconds", one.age);
}

void members(auto& member, Of<ServiceView> auto& one) {
  member("version", one.version);
  member("process", one.process);
  member("age_seconds", one.age);
  member("state", one.state);
  member("policy", one.runtime.policy);
  member("workers", one.runtime.workers);
  member("entry_queue", one.runtime.entry_queue);
  member("clients", one.runtime.clients);
  member("memories", one.runtime.memories);
  member("transfers", one.runtime.transfers);
  member("predictions", one.runtime.predictions);
  member("mailboxes", one.runtime.mailboxes.mailboxes);
  member("sessions", one.sessions);
}

// ---- Writing ----

class ViewWriter {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    object_[key] = written(value);
  }
  template <class T>
  void later(const char* key, const T& value) {
    (*this)(key, value);
  }

  template <class T>
    requires(!std::is_arithmetic_v<T>)
  static Json written(const T& value) {
    ViewWriter writer;
    members(writer, value);
    return std::move(writer.object_);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  static Json written(T value) {
    return value;
  }
  static Json written(const std::string& value) { return value; }
  static Json written(Duration value) { return seconds(value); }
  static Json written(Bytes value) { return value.count; }
  static Json written(NodeId value) { return value.value(); }
  static Json written(DeviceKind value) { return to_string(value); }
  template <class T>
  static Json written(const std::vector<T>& list) {
    Json array = Json::array();
    for (const T& one : list) array.push_back(written(one));
    return array;
  }

 private:
  Json object_;
};

// ---- Reading ----

class ViewReader {
 public:
  explicit ViewReader(const JsonField& in) : in_(in) {}

  template <class T>
  void operator()(const char* key, T& value) {
    read(in_.member(key), value);
  }
  /// Reads a member that older services do not write; the value then stays as it is.
  template <class T>
  void later(const char* key, T& value) {
    if (in_.member(key).present()) (*this)(key, value);
  }

  template <class T>
  static void read(const JsonField& in, T& value) {
    ViewReader reader(in);
    members(reader, value);
  }
  static void read(const JsonField& in, std::uint64_t& value) { value = whole<std::uint64_t>(in, "a count"); }
  static void read(const JsonField& in, std::uint32_t& value) { value = whole<std::uint32_t>(in, "a user's number"); }
  static void read(const JsonField& in, std::int64_t& value) { value = whole<std::int64_t>(in, "a process's number"); }
  static void read(const JsonField& in, int& value) { value = whole<int>(in, "a processing unit's number"); }
  static void read(const JsonField& in, Bytes& value) { read(in, value.count); }
  static void read(const JsonField& in, bool& value) { value = in.flag("true or false"); }
  static void read(const JsonField& in, double& value) {
    value = in.number({0, 1e300}, "a number that is not negative");
  }
  static void read(const JsonField& in, Duration& value) {
    // Almost 300 years, which is what a Duration holds.
    constexpr double kLongest = 9e9;
    value = Duration(std::llround(in.number({0, kLongest}, "seconds") * 1e9));
  }
  static void read(const JsonField& in, std::string& value) {
    if (!in.present()) in.refuse("a text");
    value = in.optional_text("a text");
  }
  static void read(const JsonField& in, NodeId& value) {
    constexpr std::uint64_t kMost = 1U << 20U;
    value = NodeId(static_cast<NodeId::value_type>(in.count(0, kMost, "a memory's number")));
  }
  static void read(const JsonField& in, DeviceKind& value) {
    constexpr const char* kExpected = "a kind of device";
    const auto kind = device_kind_named(in.text(kExpected));
    if (!kind) in.refuse(kExpected);
    value = *kind;
  }
  template <class T>
  static void read(const JsonField& in, std::vector<T>& list) {
    list.resize(in.size("an array"));
    for (std::size_t i = 0; i < list.size(); ++i) read(in.element(i), list[i]);
  }

 private:
  template <class T>
  static T whole(const JsonField& in, const char* expected) {
    return static_cast<T>(in.count(0, static_cast<std::uint64_t>(std::numeric_limits<T>::max()), expected));
  }

  const JsonField& in_;
};

}  // namespace

Json view_as_json(const ServiceView& view) { return ViewWriter::written(view); }

std::string view_to_text(const ServiceView& view) { return view_as_json(view).dump(); }

Result<ServiceView> view_from_text(std::string_view text) {
  try {
    const platform::JsonDocument document(text);
    ServiceView view;
    ViewReader::read(document.root(), view);
    return view;
  } catch (const Error& error) {
    return Failure{error.code(), "the live view cannot be read: " + std::string(error.what())};
  }
}

}  // namespace troupe::service
