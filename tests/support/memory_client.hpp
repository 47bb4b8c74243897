/// A client of a service's memory socket, with which tests send single requests.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "platform/files/file_descriptor.hpp"
#include "proto/wire/memory_packets.hpp"

namespace troupe::tests {

/// Connects to a socket. Throws if nothing listens at `path`.
inline platform::FileDescriptor connect_to(const std::string& path, int kind) {
  platform::FileDescriptor socket(::socket(AF_UNIX, kind | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to " + path + ": " + std::strerror(errno));
  }
  return socket;
}

/// A segment of shared memory that is mapped into this process.
class MappedSegment {
 public:
  MappedSegment() = default;
  MappedSegment(std::uint64_t id, std::size_t size, platform::FileDescriptor descriptor)
      : id_(id), size_(size), descriptor_(std::move(descriptor)) {
    void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("cannot map a segment");
    data_ = mapped;
  }
  MappedSegment(MappedSegment&& other) noexcept
      : id_(other.id_),
        size_(other.size_),
        descriptor_(std::move(other.descriptor_)),
        data_(std::exchange(other.data_, nullptr)) {}
  MappedSegment& operator=(MappedSegment&&) = delete;
  ~MappedSegment() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  template <class T>
  [[nodiscard]] T* at(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + offset);
  }

 private:
  std::uint64_t id_ = 0;
  std::size_t size_ = 0;
  platform::FileDescriptor descriptor_;
  void* data_ = nullptr;
};

class MemoryClient {
 public:
  explicit MemoryClient(const std::string& folder)
      : socket_(connect_to(folder + "/" + std::string(wire::kMemorySocket), SOCK_SEQPACKET)) {}

  void send_bytes(const void* bytes, std::size_t size) const { ::send(socket_.get(), bytes, size, MSG_NOSIGNAL); }
  /// Receives a reply. Returns nullopt if the service has closed the connection or sends nothing for 30 seconds.
  std::optional<wire::MemoryReply> receive(platform::FileDescriptor* descriptor = nullptr) const {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 30'000) <= 0) return std::nullopt;
    wire::MemoryReply reply;
    iovec content{&reply, sizeof reply};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC) != sizeof reply) return std::nullopt;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr && descriptor != nullptr) {
      int received = -1;
      std::memcpy(&received, CMSG_DATA(header), sizeof received);
      *descriptor = platform::FileDescriptor(received);
    }
    return reply;
  }
  std::optional<wire::MemoryReply> ask(const wire::MemoryRequest& request,
                                       platform::FileDescriptor* descriptor = nullptr) const {
    send_bytes(&request, sizeof request);
    return receive(descriptor);
  }

  /// Sends the first request. Returns the token with which the client opens its session.
  std::string hello() const {
    const auto reply = ask({.request = 1});
    if (!reply || reply->error != wire::MemoryError::none) throw std::runtime_error("the memory socket refused hello");
    return {reinterpret_cast<const char*>(reply->token.data()), reply->token.size()};
  }
  MappedSegment allocate(std::uint64_t size) const {
    platform::FileDescriptor descriptor;
    const auto reply = ask({.kind = wire::MemoryRequestKind::allocate, .request = 2, .size = size}, &descriptor);
    if (!reply || reply->error != wire::MemoryError::none) {
      throw std::runtime_error("no memory: " + (reply ? std::string(reply->message()) : "no reply"));
    }
    return {reply->segment, reply->size, std::move(descriptor)};
  }
  [[nodiscard]] std::optional<wire::MemoryReply> release(std::uint64_t segment) const {
    return ask({.kind = wire::MemoryRequestKind::release, .request = 3, .segment = segment});
  }
  void close() { socket_.reset(); }

 private:
  platform::FileDescriptor socket_;
};

}  // namespace troupe::tests
