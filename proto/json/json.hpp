/// Values of JSON. This header hides nlohmann's library, because compiling its header and templates takes seconds in
/// each file that includes it. Only `json.cpp` and few other files include it.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

class Json;

namespace detail {

template <class T>
concept JsonNumber = std::is_arithmetic_v<T> && !
std::same_as<T, bool>;

}  // namespace detail

/// A value: null, true or false, a number, a text in UTF-8, an array, or an object whose members are in the order of
/// their keys. A function that does not work for the value's type throws `std::logic_error`, which names the needed and
/// the actual type.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() noexcept;
  Json(std::nullptr_t) noexcept;
  Json(std::same_as<bool> auto value) : Json(Truth{value}) {}
  template <detail::JsonNumber T>
  Json(T value) : Json(number(value)) {}
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  template <class T>
  Json(const std::vector<T>& elements);
  template <class T, std::size_t N>
  Json(const std::array<T, N>& elements);
  template <class T>
  Json(const std::map<std::string, T>& members);
  /// Makes an object if each value is an array of a text and one more value; otherwise makes an array. For example,
  /// `{{"tasks", 3}, {"seconds", 0.5}}` makes an object.
  Json(std::initializer_list<Json> values);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  /// `array` always makes an array, and `object` always makes an object: the kind is not guessed from the values.
  [[nodiscard]] static Json array(std::initializer_list<Json> values = {});
  [[nodiscard]] static Json object(std::initializer_list<std::pair<const std::string, Json>> members = {});

  /// Parses a text. Throws `Error` with code `bad_input` if the text is not JSON. If several members have the same
  /// name, the last member counts.
  [[nodiscard]] static Json parse(std::string_view text);
  /// Parses a text. Returns nothing if it is not JSON.
  [[nodiscard]] static std::optional<Json> try_parse(std::string_view text);

  /// Returns the value as text, with `indent` blanks for each level; if `indent` is -1, in one line without blanks.
  /// Bytes that are not UTF-8 are replaced by U+FFFD. If `ascii` is true, characters outside ASCII are escaped.
  [[nodiscard]] std::string dump(int indent = -1, bool ascii = false) const;

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_boolean() const;
  [[nodiscard]] bool is_number() const;
  /// Returns true for a number that was parsed from a text without fraction and exponent, or made from an integer type.
  [[nodiscard]] bool is_number_integer() const;
  /// Returns true for a number that was parsed from a text without sign, fraction and exponent, or made from an
  /// unsigned type.
  [[nodiscard]] bool is_number_unsigned() const;
  [[nodiscard]] bool is_number_float() const;
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;
  /// Returns "null", "boolean", "number", "string", "array" or "object".
  [[nodiscard]] const char* type_name() const;

  /// Returns the number of elements or members; 0 for null, 1 for other values.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// Returns the value as a number, a bool or a text, or as a vector or map of such values. Numbers are converted as by
  /// a cast. Other types are not converted.
  template <class T>
  [[nodiscard]] T get() const;
  /// Converts a number implicitly. There is no such conversion for other types, so that the compiler finds mistakes
  /// such as a text in place of an object.
  template <detail::JsonNumber T>
  operator T() const {
    return get<T>();
  }

  /// Returns the elements, for loops.
  [[nodiscard]] const Array& elements() const;
  [[nodiscard]] Array& elements();
  /// Returns the members, for loops: `for (const auto& [key, value] : json.items())`.
  [[nodiscard]] const Object& items() const;
  [[nodiscard]] Object& items();
  /// These functions let range-based loops visit the elements.
  [[nodiscard]] auto begin() const { return elements().begin(); }
  [[nodiscard]] auto end() const { return elements().end(); }
  [[nodiscard]] auto begin() { return elements().begin(); }
  [[nodiscard]] auto end() { return elements().end(); }

  [[nodiscard]] bool contains(std::string_view key) const;
  /// Returns the member with this key; null if there is none, or if this value is not an object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// Returns the member or the element, which must exist.
  [[nodiscard]] const Json& at(std::string_view key) const;
  [[nodiscard]] Json& at(std::string_view key);
  [[nodiscard]] const Json& at(std::size_t index) const;
  [[nodiscard]] Json& at(std::size_t index);
  /// Returns the member with this key; if there is none, adds one that is null. If this value is null, it becomes an
  /// object.
  Json& operator[](std::string_view key);
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  const Json& operator[](std::string_view key) const { return at(key); }
  const Json& operator[](const char* key) const { return at(std::string_view(key)); }
  template <std::integral I>
  Json& operator[](I index) {
    return at(static_cast<std::size_t>(index));
  }
  template <std::integral I>
  const Json& operator[](I index) const {
    return at(static_cast<std::size_t>(index));
  }
  [[nodiscard]] const Json& front() const { return at(std::size_t{0}); }
  [[nodiscard]] const Json& back() const { return at(size() - 1); }
  [[nodiscard]] Json& back() { return at(size() - 1); }
  /// Returns the member with this key as a `T`; `otherwise` if there is none.
  template <class T>
  [[nodiscard]] T value(std::string_view key, T otherwise) const {
    const Json* const found = find(key);
    return found == nullptr ? std::move(otherwise) : found->get<T>();
  }

  [[nodiscard]] std::string value(std::string_view key, const char* otherwise) const {
    return value(key, std::string(otherwise));
  }

  /// Adds an element to an array. If this value is null, it becomes an array.
  void push_back(Json value);
  /// Removes a member; returns the number of members that it removed.
  std::size_t erase(std::string_view key);
  /// Removes an element.
  void erase(std::size_t index);
  /// Copies all members of `other` into this object. Members of this object with the same keys are replaced.
  void update(const Json& other);

  /// Compares values. Two numbers are equal if their values are equal, even if their types differ.
  friend bool operator==(const Json& a, const Json& b) { return a.equals(b); }
  template <class T>
    requires std::is_arithmetic_v<T> || std::convertible_to<T, std::string_view>
  friend bool operator==(const Json& a, const T& b) {
    return a.equals(Json(b));
  }
  /// Compares two values, which must be numbers.
  friend std::partial_ordering operator<=>(const Json& a, const Json& b) { return a.as_double() <=> b.as_double(); }
  template <detail::JsonNumber T>
  friend std::partial_ordering operator<=>(const Json& a, T b) {
    return a.as_double() <=> static_cast<double>(b);
  }
  /// Writes the value in one line.
  friend std::ostream& operator<<(std::ostream& out, const Json& json);

 private:
  struct Truth {
    bool value;
  };
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

  explicit Json(Truth truth);
  explicit Json(Value value);
  template <class T>
  static Value number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return Value(std::in_place_type<double>, static_cast<double>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
      return Value(std::in_place_type<std::uint64_t>, value);
    } else {
      return Value(std::in_place_type<std::int64_t>, value);
    }
  }

  [[nodiscard]] bool equals(const Json& other) const;
  [[nodiscard]] bool as_truth() const;
  [[nodiscard]] double as_double() const;
  [[nodiscard]] std::int64_t as_signed() const;
  [[nodiscard]] std::uint64_t as_unsigned() const;
  [[nodiscard]] const std::string& as_text() const;
  [[noreturn]] void refuse(const char* wanted) const;

  Value value_;

  friend struct JsonLibrary;
};

