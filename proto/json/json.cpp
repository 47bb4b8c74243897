#include "proto/json/json.hpp"

#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include "troupe/errors.hpp"

namespace troupe {

/// Converts between `Json` and the type of nlohmann's library.
struct JsonLibrary {
  using Theirs = nlohmann::json;

  static Json ours(Theirs& theirs) {
    switch (theirs.type()) {
      case Theirs::value_t::boolean: return theirs.get<bool>();
      case Theirs::value_t::number_integer: return theirs.get<std::int64_t>();
      case Theirs::value_t::number_unsigned: return theirs.get<std::uint64_t>();
      case Theirs::value_t::number_float: return theirs.get<double>();
      case Theirs::value_t::string: return std::move(theirs.get_ref<std::string&>());
      case Theirs::value_t::array: {
        Json array = Json::array();
        for (Theirs& element : theirs) array.push_back(ours(element));
        return array;
      }
      case Theirs::value_t::object: {
        Json object = Json::object();
        for (auto& [key, value] : theirs.get_ref<Theirs::object_t&>()) object[key] = ours(value);
        return object;
      }
      default: return nullptr;
    }
  }

  static Theirs theirs(const Json& ours) {
    return std::visit(
        [](const auto& value) -> Theirs {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::same_as<T, Json::Array>) {
            Theirs array = Theirs::array();
            for (const Json& element : value) array.push_back(theirs(element));
            return array;
          } else if constexpr (std::same_as<T, Json::Object>) {
            Theirs object = Theirs::object();
            for (const auto& [key, member] : value) object[key] = theirs(member);
            return object;
          } else {
            return value;
          }
        },
        ours.value_);
  }

  static std::optional<Json> parsed(std::string_view text) {
    Theirs whole = Theirs::parse(text, nullptr, false);
    if (whole.is_discarded()) return std::nullopt;
    return ours(whole);
  }
};

Json::Json() noexcept = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(Truth truth) : value_(truth.value) {}
Json::Json(Value value) : value_(std::move(value)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept : value_(std::exchange(other.value_, Value())) {}
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept {
  // `other` may be an element or member of this value. It must be moved away before this value is destroyed.
  Value taken = std::exchange(other.value_, Value());
  value_ = std::move(taken);
  return *this;
}
Json::~Json() = default;

Json::Json(std::initializer_list<Json> values) {
  const auto is_member = [](const Json& value) {
    return value.is_array() && value.size() == 2 && value.front().is_string();
  };
  bool members = true;
  for (const Json& value : values) members = members && is_member(value);
  if (!members) {
    value_ = Array(values);
    return;
  }
  Object object;
  for (const Json& value : values) object.emplace(value[0].as_text(), value[1]);
  value_ = std::move(object);
}

Json Json::array(std::initializer_list<Json> values) { return Json(Value(Array(values))); }

Json Json::object(std::initializer_list<std::pair<const std::string, Json>> members) {
  return Json(Value(Object(members)));
}

Json Json::parse(std::string_view text) {
  std::optional<Json> parsed = JsonLibrary::parsed(text);
  if (!parsed) throw Error(ErrorCode::bad_input, "not JSON: " + std::string(text.substr(0, 200)));
  return std::move(*parsed);
}

std::optional<Json> Json::try_parse(std::string_view text) { return JsonLibrary::parsed(text); }

std::string Json::dump(int indent, bool ascii) const {
  return JsonLibrary::theirs(*this).dump(indent, ' ', ascii, nlohmann::json::error_handler_t::replace);
}

bool Json::is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
bool Json::is_boolean() const { return std::holds_alternative<bool>(value_); }
bool Json::is_number() const { return is_number_integer() || is_number_float(); }
bool Json::is_number_integer() const { return std::holds_alternative<std::int64_t>(value_) || is_number_unsigned(); }
bool Json::is_number_unsigned() const { return std::holds_alternative<std::uint64_t>(value_); }
bool Json::is_number_float() const { return std::holds_alternative<double>(value_); }
bool Json::is_string() const { return std::holds_alternative<std::string>(value_); }
bool Json::is_array() const { return std::holds_alternative<Array>(value_); }
bool Json::is_object() const { return std::holds_alternative<Object>(value_); }

const char* Json::type_name() const {
  constexpr const char* kNames[] = {"null", "boolean", "number", "number", "number", "string", "array", "object"};
  return kNames[value_.index()];
}

std::size_t Json::size() const {
  if (is_null()) return 0;
  if (const auto* array = std::get_if<Array>(&value_)) return array->size();
  if (const auto* object = std::get_if<Object>(&value_)) return object->size();
  return 1;
}

void Json::refuse(const char* wanted) const {
  throw std::logic_error(std::string("a JSON value is not ") + wanted + ", but of type " + type_name());
}

const Json::Array& Json::elements() const {
  static const Array none;
  if (is_null()) return none;
  if (!is_array()) refuse("an array");
  return std::get<Array>(value_);
}

Json::Array& Json::elements() {
  if (is_null()) value_ = Array();
  if (!is_array()) refuse("an array");
  return std::get<Array>(value_);
}

const Json::Object& Json::items() const {
  static const Object none;
  if (is_null()) return none;
  if (!is_object()) refuse("an object");
  return std::get<Object>(value_);
}

Json::Object& Json::items() {
  if (is_null()) value_ = Object();
  if (!is_object()) refuse("an object");
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view key) const {
  const auto* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &found->second;
}

bool Json::contains(std::string_view key) const { return find(key) != nullptr; }

const Json& Json::at(std::string_view key) const {
  if (!is_object()) refuse("an object");
  if (const Json* const found = find(key)) return *found;
  throw std::logic_error("a JSON object has no member '" + std::string(key) + "'");
}

Json& Json::at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }

