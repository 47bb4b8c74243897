#include "apps/arguments/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "actors/options/option_values.hpp"
#include "proto/tokens.hpp"

namespace troupe::apps {

namespace {

/// Returns the error message; empty if the value is valid.
template <class T>
std::string problem_of(const Result<T>& read) {
  return read ? std::string() : read.failure().message;
}

/// Returns Troupe's name for a value that other programs spell differently; empty if there is none.
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
    const Result<std::uint64_t> number = read_whole(text, least, most);
    // CLI11 itself can read only digits, so it gets the number as digits.
    if (number) text = std::to_string(number.value());
    return problem_of(number);
  };
  return {check, fmt::format("[{} - {}]", least, most)};
}

CLI::Validator real_number(double least, double most) {
  const auto check = [least, most](std::string& text) {
    const Result<double> number = read_real(text, least, most);
    if (number) text = fmt::format("{}", number.value());
    return problem_of(number);
  };
  return {check, fmt::format("[{} - {}]", least, most)};
}

CLI::Validator one_of(std::vector<std::string> names) {
  std::string described = fmt::format("{{{}}}", fmt::join(names, ","));
  const auto check = [names = std::move(names)](std::string& text) -> std::string {
    const Result<std::string> word = read_word(text, names);
    const std::string other = other_spelling(text);
    if (word || std::ranges::find(names, other) == names.end()) return problem_of(word);
    return fmt::format("{} is none of {}; did you mean {}?", troupe::quoted(text), fmt::join(names, ", "), other);
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
