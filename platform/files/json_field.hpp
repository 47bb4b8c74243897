/// Reads JSON files that people write. Every error message gives the place of the mistake (`kernels[12].cpu_us.mean`),
/// the value at this place, and the value that is expected there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/json/json.hpp"

namespace troupe::platform {

/// The range of valid numbers for a field.
struct NumberRange {
  double least = 0;
  double most = 0;
};

/// A place in a document. There may be no value at this place; this is an error only when a caller reads the value. The
/// document must outlive its fields. Every failure throws `Error` with code `bad_input`, and its message ends with the
/// text `expected`.
class JsonField {
 public:
  JsonField(const Json* value, std::string path) : value_(value), path_(std::move(path)) {}

  /// Returns the path from the root, such as `transfers.latency_us[3]`.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns true if there is a value other than null.
  [[nodiscard]] bool present() const;

  /// Returns the field for the member `key` of this object. The member may be missing.
  [[nodiscard]] JsonField member(const std::string& key, std::string_view expected = "an object") const;

  /// Returns the names of the members of this object.
  [[nodiscard]] std::vector<std::string> keys(std::string_view expected = "an object") const;

  /// Returns the number of elements of this array.
  [[nodiscard]] std::size_t size(std::string_view expected) const;
  /// Returns one element of this array.
  [[nodiscard]] JsonField element(std::size_t index) const;

  /// Returns the text in this field, which must not be empty.
  [[nodiscard]] std::string text(std::string_view expected) const;
  /// Returns the text in this field, or "" if there is none.
  [[nodiscard]] std::string optional_text(std::string_view expected) const;

  /// Returns the value of this field, which must be true or false.
  [[nodiscard]] bool flag(std::string_view expected) const;

  /// Returns the number in this field, which must be within the range.
  [[nodiscard]] double number(NumberRange range, std::string_view expected) const;
  /// Returns the whole number in this field, which must be within the range.
  [[nodiscard]] std::uint64_t count(std::uint64_t least, std::uint64_t most, std::string_view expected) const;

  /// Returns the value as JSON without white space; "null" if there is none.
  [[nodiscard]] std::string dumped() const;

  /// Throws a message such as "`path` is -3; expected `expected`", or "`path` is missing".
  [[noreturn]] void refuse(std::string_view expected) const;
  /// Throws the message "`path`: `what`".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const Json* value_;
  std::string path_;
};

/// A parsed JSON text.
class JsonDocument {
 public:
  /// Parses the text. Throws `Error` with code `bad_input` if the text is not JSON, ends too early or has a member
  /// twice; the message names the place.
  explicit JsonDocument(std::string_view text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  [[nodiscard]] JsonField root() const;

 private:
  Json value_;
};

}  // namespace troupe::platform
