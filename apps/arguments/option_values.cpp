#include "apps/arguments/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "client/environment/whole_numbers.hpp"
#include "proto/edit_distance.hpp"
#include "proto/tokens.hpp"

namespace troupe::apps {

namespace {

std::string bounds_text(const std::string& what, const std::string& least, const std::string& most) {
  return fmt::format("give a {} from {} to {}", what, least, most);
}

/// Returns what is wrong with the text, or an empty text; in that case `text` becomes a number that CLI11 reads.
template <class T, class Parse>
std::string check_bounds(std::string& text, T least, T most, const char* what, const Parse& parse) {
  const std::string remedy = bounds_text(what, fmt::format("{}", least), fmt::format("{}", most));
  if (text.empty()) return "the value is empty: " + remedy;
  const ParsedNumber<T> number = parse(text);
  switch (number.status) {
    case NumberStatus::garbage:
    case NumberStatus::not_finite: {
      const bool negative = text.front() == '-' && parse_real(text).status == NumberStatus::ok;
      if (negative && !(least < 0)) return fmt::format("{} is negative: {}", troupe::quoted(text), remedy);
      return fmt::format("{} is no {}: {}", troupe::quoted(text), what, remedy);
    }
    case NumberStatus::too_large: return fmt::format("{} is too large: {}", troupe::quoted(text), remedy);
    case NumberStatus::ok: break;
  }
  if (number.value < least) return fmt::format("{} is too small: {}", troupe::quoted(text), remedy);
  if (number.value > most) return fmt::format("{} is too large: {}", troupe::quoted(text), remedy);
  text = fmt::format("{}", number.value);
  return {};
}

/// Returns our name for something that other programs spell differently.
std::string other_spelling(const std::string& text) {
  static const std::map<std::string, std::string> kOthers{
      {"fp32", "float"},     {"fp64", "double"},    {"f32", "float"}, {"f64", "double"}, {"float32", "float"},
      {"float64", "double"}, {"potrf", "cholesky"}, {"getrf", "lu"},  {"geqrf", "qr"}};
  const auto other = kOthers.find(lower_case(text));
  return other == kOthers.end() ? std::string() : other->second;
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](std::string& text) {
    return check_bounds<std::uint64_t>(text, least, most, "whole number",
                                       [](const std::string& given) { return parse_whole(given); });
  };
  return {check, fmt::format("[{} - {}]", least, most)};
}

CLI::Validator real_number(double least, double most) {
  const auto check = [least, most](std::string& text) {
    return check_bounds<double>(text, least, most, "number",
                                [](const std::string& given) { return parse_real(given); });
  };
  return {check, fmt::format("[{} - {}]", least, most)};
}

CLI::Validator one_of(std::vector<std::string> names) {
  std::string described = fmt::format("{{{}}}", fmt::join(names, ","));
  const auto check = [names = std::move(names)](std::string& text) -> std::string {
    if (std::ranges::find(names, text) != names.end()) return {};
    std::string hint = did_you_mean(text, names);
    const std::string other = other_spelling(text);
    if (std::ranges::find(names, other) != names.end()) hint = "; did you mean " + other + "?";
    return fmt::format("{} is none of {}{}", troupe::quoted(text), fmt::join(names, ", "), hint);
  };
  return {check, described};
}

CLI::Validator precision_name() {
  const CLI::Validator known = one_of({"float", "double"});
  const auto check = [known](std::string& text) -> std::string {
    if (text == "single") text = "float";
    return known(text);
  };
  return {check, known.get_description()};
}

CLI::Option* add_text_list(CLI::App& command, const std::string& name, std::string& text, char separator,
                           const std::string& help) {
  const auto assign = [&text, separator](const std::vector<std::string>& given) {
    text = fmt::format("{}", fmt::join(given, std::string(1, separator)));
  };
  return command.add_option_function<std::vector<std::string>>(name, assign, help)->allow_extra_args(false);
}

}  // namespace troupe::apps
