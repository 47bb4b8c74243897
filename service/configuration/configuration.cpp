#include "service/configuration/configuration.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <optional>

namespace troupe::service {

namespace {

/// Returns true if the address is loopback; nothing if `text` is not a numeric address.
std::optional<bool> is_loopback(const std::string& text) {
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24U) == 127;
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six) != 0;
  return std::nullopt;
}

Failure contradiction(std::string what) { return {ErrorCode::bad_input, "configuration: " + std::move(what)}; }

}  // namespace

Result<void> check(const Configuration& configuration) {
  const HttpConfiguration& http = configuration.http;
  const std::optional<bool> loopback = is_loopback(http.address);
  if (!loopback) {
    return contradiction(
        fmt::format("\"http.address\" {} must be an address in numbers, such as 127.0.0.1 or ::1", http.address));
  }
  if (http.enabled && !*loopback && http.token_file.empty()) {
    return contradiction(fmt::format(
        "\"http.address\" {} can be reached from other machines: that needs \"http.token_file\", a file with "
        "the token that callers must show",
        http.address));
  }
  return {};
}

}  // namespace troupe::service
