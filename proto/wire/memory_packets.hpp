/// The packets on the memory socket of a service: a Unix socket of kind SOCK_SEQPACKET, beside the socket for gRPC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace troupe::wire {

// Each packet is exactly one of the two structures below. The byte order is the machine's, because both ends are on one
// machine. The client sends requests (`MemoryRequest`) and gets one `MemoryReply` for each request, in the order of the
// requests. The first request is `hello`; its reply has the token that names this connection in a session's `Hello`.
// The end of the connection is the end of the client: its session ends, and its segments are freed.
//
//   request    uses             reply, if the request was done
//   hello      magic, version   token
//   allocate   size             segment, size, and with it one descriptor (SCM_RIGHTS): a memfd of `size` bytes, sealed
//                               against changes of its size, that the client maps MAP_SHARED
//   release    segment          segment. The memory is freed when no registered data lie in it any more
//
// A request that cannot be done is answered with a code and a text. The connection stays open, except if `hello` was
// refused or a packet is not one of these requests.

/// The names of the socket files in the service's folder: the socket for gRPC, and the socket for memory.
inline constexpr std::string_view kServiceSocket = "service.sock";
inline constexpr std::string_view kMemorySocket = "memory.sock";

inline constexpr std::uint32_t kMemoryMagic = 0x5552'5401;
/// The version of the packets. It is raised whenever one side would misunderstand packets of an older or newer other
/// side.
inline constexpr std::uint32_t kMemoryVersion = 1;
/// The number of bytes of a token.
inline constexpr std::size_t kTokenSize = 16;
/// The length of the longest text of an error, in bytes, without a closing zero.
inline constexpr std::size_t kMemoryTextSize = 200;

enum class MemoryRequestKind : std::uint32_t { hello = 1, allocate = 2, release = 3 };

enum class MemoryError : std::uint32_t {
  none = 0,
  /// The first packet is not `hello`, or its version is not the service's.
  version_mismatch = 1,
  /// The system has no memory of that size.
  out_of_memory = 2,
  /// The client asks for more memory than the service lets one client have.
  limit = 3,
  /// The size is 0, or the segment or the kind of request is unknown.
  invalid_argument = 4,
  /// The service takes no more clients.
  stopped = 5,
};

struct MemoryRequest {
  std::uint32_t magic = kMemoryMagic;
  std::uint32_t version = kMemoryVersion;
  MemoryRequestKind kind = MemoryRequestKind::hello;
  /// Always 0.
  std::uint32_t reserved = 0;
  /// A number that the client chooses; the reply repeats it.
  std::uint64_t request = 0;
  /// The size in bytes; the service rounds it up to whole pages.
  std::uint64_t size = 0;
  std::uint64_t segment = 0;
};

struct MemoryReply {
  std::uint32_t magic = kMemoryMagic;
  std::uint32_t version = kMemoryVersion;
  MemoryError error = MemoryError::none;
  /// The number of bytes of `text` that are used.
  std::uint32_t text_size = 0;
  std::uint64_t request = 0;
  /// The number of bytes that the segment really has, after rounding.
  std::uint64_t size = 0;
  /// The segment's number: never 0, and never used again while the service lives.
  std::uint64_t segment = 0;
  std::array<std::uint8_t, kTokenSize> token{};
  /// The text of the error, for people.
  std::array<char, kMemoryTextSize> text{};

  [[nodiscard]] std::string_view message() const {
    return {text.data(), text_size <= kMemoryTextSize ? text_size : kMemoryTextSize};
  }
  /// Sets the text of the error. A text that is too long is cut between two characters.
  void set_message(std::string_view message) {
    std::size_t size = message.size() < kMemoryTextSize ? message.size() : kMemoryTextSize;
    while (size < message.size() && size > 0 && (static_cast<unsigned char>(message[size]) & 0xC0U) == 0x80U) --size;
    std::memcpy(text.data(), message.data(), size);
    text_size = static_cast<std::uint32_t>(size);
  }
};

static_assert(std::is_trivially_copyable_v<MemoryRequest> && sizeof(MemoryRequest) == 40);
static_assert(std::is_trivially_copyable_v<MemoryReply> && sizeof(MemoryReply) == 256);

}  // namespace troupe::wire
