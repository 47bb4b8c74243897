#include "platform/accelerators/emulation_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "proto/byte_amounts.hpp"
#include "proto/tokens.hpp"

namespace troupe::platform {

namespace {

constexpr std::int64_t kMost = 64;
constexpr const char* kKnown =
    "memory, bandwidth, to-device, to-host, latency, peer, copy-fault, kernel-fault, allocation-fault, lost-after and "
    "seed";

/// The options that the text gives. The options "to-device" and "to-host" are stored separately, and replace the rate
/// of "bandwidth" when the whole text has been read.
struct Given {
  EmulationOptions options;
  std::optional<double> to_device;
  std::optional<double> to_host;
};

/// The text of a message that says which values are valid; nothing if the value is valid.
using Wrong = std::optional<std::string>;

std::optional<Duration> parse_latency(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  constexpr double kLongest_ns = 3600e9;
  const std::size_t unit_at = text.find_first_not_of("0123456789.");
  if (unit_at == std::string_view::npos || unit_at == 0) return std::nullopt;
  const ParsedNumber<double> number = parse_real(text.substr(0, unit_at));
  if (number.status != NumberStatus::ok) return std::nullopt;
  for (const auto& [name, in_ns] : kUnits) {
    const double ns = number.value * in_ns;
    if (text.substr(unit_at) == name && ns <= kLongest_ns) return Duration(static_cast<Duration::rep>(ns));
  }
  return std::nullopt;
}

Wrong set_memory(std::string_view value, Bytes& memory) {
  const std::optional<Bytes> bytes = parse_bytes(value);
  if (!bytes || bytes->count == 0) return "must be an amount of memory above zero with its unit, such as 256MiB";
  memory = *bytes;
  return std::nullopt;
}

template <class T>
Wrong set_rate(std::string_view value, T& rate) {
  const std::optional<double> bytes_per_s = parse_bytes_per_s(value);
  if (!bytes_per_s || *bytes_per_s <= 0) return "must be a rate above zero with its unit, such as 8GB/s";
  rate = *bytes_per_s;
  return std::nullopt;
}

Wrong set_latency(std::string_view value, Duration& latency) {
  const std::optional<Duration> parsed = parse_latency(value);
  if (!parsed) return "must be a time of at most an hour with its unit (ns, us, ms or s), such as 10us";
  latency = *parsed;
  return std::nullopt;
}

Wrong set_probability(std::string_view value, double& probability) {
  const ParsedNumber<double> parsed = parse_real(value);
  if (parsed.status != NumberStatus::ok || !(parsed.value >= 0 && parsed.value <= 1)) {
    return "must be a probability from 0 to 1, such as 0.01";
  }
  probability = parsed.value;
  return std::nullopt;
}

Wrong set_whole(std::string_view value, std::uint64_t least, std::uint64_t& number) {
  const ParsedNumber<std::uint64_t> parsed = parse_whole(value);
  if (parsed.status != NumberStatus::ok || parsed.value < least) {
    return fmt::format("must be a whole number of at least {}", least);
  }
  number = parsed.value;
  return std::nullopt;
}

Wrong set(std::string_view name, std::string_view value, Given& given) {
  EmulationOptions& options = given.options;
  if (name == "memory") return set_memory(value, options.memory);
  if (name == "bandwidth") {
    const Wrong wrong = set_rate(value, options.to_device_bytes_per_s);
    options.to_host_bytes_per_s = options.to_device_bytes_per_s;
    return wrong;
  }
  if (name == "to-device") return set_rate(value, given.to_device);
  if (name == "to-host") return set_rate(value, given.to_host);
  if (name == "latency") return set_latency(value, options.latency);
  if (name == "peer") return set_rate(value, options.peer_bytes_per_s);
  if (name == "copy-fault") return set_probability(value, options.faults.copy);
  if (name == "kernel-fault") return set_probability(value, options.faults.kernel);
  if (name == "allocation-fault") return set_probability(value, options.faults.allocation);
  if (name == "lost-after") return set_whole(value, 1, options.faults.lost_after);
  if (name == "seed") return set_whole(value, 0, options.faults.seed);
  return std::string("is not known; there are ") + kKnown;
}

Failure unusable(std::string_view text, const std::string& what) {
  return {ErrorCode::invalid_argument, fmt::format("emulated GPUs {}: {}", quoted(text), what)};
}

/// Returns a rate as text without an exponent, as `parse_bytes_per_s` does not read exponents.
std::string rate_text(double bytes_per_s) {
  const double gigabytes = bytes_per_s / 1e9;
  return gigabytes == std::floor(gigabytes) ? fmt::format("{}GB/s", gigabytes) : fmt::format("{}B/s", bytes_per_s);
}

/// Parses `options`, which have the form name=value and are separated by commas. `text` is the whole argument, for
/// messages.
Result<EmulationOptions> parse_options(std::string_view options, std::string_view text) {
  Given given;
  std::vector<std::string_view> names;
  for (bool more = true; more;) {
    const std::size_t comma = options.find(',');
    const std::string_view option = options.substr(0, comma);
    const std::size_t equals = option.find('=');
    const std::string_view name = option.substr(0, equals);
    if (equals == std::string_view::npos || name.empty()) {
      return unusable(text,
                      fmt::format("{} is no option; options are written name=value, with {}", quoted(option), kKnown));
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return unusable(text, fmt::format("option {} is given twice", quoted(name)));
    }
    names.push_back(name);
    const std::string_view value = option.substr(equals + 1);
    if (const Wrong wrong = set(name, value, given)) {
      return unusable(text, fmt::format("option {} {}; it is given as {}", quoted(name), *wrong, quoted(value)));
    }
    more = comma != std::string_view::npos;
    if (more) options = options.substr(comma + 1);
  }
  if (given.to_device) given.options.to_device_bytes_per_s = *given.to_device;
  if (given.to_host) given.options.to_host_bytes_per_s = *given.to_host;
  return given.options;
}

}  // namespace

Result<std::vector<EmulationOptions>> parse_emulated_gpus(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view count_text = text.substr(0, colon);
  const ParsedNumber<std::int64_t> count = parse_integer(count_text);
  if (count.status != NumberStatus::ok || count.value < 1 || count.value > kMost) {
    return unusable(text, fmt::format("it begins with how many there are, from 1 to {}, as in "
                                      "2:memory=256MiB,bandwidth=8GB/s; {} is not that",
                                      kMost, quoted(count_text)));
  }
  auto options = colon == std::string_view::npos ? Result<EmulationOptions>(EmulationOptions{})
                                                 : parse_options(text.substr(colon + 1), text);
  if (!options) return options.failure();
  std::vector<EmulationOptions> all(static_cast<std::size_t>(count.value), options.value());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].faults.seed += i;
  return all;
}

