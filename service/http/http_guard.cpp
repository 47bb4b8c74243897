#include "service/http/http_guard.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

namespace troupe::service {

namespace {

bool is_ipv4_loopback(const std::string& text) {
  in_addr address{};
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24U) == 127;
}

bool is_ipv6_loopback(const std::string& text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, text.c_str(), &address) == 1 && IN6_IS_ADDR_LOOPBACK(&address);
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

Result<HttpAddress> parse_http_address(const std::string& text) {
  if (text == "localhost") return HttpAddress{.text = "127.0.0.1", .ipv6 = false, .loopback = true};
  in_addr ipv4{};
  if (::inet_pton(AF_INET, text.c_str(), &ipv4) == 1) {
    return HttpAddress{.text = text, .ipv6 = false, .loopback = is_ipv4_loopback(text)};
  }
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  const std::string inner = bracketed ? text.substr(1, text.size() - 2) : text;
  in6_addr ipv6{};
  if (::inet_pton(AF_INET6, inner.c_str(), &ipv6) == 1) {
    return HttpAddress{.text = inner, .ipv6 = true, .loopback = is_ipv6_loopback(inner)};
  }
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("'{}' is no address to listen at: expected an IPv4 or IPv6 address, such as 127.0.0.1, or "
                             "localhost",
                             text)};
}

std::string with_port(const HttpAddress& address, std::uint16_t port) {
  return fmt::format("{}{}{}:{}", address.ipv6 ? "[" : "", address.text, address.ipv6 ? "]" : "", port);
}

Result<void> check_token(std::string_view token) {
  constexpr std::size_t kShortest = 16;
  constexpr std::size_t kLongest = 256;
  constexpr std::string_view kOthers = "-._~";
  if (token.size() < kShortest || token.size() > kLongest) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the HTTP token has {} characters: use {} to {}, for instance of `openssl rand -hex 16`",
                               token.size(), kShortest, kLongest)};
  }
  const auto usable = [&](unsigned char c) {
    return c < 128 && (std::isalnum(c) != 0 || kOthers.find(static_cast<char>(c)) != std::string_view::npos);
  };
  if (!std::ranges::all_of(token, usable)) {
    return Failure{ErrorCode::invalid_argument,
                   "the HTTP token has characters other than letters, digits, '-', '.', '_' and '~'"};
  }
  return {};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  // The length of a token is not secret.
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference =
        static_cast<unsigned char>(difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  }
  return difference == 0;
}

std::string random_key() {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t got = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got > 0) have += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) throw Error(ErrorCode::platform, "the system has no random numbers to give");
  }
  std::string key;
  for (const unsigned char byte : bytes) key += fmt::format("{:02x}", byte);
  return key;
}

bool names_loopback(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view rest = host.substr(end + 1);
    return is_ipv6_loopback(std::string(host.substr(1, end - 1))) &&
           (rest.empty() || (rest.front() == ':' && is_port(rest.substr(1))));
  }
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon + 1))) return false;
  std::string name(host.substr(0, colon));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "localhost" || is_ipv4_loopback(name);
}

std::string_view cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
  }
  return {};
}

}  // namespace troupe::service
