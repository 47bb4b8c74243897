#include "service/views/view_json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/files/json_field.hpp"

namespace troupe::service {

namespace {

using nlohmann::json;
using platform::JsonField;

// ---- Writing ----

json latency(const LatencySummary& of) {
  return {{"count", of.count},
          {"mean_seconds", seconds(of.mean)},
          {"p50_seconds", seconds(of.p50)},
          {"p90_seconds", seconds(of.p90)},
          {"p99_seconds", seconds(of.p99)},
          {"max_seconds", seconds(of.max)}};
}

json mailbox(const MailboxMetrics& one) {
  return {{"actor", one.actor},
          {"received", one.received},
          {"processed", one.processed},
          {"dropped", one.dropped},
          {"depth", one.depth},
          {"peak_depth", one.peak_depth},
          {"answered_at_delivery", one.answered_at_delivery},
          {"unmeasured", one.unmeasured},
          {"waiting", latency(one.waiting)},
          {"handling", latency(one.handling)},
          {"answering", latency(one.answering)}};
}

json worker(const LiveWorker& one) {
  return {{"device", one.device}, {"idle", one.idle},
          {"lost", one.lost},     {"deque_length", one.deque_length},
          {"task", one.task},     {"codelet", one.codelet},
          {"client", one.client}, {"running_for_seconds", seconds(one.running_for)},
          {"tasks", one.tasks},   {"busy_seconds", seconds(one.busy)}};
}

json client(const LiveClient& one) {
  return {{"name", one.name},           {"weight", one.weight}, {"ready", one.ready},
          {"submitted", one.submitted}, {"ended", one.ended},   {"worker_seconds", seconds(one.worker_time)}};
}

json session(const SessionView& one) {
  return {{"id", one.id},
          {"name", one.name},
          {"user", one.user},
          {"process", one.process},
          {"weight", one.weight},
          {"state", one.state},
          {"submitted", one.submitted},
          {"ended", one.ended},
          {"failed", one.failed},
          {"worker_seconds", seconds(one.worker_time)},
          {"memory_bytes", one.memory.count},
          {"age_seconds", seconds(one.age)}};
}

json memory(const LiveMemory& one) {
  return {{"name", one.name}, {"capacity_bytes", one.capacity.count}, {"used_bytes", one.used.count}};
}

json pair(const PairTraffic& one) {
  return {{"from", one.from.value()},
          {"to", one.to.value()},
          {"bytes", one.bytes.count},
          {"copies", one.copies},
          {"busy_seconds", seconds(one.busy)}};
}

json link(const LinkTraffic& one) {
  return {{"name", one.name},
          {"bandwidth_mb_per_s", one.bandwidth_mb_per_s},
          {"bytes", one.bytes.count},
          {"busy_seconds", seconds(one.busy)},
          {"highest_load", one.highest_load}};
}

json memory_use(const MemoryUse& one) {
  return {{"node", one.node.value()},
          {"capacity_bytes", one.capacity.count},
          {"highest_bytes", one.highest.count},
          {"used_bytes", one.used.count}};
}

json prediction(const PredictionReport& one) {
  return {{"codelet", one.codelet},
          {"kind", to_string(one.kind)},
          {"tasks", one.errors.tasks},
          {"predicted_seconds", seconds(one.errors.predicted)},
          {"measured_seconds", seconds(one.errors.measured)},
          {"relative_error_sum", one.errors.relative}};
}

template <class List, class Writer>
json list_of(const List& list, Writer writer) {
  json array = json::array();
  for (const auto& one : list) array.push_back(writer(one));
  return array;
}

json transfers(const TransferReport& of) {
  return {{"host_to_device_bytes", of.host_to_device.count},
          {"device_to_host_bytes", of.device_to_host.count},
          {"device_to_device_bytes", of.device_to_device.count},
          {"pairs", list_of(of.pairs, pair)},
          {"links", list_of(of.links, link)},
          {"memories", list_of(of.memories, memory_use)},
          {"evictions", of.evictions},
          {"write_backs", of.write_backs},
          {"prefetches", of.prefetches},
          {"prefetches_used", of.prefetches_used},
          {"hits", of.hits},
          {"misses", of.misses}};
}

// ---- Reading ----

/// A member of an object, as the type that it goes to.
std::uint64_t count(const JsonField& in, const char* key) {
  return in.member(key).count(0, std::numeric_limits<std::uint64_t>::max(), "a count");
}
Bytes bytes(const JsonField& in, const char* key) { return {count(in, key)}; }

double number(const JsonField& in, const char* key) {
  return in.member(key).number({0, 1e300}, "a number that is not negative");
}

Duration duration(const JsonField& in, const char* key) {
  // Almost 300 years, which is what a Duration holds.
  constexpr double kLongest = 9e9;
  const double value = in.member(key).number({0, kLongest}, "seconds");
  return Duration(std::llround(value * 1e9));
}

std::string text(const JsonField& in, const char* key) {
  if (!in.member(key).present()) in.member(key).refuse("a text");
  return in.member(key).optional_text("a text");
}

bool flag(const JsonField& in, const char* key) { return in.member(key).flag("true or false"); }

NodeId node(const JsonField& in, const char* key) {
  constexpr std::uint64_t kMost = 1U << 20U;
  return NodeId(static_cast<NodeId::value_type>(in.member(key).count(0, kMost, "a memory's number")));
}

template <class T>
std::vector<T> list(const JsonField& in, const char* key, T (*reader)(const JsonField&)) {
  const JsonField field = in.member(key);
  std::vector<T> all;
  const std::size_t size = field.size("an array");
  all.reserve(size);
  for (std::size_t i = 0; i < size; ++i) all.push_back(reader(field.element(i)));
  return all;
}

LatencySummary read_latency(const JsonField& in) {
  return {.count = count(in, "count"),
          .mean = duration(in, "mean_seconds"),
          .p50 = duration(in, "p50_seconds"),
          .p90 = duration(in, "p90_seconds"),
          .p99 = duration(in, "p99_seconds"),
          .max = duration(in, "max_seconds")};
}

MailboxMetrics read_mailbox(const JsonField& in) {
  return {.actor = text(in, "actor"),
          .received = count(in, "received"),
          .processed = count(in, "processed"),
          .dropped = count(in, "dropped"),
          .depth = count(in, "depth"),
          .peak_depth = count(in, "peak_depth"),
          .answered_at_delivery = count(in, "answered_at_delivery"),
          .unmeasured = count(in, "unmeasured"),
          .waiting = read_latency(in.member("waiting")),
          .handling = read_latency(in.member("handling")),
          .answering = read_latency(in.member("answering"))};
}

LiveWorker read_worker(const JsonField& in) {
  return {.device = text(in, "device"),
          .idle = flag(in, "idle"),
          .lost = flag(in, "lost"),
          .deque_length = static_cast<std::size_t>(count(in, "deque_length")),
          .task = text(in, "task"),
          .codelet = text(in, "codelet"),
          .client = text(in, "client"),
          .running_for = duration(in, "running_for_seconds"),
          .tasks = count(in, "tasks"),
          .busy = duration(in, "busy_seconds")};
}

LiveClient read_client(const JsonField& in) {
  return {.name = text(in, "name"),
          .weight = number(in, "weight"),
          .ready = static_cast<std::size_t>(count(in, "ready")),
          .submitted = count(in, "submitted"),
          .ended = count(in, "ended"),
          .worker_time = duration(in, "worker_seconds")};
}

LiveMemory read_memory(const JsonField& in) {
  return {.name = text(in, "name"), .capacity = bytes(in, "capacity_bytes"), .used = bytes(in, "used_bytes")};
}

PairTraffic read_pair(const JsonField& in) {
  return {.from = node(in, "from"),
          .to = node(in, "to"),
          .bytes = bytes(in, "bytes"),
          .copies = count(in, "copies"),
          .busy = duration(in, "busy_seconds")};
}

LinkTraffic read_link(const JsonField& in) {
  return {.name = text(in, "name"),
          .bandwidth_mb_per_s = number(in, "bandwidth_mb_per_s"),
          .bytes = bytes(in, "bytes"),
          .busy = duration(in, "busy_seconds"),
          .highest_load = number(in, "highest_load")};
}

MemoryUse read_memory_use(const JsonField& in) {
  return {.node = node(in, "node"),
          .capacity = bytes(in, "capacity_bytes"),
          .highest = bytes(in, "highest_bytes"),
          .used = bytes(in, "used_bytes")};
}

DeviceKind read_kind(const JsonField& in) {
  constexpr const char* kExpected = "a kind of device";
  if (const auto kind = device_kind_named(in.text(kExpected))) return *kind;
  in.refuse(kExpected);
}

PredictionReport read_prediction(const JsonField& in) {
  return {.codelet = text(in, "codelet"),
          .kind = read_kind(in.member("kind")),
          .errors = {.tasks = count(in, "tasks"),
                     .predicted = duration(in, "predicted_seconds"),
                     .measured = duration(in, "measured_seconds"),
                     .relative = number(in, "relative_error_sum")}};
}

TransferReport read_transfers(const JsonField& in) {
  return {.host_to_device = bytes(in, "host_to_device_bytes"),
          .device_to_host = bytes(in, "device_to_host_bytes"),
          .device_to_device = bytes(in, "device_to_device_bytes"),
          .pairs = list(in, "pairs", read_pair),
          .links = list(in, "links", read_link),
          .memories = list(in, "memories", read_memory_use),
          .evictions = count(in, "evictions"),
          .write_backs = count(in, "write_backs"),
          .prefetches = count(in, "prefetches"),
          .prefetches_used = count(in, "prefetches_used"),
          .hits = count(in, "hits"),
          .misses = count(in, "misses")};
}

std::int64_t read_process(const JsonField& in, const char* key) {
  return static_cast<std::int64_t>(
      in.member(key).count(0, std::numeric_limits<std::int64_t>::max(), "a process's number"));
}

SessionView read_session(const JsonField& in) {
  return {.id = count(in, "id"),
          .name = text(in, "name"),
          .user = static_cast<std::uint32_t>(
              in.member("user").count(0, std::numeric_limits<std::uint32_t>::max(), "a user's number")),
          .process = read_process(in, "process"),
          .weight = number(in, "weight"),
          .state = text(in, "state"),
          .submitted = count(in, "submitted"),
          .ended = count(in, "ended"),
          .failed = count(in, "failed"),
          .worker_time = duration(in, "worker_seconds"),
          .memory = bytes(in, "memory_bytes"),
          .age = duration(in, "age_seconds")};
}

ServiceView read_view(const JsonField& in) {
  return {.version = text(in, "version"),
          .process = read_process(in, "process"),
          .age = duration(in, "age_seconds"),
          .state = text(in, "state"),
          .runtime = {.policy = text(in, "policy"),
                      .workers = list(in, "workers", read_worker),
                      .entry_queue = static_cast<std::size_t>(count(in, "entry_queue")),
                      .clients = list(in, "clients", read_client),
                      .memories = list(in, "memories", read_memory),
                      .transfers = read_transfers(in.member("transfers")),
                      .predictions = list(in, "predictions", read_prediction),
                      .mailboxes = {.mailboxes = list(in, "mailboxes", read_mailbox)}},
          .sessions = list(in, "sessions", read_session)};
}

}  // namespace

json view_as_json(const ServiceView& view) {
  const LiveView& runtime = view.runtime;
  return {{"version", view.version},
          {"process", view.process},
          {"age_seconds", seconds(view.age)},
          {"state", view.state},
          {"policy", runtime.policy},
          {"workers", list_of(runtime.workers, worker)},
          {"entry_queue", runtime.entry_queue},
          {"clients", list_of(runtime.clients, client)},
          {"memories", list_of(runtime.memories, memory)},
          {"transfers", transfers(runtime.transfers)},
          {"predictions", list_of(runtime.predictions, prediction)},
          {"mailboxes", list_of(runtime.mailboxes.mailboxes, mailbox)},
          {"sessions", list_of(view.sessions, session)}};
}

std::string view_to_text(const ServiceView& view) {
  return view_as_json(view).dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ServiceView> view_from_text(std::string_view text) {
  try {
    const platform::JsonDocument document(text);
    return read_view(document.root());
  } catch (const Error& error) {
    return Failure{error.code(), "the live view cannot be read: " + std::string(error.what())};
  }
}

}  // namespace troupe::service
