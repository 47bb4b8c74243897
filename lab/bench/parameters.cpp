#include "lab/bench/parameters.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace troupe::bench {

Parameters::Parameters(std::span<const char* const> words) {
  for (const std::string word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) throw BadParameter("'" + word + "' is not key=value");
    if (!values_.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      throw BadParameter("'" + word.substr(0, equals) + "' is given twice");
    }
  }
}

const std::string* Parameters::find(const std::string& key) {
  used_.insert(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::int64_t Parameters::integer(const std::string& key, std::int64_t otherwise, std::int64_t least) {
  const std::string* text = find(key);
  if (text == nullptr) return otherwise;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end || value < least) {
    throw BadParameter(key + "=" + *text + ": needs a whole number from " + std::to_string(least));
  }
  return value;
}

double Parameters::number(const std::string& key, double otherwise) {
  const std::string* text = find(key);
  if (text == nullptr) return otherwise;
  char* stop = nullptr;
  const double value = std::strtod(text->c_str(), &stop);
  if (text->empty() || *stop != '\0' || !std::isfinite(value)) throw BadParameter(key + "=" + *text + ": no number");
  return value;
}

std::string Parameters::text(const std::string& key, const std::string& otherwise) {
  const std::string* text = find(key);
  return text == nullptr ? otherwise : *text;
}

bool Parameters::flag(const std::string& key) {
  const std::int64_t value = integer(key, 0);
  if (value > 1) throw BadParameter(key + "=" + std::to_string(value) + ": 0 or 1");
  return value == 1;
}

void Parameters::require_all_used() const {
  for (const auto& [key, value] : values_) {
    if (!used_.contains(key)) throw BadParameter("'" + key + "' means nothing to this case");
  }
}

}  // namespace troupe::bench
