#include "actors/running/kept_links.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "actors/scheduler/models/history_file.hpp"
#include "platform/files/checked_file.hpp"

namespace troupe::actors {

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
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [pair, speed] : links) {
    list.push_back({{"from", pair.first},
                    {"to", pair.second},
                    {"latency_s", seconds(speed.latency)},
                    {"bytes_per_s", speed.bytes_per_s}});
  }
  return platform::write_checked(path, kFormat, machine_key, std::move(list));
}

KeptLinks::KeptLinks(const std::string& folder, const platform::Machine& machine,
                     std::function<void(const std::string&)> warn)
    : machine_key_(scheduler::machine_key(machine)),
      path_(folder.empty() ? folder : links_path(folder, machine_key_)),
      warn_(std::move(warn)) {
  if (path_.empty()) return;
  auto kept = read_links(path_, machine_key_);
  if (kept) {
    links_ = std::move(kept).value();
  } else {
    this->warn(kept.failure().message + "; links are measured anew");
  }
}

std::optional<CopySpeed> KeptLinks::find(const std::string& from, const std::string& to) const {
  const auto found = links_.find({from, to});
  return found == links_.end() ? std::nullopt : std::optional(found->second);
}

void KeptLinks::set(const std::string& from, const std::string& to, CopySpeed speed) {
  links_[{from, to}] = speed;
  changed_ = true;
}

void KeptLinks::save() noexcept {
  if (path_.empty() || !changed_) return;
  try {
    if (const auto written = write_links(path_, machine_key_, links_); !written) {
      warn(written.failure().message + "; the links that were measured are lost");
    }
    changed_ = false;
  } catch (...) {
    // No memory left: what is measured again at the next start must not end this run.
  }
}

void KeptLinks::warn(const std::string& what) noexcept {
  try {
    if (warn_) warn_(what);
  } catch (...) {
    // The program's function: what it throws must not keep a runtime from starting.
  }
}

}  // namespace troupe::actors
