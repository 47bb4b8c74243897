#include "service/views/view_json.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "platform/files/json_field.hpp"
#include "proto/json/json.hpp"
#include "service/views/view_members.hpp"
#include "troupe/devices.hpp"

namespace troupe::service {

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
  /// Reads a member that older services do not write. If it is missing, the value stays unchanged.
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
    // A `Duration` can hold about 292 years, a little more than this.
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