std::string emulated_gpus_text(std::span<const EmulationOptions> gpus) {
  if (gpus.empty()) return {};
  std::string properties;
  const auto add = [&](const char* name, const auto& value, const auto& usual, const char* unit = "") {
    if (value == usual) return;
    properties += fmt::format("{}{}={}{}", properties.empty() ? ":" : ",", name, value, unit);
  };
  const EmulationOptions usual;
  const EmulationOptions& gpu = gpus.front();
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  const bool whole = gpu.memory.count % kMiB == 0;
  add("memory", whole ? gpu.memory.count / kMiB : gpu.memory.count, whole ? usual.memory.count / kMiB : 0,
      whole ? "MiB" : "B");
  add("to-device", rate_text(gpu.to_device_bytes_per_s), rate_text(usual.to_device_bytes_per_s));
  add("to-host", rate_text(gpu.to_host_bytes_per_s), rate_text(usual.to_host_bytes_per_s));
  add("latency", gpu.latency.count(), usual.latency.count(), "ns");
  add("peer", rate_text(gpu.peer_bytes_per_s), rate_text(usual.peer_bytes_per_s));
  add("copy-fault", gpu.faults.copy, usual.faults.copy);
  add("kernel-fault", gpu.faults.kernel, usual.faults.kernel);
  add("allocation-fault", gpu.faults.allocation, usual.faults.allocation);
  add("lost-after", gpu.faults.lost_after, usual.faults.lost_after);
  add("seed", gpu.faults.seed, usual.faults.seed);
  return fmt::format("{}{}", gpus.size(), properties);
}

}  // namespace troupe::platform
