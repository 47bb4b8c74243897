#include "service/connections/refusals.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace troupe::service {
namespace {

/// Returns the header of an HTTP/2 frame (RFC 9113, 4.1).
std::string frame(std::size_t size, char type) {
  std::string head(9, '\0');
  head[0] = static_cast<char>(size >> 16U & 0xFFU);
  head[1] = static_cast<char>(size >> 8U & 0xFFU);
  head[2] = static_cast<char>(size & 0xFFU);
  head[3] = type;
  return head;
}

/// Reads and drops the bytes that have arrived. Returns true if no more bytes can arrive.
bool drained(int socket) {
  // Limits the reads per call: a client that sends without end must not block this thread.
  constexpr int kMostReads = 16;
  std::array<char, 4096> dropped;
  for (int i = 0; i < kMostReads; ++i) {
    const ssize_t size = ::recv(socket, dropped.data(), dropped.size(), MSG_DONTWAIT);
    if (size == 0) return true;
    if (size < 0) return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
  }
  return false;
}

}  // namespace

std::string goodbye_for_grpc(std::string_view reason) {
  constexpr char kSettings = 4;
  constexpr char kGoAway = 7;
  constexpr char kEnhanceYourCalm = 0xb;
  // The first four bytes are the number of the last stream that was served; 0 means none.
  std::string content(8, '\0');
  content[7] = kEnhanceYourCalm;
  content += reason;
  return frame(0, kSettings) + frame(content.size(), kGoAway) + content;
}

void Refusals::refuse(platform::FileDescriptor connection, std::string_view answer, Clock::time_point now) {
  const int socket = connection.get();
  if (::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
  ::shutdown(socket, SHUT_WR);
  if (drained(socket)) return;
  if (lingering_.size() >= kMost) lingering_.pop_front();
  lingering_.push_back({std::move(connection), now + kReadingTime});
}

void Refusals::look(Clock::time_point now) {
  std::erase_if(lingering_, [now](const Lingering& one) { return now >= one.latest || drained(one.connection.get()); });
}

}  // namespace troupe::service
