#include "service/views/view_json.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "actors/observation/report_members.hpp"
#include "platform/files/json_field.hpp"
#include "proto/json/json.hpp"
#include "troupe/devices.hpp"

// Each `members` function is in the namespace of its type, so that the code that writes or reads the type finds it.

namespace troupe {

void members(auto& member, ReportOf<LiveWorker> auto& one) {
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

void members(auto& member, ReportOf<LiveClient> auto& one) {
  member("name", one.name);
  member("weight", one.weight);
  member("ready", one.ready);
  member("submitted", one.submitted);
  member("ended", one.ended);
  member("worker_seconds", one.worker_time);
}

void members(auto& member, ReportOf<LiveMemory> auto& one) {
  member("name", one.name);
  member("capacity_bytes", one.capacity);
  member("used_bytes", one.used);
}

}  // namespace troupe

namespace troupe::remote {

void members(auto& member, ReportOf<SessionView> auto& one) {
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

}  // namespace troupe::remote

namespace troupe::service {

void members(auto& member, ReportOf<ServiceView> auto& one) {
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

namespace {

using platform::JsonField;

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
    // A Duration holds at most almost 300 years.
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

Json view_as_json(const ServiceView& view) { return as_json(view); }

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