const Json& Json::at(std::size_t index) const {
  if (!is_array()) refuse("an array");
  const Array& all = std::get<Array>(value_);
  if (index < all.size()) return all[index];
  throw std::logic_error("a JSON array of " + std::to_string(all.size()) + " has no element " + std::to_string(index));
}

Json& Json::at(std::size_t index) { return const_cast<Json&>(std::as_const(*this).at(index)); }

Json& Json::operator[](std::string_view key) {
  Object& object = items();
  const auto found = object.find(key);
  return found != object.end() ? found->second : object[std::string(key)];
}

void Json::push_back(Json value) { elements().push_back(std::move(value)); }

std::size_t Json::erase(std::string_view key) { return items().erase(std::string(key)); }

void Json::erase(std::size_t index) {
  (void)at(index);
  elements().erase(elements().begin() + static_cast<std::ptrdiff_t>(index));
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

bool Json::as_truth() const {
  if (!is_boolean()) refuse("true or false");
  return std::get<bool>(value_);
}

namespace {

/// Returns the number as a `T`; nothing if the value is no number.
template <class T, class Value>
std::optional<T> number_in(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<T>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<T>(*number);
  if (const auto* number = std::get_if<double>(&value)) return static_cast<T>(*number);
  return std::nullopt;
}

}  // namespace

double Json::as_double() const {
  if (const auto number = number_in<double>(value_)) return *number;
  refuse("a number");
}

std::int64_t Json::as_signed() const {
  if (const auto number = number_in<std::int64_t>(value_)) return *number;
  refuse("a number");
}

std::uint64_t Json::as_unsigned() const {
  if (const auto number = number_in<std::uint64_t>(value_)) return *number;
  refuse("a number");
}

const std::string& Json::as_text() const {
  if (!is_string()) refuse("a text");
  return std::get<std::string>(value_);
}

bool Json::equals(const Json& other) const {
  if (is_number() && other.is_number()) {
    if (is_number_float() || other.is_number_float()) return as_double() == other.as_double();
    // After conversion to unsigned numbers, a negative number could look equal to a large one, so signs are compared
    // first.
    const auto negative = [](const Json& json) { return !json.is_number_unsigned() && json.as_signed() < 0; };
    return negative(*this) == negative(other) && as_unsigned() == other.as_unsigned();
  }
  return value_ == other.value_;
}

std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json.dump(); }

}  // namespace troupe
