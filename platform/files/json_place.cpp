#include "platform/files/json_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::platform {
namespace {

using nlohmann::json;

std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last_break = before.rfind('\n');
  const std::size_t column = last_break == std::string_view::npos ? before.size() : before.size() - last_break - 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

/// Returns the parser's message without its own tag and position: "syntax error while parsing value - ...".
std::string without_position(std::string_view message) {
  if (const auto tag = message.find("] "); message.starts_with('[') && tag != std::string_view::npos) {
    message.remove_prefix(tag + 2);
  }
  if (message.starts_with("parse error")) {
    if (const auto colon = message.find(": "); colon != std::string_view::npos) message.remove_prefix(colon + 2);
  }
  return std::string(message);
}

/// Receives the parser's events, and tracks the path to the parser's current position.
class Follower : public nlohmann::json_sax<json> {
 public:
  explicit Follower(std::string_view text) : text_(text) {}

  bool null() override { return value_ended(); }
  bool boolean(bool) override { return value_ended(); }
  bool number_integer(number_integer_t) override { return value_ended(); }
  bool number_unsigned(number_unsigned_t) override { return value_ended(); }
  bool number_float(number_float_t, const string_t&) override { return value_ended(); }
  bool string(string_t&) override { return value_ended(); }
  bool binary(binary_t&) override { return value_ended(); }
  bool start_object(std::size_t) override { return begin(false); }
  bool start_array(std::size_t) override { return begin(true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& key) override {
    Level& level = levels_.back();
    level.key = key;
    if (!level.keys.insert(key).second) throw Error(ErrorCode::bad_input, path() + " is given twice in one object");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    const std::string within = levels_.empty() || path().empty() ? "" : ", in " + path();
    const std::string_view written = text_.substr(0, text_.find_last_not_of(" \t\r\n") + 1);
    if (position > written.size()) {
      throw Error(ErrorCode::bad_input, fmt::format("the text ends too early, at {}{}: is the file truncated?",
                                                    line_and_column(text_, written.size()), within));
    }
    throw Error(ErrorCode::bad_input, fmt::format("{}{}: not JSON: {}", line_and_column(text_, position), within,
                                                  without_position(error.what())));
  }

 private:
  /// An array or object that encloses the current position.
  struct Level {
    bool is_array = false;
    std::size_t index = 0;
    /// The key of the member that is being read; empty between members.
    std::string key;
    std::set<std::string> keys;
  };

  bool begin(bool is_array) {
    constexpr std::size_t kDeepest = 100;
    if (levels_.size() == kDeepest) {
      throw Error(ErrorCode::bad_input, fmt::format("more than {} objects and arrays lie in one another", kDeepest));
    }
    levels_.push_back({is_array, 0, {}, {}});
    return true;
  }

  bool end() {
    levels_.pop_back();
    return value_ended();
  }

  bool value_ended() {
    if (levels_.empty()) return true;
    Level& level = levels_.back();
    if (level.is_array) {
      ++level.index;
    } else {
      level.key.clear();
    }
    return true;
  }

  [[nodiscard]] std::string path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.is_array) {
        path += fmt::format("[{}]", level.index);
      } else if (!level.key.empty()) {
        path += (path.empty() ? "" : ".") + level.key;
      }
    }
    return path;
  }

  std::string_view text_;
  std::vector<Level> levels_;
};

}  // namespace

void check_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorCode::bad_input, "the file is empty");
  }
  Follower follower(text);
  json::sax_parse(text, &follower);
}

}  // namespace troupe::platform
