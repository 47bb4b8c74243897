/// Calls of the service without gRPC. They can be more frequent than gRPC's calls, and can break the rules of gRPC.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "platform/files/file_descriptor.hpp"

namespace troupe::bench {

namespace raw {

/// Frame types and flags from RFC 9113.
enum FrameType : int { kData = 0, kHeaders = 1, kSettings = 4 };
enum FrameFlag : int { kNone = 0, kEndStream = 1, kEndHeaders = 4 };

/// Appends the lowest `bytes` bytes of a number, the most significant byte first.
inline void add_number(std::string& text, std::size_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(number >> static_cast<unsigned>(shift) & 0xFFU);
  }
}

inline void add_frame(std::string& text, FrameType type, FrameFlag flag, std::size_t stream, std::string_view content) {
  add_number(text, content.size(), 3);
  add_number(text, type, 1);
  add_number(text, flag, 1);
  add_number(text, stream, 4);
  text += content;
}

/// Appends a header field that is not indexed (RFC 7541, 6.2.2). The name is an index in the static table, or a text.
inline void add_field(std::string& block, char index, std::string_view name, std::string_view value) {
  block += index;
  if (index == 0) {
    add_number(block, name.size(), 1);
    block += name;
  }
  add_number(block, value.size(), 1);
  block += value;
}

}  // namespace raw

/// Returns the bytes of an HTTP/2 connection (RFC 9113) that makes `count` calls of `method`, each with an empty
/// message, and ends its side of each stream.
[[nodiscard]] inline std::string raw_calls(std::string_view method, int count) {
  using namespace raw;
  std::string headers = "\x83\x86";  // Indexed header fields: method POST, scheme http.
  add_field(headers, 4, "", "/troupe.v1.Troupe/" + std::string(method));
  add_field(headers, 1, "", "localhost");
  add_field(headers, 0, "te", "trailers");
  add_field(headers, 0, "content-type", "application/grpc");
  std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  add_frame(bytes, kSettings, kNone, 0, "");
  for (int call = 0; call < count; ++call) {
    const auto stream = static_cast<std::size_t>(2 * call + 1);
    add_frame(bytes, kHeaders, kEndHeaders, stream, headers);
    add_frame(bytes, kData, kEndStream, stream, std::string(5, '\0'));
  }
  return bytes;
}

/// Returns a connection to the service's socket in `folder`. Throws `Error` if there is no socket.
[[nodiscard]] platform::FileDescriptor connect_raw(const std::string& folder);

/// Sends as many bytes as the socket accepts at once. A socket that the service has closed is not an error.
inline void send_raw(const platform::FileDescriptor& socket, std::string_view bytes) {
  (void)::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace troupe::bench
