#include "actors/scheduler/policy_specification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace troupe::scheduler {

namespace {

Failure unusable(std::string_view text, const std::string& what) {
  return {ErrorCode::invalid_argument, fmt::format("policy '{}': {}", text, what)};
}

}  // namespace

Result<PolicySpecification> parse_policy(std::string_view text) {
  PolicySpecification result;
  const std::size_t colon = text.find(':');
  result.name = text.substr(0, colon);
  if (result.name.empty()) return unusable(text, "a policy begins with its name, as in dada:alpha=0.5,cp");
  if (colon == std::string_view::npos) return result;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view option = rest.substr(0, comma);
    const std::size_t equals = option.find('=');
    const std::string name(option.substr(0, equals));
    if (name.empty()) return unusable(text, "an option without a name; options are written name=value or name");
    const auto same = [&name](const auto& other) { return other.first == name; };
    if (std::any_of(result.options.begin(), result.options.end(), same)) {
      return unusable(text, fmt::format("option '{}' is given twice", name));
    }
    result.options.emplace_back(name, equals == std::string_view::npos ? "" : option.substr(equals + 1));
    if (comma == std::string_view::npos) return result;
    rest = rest.substr(comma + 1);
  }
}

void PolicyOptions::wrong(std::string_view option, const std::string& what) {
  if (failure_.empty()) failure_ = fmt::format("policy '{}': {} {}", specification_.name, option, what);
}

std::optional<std::string> PolicyOptions::take(std::string_view name) {
  known_.emplace_back(name);
  for (const auto& [option, value] : specification_.options) {
    if (option == name) return value;
  }
  return std::nullopt;
}

std::size_t PolicyOptions::count(std::string_view name, std::size_t fallback, std::size_t least, std::size_t most) {
  const std::optional<std::string> text = take(name);
  if (!text) return fallback;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || value < least || value > most) {
    wrong(name, fmt::format("must be a whole number from {} to {}, not '{}'", least, most, *text));
    return fallback;
  }
  return value;
}

double PolicyOptions::number(std::string_view name, double fallback, double least, double most) {
  const std::optional<std::string> text = take(name);
  if (!text) return fallback;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || !std::isfinite(value) || value < least ||
      value > most) {
    wrong(name, fmt::format("must be a number from {} to {}, not '{}'", least, most, *text));
    return fallback;
  }
  return value;
}

bool PolicyOptions::flag(std::string_view name) {
  const std::optional<std::string> text = take(name);
  if (text && !text->empty()) wrong(name, fmt::format("is a switch and takes no value; it has '{}'", *text));
  return text.has_value();
}

std::string PolicyOptions::word(std::string_view name, const std::vector<std::string_view>& words) {
  const std::optional<std::string> text = take(name);
  if (!text) return std::string(words.front());
  if (std::find(words.begin(), words.end(), *text) == words.end()) {
    wrong(name, fmt::format("must be {}, not '{}'", fmt::join(words, " or "), *text));
    return std::string(words.front());
  }
  return *text;
}

Result<void> PolicyOptions::finish() const {
  if (!failure_.empty()) return Failure{ErrorCode::invalid_argument, failure_};
  for (const auto& [option, value] : specification_.options) {
    if (std::find(known_.begin(), known_.end(), option) != known_.end()) continue;
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("policy '{}' has no option '{}'; {}", specification_.name, option,
                               known_.empty() ? "it has none" : fmt::format("known are {}", fmt::join(known_, ", ")))};
  }
  return {};
}

}  // namespace troupe::scheduler
