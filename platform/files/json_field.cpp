#include "platform/files/json_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/files/json_place.hpp"
#include "proto/errors.hpp"

namespace troupe::platform {
namespace {

using nlohmann::json;

/// Describes the value of a field, for messages.
std::string found(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  constexpr std::size_t kLongest = 40;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace

bool JsonField::present() const { return value_ != nullptr && !value_->is_null(); }

JsonField JsonField::member(const std::string& key, std::string_view expected) const {
  if (value_ == nullptr || !value_->is_object()) refuse(expected);
  const auto at = value_->find(key);
  return {at == value_->end() ? nullptr : &*at, path_.empty() ? key : path_ + '.' + key};
}

std::vector<std::string> JsonField::keys(std::string_view expected) const {
  if (value_ == nullptr || !value_->is_object()) refuse(expected);
  std::vector<std::string> keys;
  for (const auto& member : value_->items()) keys.push_back(member.key());
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

std::string JsonField::dumped() const {
  return value_ == nullptr ? "null" : value_->dump(-1, ' ', false, json::error_handler_t::replace);
}

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
  value_ = std::make_unique<json>(json::parse(text));
}

JsonDocument::~JsonDocument() = default;

JsonField JsonDocument::root() const { return {value_.get(), ""}; }

}  // namespace troupe::platform
