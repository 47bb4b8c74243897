#include "platform/files/json_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/files/json_place.hpp"
#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {
namespace {

/// Describes the value of a field in words, for messages.
std::string found(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  constexpr std::size_t kLongest = 40;
  std::string text = value.dump(-1, true);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace

bool JsonField::present() const { return value_ != nullptr && !value_->is_null(); }

JsonField JsonField::member(const std::string& key, std::string_view expected) const {
  if (value_ == nullptr || !value_->is_object()) refuse(expected);
  return {value_->find(key), path_.empty() ? key : path_ + '.' + key};
}

std::vector<std::string> JsonField::keys(std::string_view expected) const {
  if (value_ == nullptr || !value_->is_object()) refuse(expected);
  std::vector<std::string> keys;
  for (const auto& [key, value] : value_->items()) keys.push_back(key);
  return keys;
}

std::size_t JsonField::size(std::string_view expected) const {
  if (value_ == nullptr || !value_->is_array()) refuse(expected);
  return value_->size();
}

JsonField JsonField::element(std::size_t index) const {
  return {&value_->at(index), fmt::format("{}[{}]", path_, index)};
}

std::string JsonField::text(std::string_view expected) const {
  if (value_ == nullptr || !value_->is_string()) refuse(expected);
  std::string text = value_->get<std::string>();
  if (text.empty()) refuse(expected);
  return text;
}

std::string JsonField::dumped() const { return value_ == nullptr ? "null" : value_->dump(); }

std::string JsonField::optional_text(std::string_view expected) const {
  if (!present()) return {};
  if (!value_->is_string()) refuse(expected);
  return value_->get<std::string>();
}

bool JsonField::flag(std::string_view expected) const {
  if (value_ == nullptr || !value_->is_boolean()) refuse(expected);
  return value_->get<bool>();
}

double JsonField::number(NumberRange range, std::string_view expected) const {
  if (value_ == nullptr || !value_->is_number()) refuse(expected);
  const double number = value_->get<double>();
  if (!(number >= range.least && number <= range.most)) {
    refuse(fmt::format("{}, from {:g} to {:g}", expected, range.least, range.most));
  }
  return number;
}

std::uint64_t JsonField::count(std::uint64_t least, std::uint64_t most, std::string_view expected) const {
  const auto in_words = [&] { return fmt::format("{}, a whole number from {} to {}", expected, least, most); };
  if (value_ == nullptr || !value_->is_number_unsigned()) refuse(in_words());
  const auto count = value_->get<std::uint64_t>();
  if (count < least || count > most) refuse(in_words());
  return count;
}

void JsonField::refuse(std::string_view expected) const {
  const std::string where = path_.empty() ? "the whole" : path_;
  const std::string what = value_ == nullptr ? "missing" : found(*value_);
  throw Error(ErrorCode::bad_input, fmt::format("{} is {}; expected {}", where, what, expected));
}

void JsonField::fail(std::string_view what) const {
  throw Error(ErrorCode::bad_input, fmt::format("{}: {}", path_, what));
}

JsonDocument::JsonDocument(std::string_view text) {
  check_json(text);
  value_ = Json::parse(text);
}

JsonField JsonDocument::root() const { return {&value_, ""}; }

}  // namespace troupe::platform
