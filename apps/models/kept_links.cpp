#include "apps/models/kept_links.hpp"

#include <cmath>

#include "platform/files/checked_file.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

namespace {

using platform::CopySpeed;
using platform::JsonField;

constexpr platform::CheckedFormat kFormat{"troupe links", 1, "links", "file of link speeds"};
constexpr platform::NumberRange kSeconds{0, 1e3};
constexpr platform::NumberRange kRates{1, 1e18};

void read_link(const JsonField& field, LinkSpeeds& links) {
  const auto key = std::pair(field.member("from").text("a memory"), field.member("to").text("a memory"));
  CopySpeed speed;
  speed.latency = Duration(std::llround(field.member("latency_s").number(kSeconds, "seconds") * 1e9));
  speed.bytes_per_s = field.member("bytes_per_s").number(kRates, "bytes per second");
  if (!links.emplace(key, speed).second) field.fail("the same link is there twice");
}

}  // namespace

std::string links_path(const std::string& folder, const std::string& machine_key) {
  return folder + "/links-" + machine_key + ".json";
}

Result<LinkSpeeds> read_links(const std::string& path, const std::string& machine_key) {
  LinkSpeeds links;
  const Result<void> read = platform::read_checked(path, kFormat, machine_key, [&links](const JsonField& list) {
    for (std::size_t i = 0; i < list.size("a list of links"); ++i) read_link(list.element(i), links);
  });
  if (!read) return read.failure();
  return links;
}

Result<void> write_links(const std::string& path, const std::string& machine_key, const LinkSpeeds& links) {
  Json list = Json::array();
  for (const auto& [pair, speed] : links) {
    list.push_back({{"from", pair.first},
                    {"to", pair.second},
                    {"latency_s", seconds(speed.latency)},
                    {"bytes_per_s", speed.bytes_per_s}});
  }
  return platform::write_checked(path, kFormat, machine_key, std::move(list));
}

}  // namespace troupe::apps