namespace detail {

template <class T>
struct JsonContainer : std::false_type {};
template <class T>
struct JsonContainer<std::vector<T>> : std::true_type {};

}  // namespace detail

template <class T>
Json::Json(const std::vector<T>& elements) : Json(array()) {
  for (const T& element : elements) push_back(element);
}

template <class T, std::size_t N>
Json::Json(const std::array<T, N>& elements) : Json(array()) {
  for (const T& element : elements) push_back(element);
}

template <class T>
Json::Json(const std::map<std::string, T>& members) : Json(object()) {
  for (const auto& [key, value] : members) (*this)[key] = value;
}

template <class T>
T Json::get() const {
  if constexpr (std::same_as<T, bool>) {
    return as_truth();
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(as_double());
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(as_unsigned());
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(as_signed());
  } else if constexpr (std::same_as<T, std::string>) {
    return as_text();
  } else if constexpr (std::same_as<T, Json>) {
    return *this;
  } else if constexpr (detail::JsonContainer<T>::value) {
    T all;
    for (const Json& element : elements()) all.push_back(element.get<typename T::value_type>());
    return all;
  } else {
    T all;
    for (const auto& [key, value] : items()) all.emplace(key, value.template get<typename T::mapped_type>());
    return all;
  }
}

}  // namespace troupe
