/// The rules that decide who may see the pages of the HTTP server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "troupe/errors.hpp"

namespace troupe::service {

/// An address that a server may listen at: `text` is IPv4, IPv6 or "localhost".
struct HttpAddress {
  /// The address without brackets.
  std::string text;
  bool ipv6 = false;
  /// True if only programs on this machine can reach the address.
  bool loopback = false;
};

/// Parses an address. Names are not looked up. Fails with `invalid_argument`.
[[nodiscard]] Result<HttpAddress> parse_http_address(const std::string& text);

/// Returns the address as in "127.0.0.1:9100" or "[::1]:9100".
[[nodiscard]] std::string with_port(const HttpAddress& address, std::uint16_t port);

/// Checks that a token can be used: it has 16 characters or more, and no characters that need an escape in a header or
/// an address. Fails with `invalid_argument`; the message does not contain the token.
[[nodiscard]] Result<void> check_token(std::string_view token);

/// Returns true if the texts are equal. The time does not depend on where the first difference is.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);

/// Returns 32 hexadecimal digits that nobody can guess.
[[nodiscard]] std::string random_key();

/// Returns true if a request's `Host` names this machine by a loopback address or as "localhost". Another site may let
/// its own name point to this machine; requests with such a name are refused.
[[nodiscard]] bool names_loopback(std::string_view host);

/// Returns the value of the cookie with this name in the header `Cookie`; empty if there is none.
[[nodiscard]] std::string_view cookie_value(std::string_view header, std::string_view name);

}  // namespace troupe::service
