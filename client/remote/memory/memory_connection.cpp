#include "client/remote/memory/memory_connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <tuple>
#include <utility>

#include "client/remote/connection/socket_connection.hpp"
#include "client/remote/connection/socket_folder.hpp"
#include "graph/tasks/uncancellable.hpp"
#include "platform/memory/huge_pages.hpp"

namespace troupe::remote {

namespace {

Failure gone(const char* what) {
  return {ErrorCode::service_lost, fmt::format("the service has gone: its memory socket {}", what)};
}

Failure refused(const wire::MemoryReply& reply, const std::string& what) {
  using wire::MemoryError;
  ErrorCode code = ErrorCode::invalid_argument;
  switch (reply.error) {
    case MemoryError::version_mismatch: code = ErrorCode::platform; break;
    case MemoryError::out_of_memory:
    case MemoryError::limit: code = ErrorCode::out_of_memory; break;
    case MemoryError::stopped: code = ErrorCode::stopped; break;
    case MemoryError::none:
    case MemoryError::invalid_argument: break;
  }
  return {code, fmt::format("the service refuses {}: {}", what, reply.message())};
}

constexpr std::chrono::seconds kGreetingTime{10};

/// Limits the time of a receive call; 0 means no limit.
void bound_receiving(int socket, std::chrono::seconds time) {
  const timeval value{time.count(), 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
}

/// Receives a reply, and the file descriptor that comes with it, if any. Returns false if the connection has ended, or
/// if the message is no reply. If the service has closed the connection, replies that it sent before are still
/// received.
bool receive(int socket, wire::MemoryReply& reply, platform::FileDescriptor& passed) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec part{&reply, sizeof(reply)};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t size = 0;
  bool reset = false;
  do {
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && (errno == EINTR || (errno == ECONNRESET && !std::exchange(reset, true))));
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    passed = platform::FileDescriptor(fd);
  }
  return size == sizeof(reply) && reply.magic == wire::kMemoryMagic;
}

/// Returns true for the message with which a service refuses further clients. The message is no answer to a request.
bool is_farewell(const wire::MemoryReply& reply) {
  return reply.request == 0 && reply.error != wire::MemoryError::none;
}

/// Returns true if access to the memory can never fail: no process can make the memory smaller, and it is as large as
/// the service says.
bool stays(int memory, Bytes size) {
  constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_SEAL;
  const int seals = ::fcntl(memory, F_GET_SEALS);
  struct stat status {};
  return seals >= 0 && (seals & kNeeded) == kNeeded && ::fstat(memory, &status) == 0 &&
         static_cast<std::uint64_t>(status.st_size) >= size.count;
}

bool send_whole(int socket, const wire::MemoryRequest& request) {
  ssize_t size = 0;
  do {
    size = ::send(socket, &request, sizeof(request), MSG_NOSIGNAL);
  } while (size < 0 && errno == EINTR);
  return size == sizeof(request);
}

}  // namespace

Result<std::unique_ptr<MemoryConnection>> MemoryConnection::open(const std::string& folder) {
  auto socket = connect_to(memory_socket(folder), SOCK_SEQPACKET | SOCK_CLOEXEC);
  if (!socket) return socket.failure();
  const int descriptor = socket.value().get();
  std::unique_ptr<MemoryConnection> connection(new MemoryConnection(std::move(socket).value()));
  platform::FileDescriptor none;
  // The system accepts connections even for a suspended service, so the wait is limited.
  bound_receiving(descriptor, kGreetingTime);
  errno = 0;
  const auto reply = connection->call({.kind = wire::MemoryRequestKind::hello}, none);
  if (!reply && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return Failure{ErrorCode::io, fmt::format("the service at {} did not answer within {} s", memory_socket(folder),
                                              kGreetingTime.count())};
  }
  if (!reply) return reply.failure();
  bound_receiving(descriptor, std::chrono::seconds(0));
  if (reply.value().error != wire::MemoryError::none) return refused(reply.value(), "this program");
  connection->token_ = reply.value().token;
  return connection;
}

Result<wire::MemoryReply> MemoryConnection::call(wire::MemoryRequest request, platform::FileDescriptor& passed) {
  if (auto here = home_.check(); !here) return here.failure();
  const graph::Uncancellable uncancellable;
  const LockGuard lock(mutex_);
  if (!socket_.valid()) return gone("has been closed");
  request.request = ++last_request_;
  wire::MemoryReply reply;
  const bool sent = send_whole(socket_.get(), request);
  if ((sent || errno == EPIPE) && receive(socket_.get(), reply, passed)) {
    if (reply.request == request.request || is_farewell(reply)) return reply;
  }
  // The missing reply may arrive later, and would then be mistaken for the reply to the next request. So the connection
  // is closed.
  socket_.reset();
  return gone("does not answer");
}

Result<Segment> MemoryConnection::allocate(Bytes size) {
  platform::FileDescriptor memory;
  const auto reply = call({.kind = wire::MemoryRequestKind::allocate, .size = size.count}, memory);
  if (!reply) return reply.failure();
  if (reply.value().error != wire::MemoryError::none) {
    return refused(reply.value(), fmt::format("{} bytes of shared memory", size.count));
  }
  const Bytes given{reply.value().size};
  if (!memory.valid() || given.count < size.count) return gone("sent no memory");
  if (!stays(memory.get(), given)) return gone("sent memory that it could take away while this program uses it");
  std::byte* const data = platform::map_aligned(given.count, MAP_SHARED, memory.get());
  if (data == nullptr) {
    const int error = errno;
    release({reply.value().segment, nullptr, {}});
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("{} bytes of shared memory cannot be mapped: {}", given.count, std::strerror(error))};
  }
  return Segment{reply.value().segment, data, given};
}

void MemoryConnection::release(const Segment& segment) noexcept {
  if (segment.data != nullptr) ::munmap(segment.data, segment.size.count);
  try {
    platform::FileDescriptor none;
    // The outcome is not needed: if the service has ended, it has already freed the segment.
    std::ignore = call({.kind = wire::MemoryRequestKind::release, .segment = segment.id}, none);
  } catch (...) {
    // There is no memory for the text of a failure, and the caller does not need the text.
  }
}

}  // namespace troupe::remote
