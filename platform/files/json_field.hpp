/// Reads JSON that people write: every error says where (`kernels[12].cpu_us.mean`), what is there, and what is
/// expected instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/json/json.hpp"

namespace troupe::platform {

/// The range of a number that a file may give.
struct NumberRange {
  double least = 0;
  double most = 0;
};

/// A place in a document, which may be empty: that is an error only when its value is asked for. Refers to the
/// document, which outlives it. Every failure throws `Error` with code `bad_input`; `expected` ends the message.
class JsonField {
 public:
  JsonField(const Json* value, std::string path) : value_(value), path_(std::move(path)) {}

  /// The path from the root, `transfers.latency_us[3]`.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns true if there is a value other than null.
  [[nodiscard]] bool present() const;

  /// The member `key` of this object, which may be missing.
  [[nodiscard]] JsonField member(const std::string& key, std::string_view expected = "an object") const;

  /// The names of the members of this object.
  [[nodiscard]] std::vector<std::string> keys(std::string_view expected = "an object") const;

  /// The number of elements of this array.
  [[nodiscard]] std::size_t size(std::string_view expected) const;
  /// One element of this array.
  [[nodiscard]] JsonField element(std::size_t index) const;

  /// A text that is not empty.
  [[nodiscard]] std::string text(std::string_view expected) const;
  /// A text, "" where there is none.
  [[nodiscard]] std::string optional_text(std::string_view expected) const;

  /// A value that is true or false.
  [[nodiscard]] bool flag(std::string_view expected) const;

  /// A number within the range.
  [[nodiscard]] double number(NumberRange range, std::string_view expected) const;
  /// A whole number within the range.
  [[nodiscard]] std::uint64_t count(std::uint64_t least, std::uint64_t most, std::string_view expected) const;

  /// The value as JSON without white space; "null" where there is none.
  [[nodiscard]] std::string dumped() const;

  /// Throws "`path` is -3; expected `expected`", or "is missing".
  [[noreturn]] void refuse(std::string_view expected) const;
  /// Throws "`path`: `what`".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const Json* value_;
  std::string path_;
};

/// A JSON text, parsed.
class JsonDocument {
 public:
  /// Throws `Error` with code `bad_input` where the text is not JSON, ends too early or gives a member twice; the
  /// message says where.
  explicit JsonDocument(std::string_view text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  [[nodiscard]] JsonField root() const;

 private:
  Json value_;
};

}  // namespace troupe::platform
