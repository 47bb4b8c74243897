#include "service/memory/memory_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "service/descriptor_reserve.hpp"

namespace troupe::service {
namespace {

/// The longest times for which a thread waits for a client's first request, and for a client to read an answer. A
/// correct client does both at once.
constexpr std::chrono::seconds kGreetingTime{10};
constexpr std::chrono::seconds kReadingTime{10};

using wire::MemoryError;
using wire::MemoryReply;
using wire::MemoryRequest;
using wire::MemoryRequestKind;

MemoryReply refusal(std::uint64_t request, MemoryError error, std::string_view message) {
  MemoryReply reply;
  reply.request = request;
  reply.error = error;
  reply.set_message(message);
  return reply;
}

MemoryReply refusal(std::uint64_t request, const Failure& failure) {
  MemoryError error = MemoryError::invalid_argument;
  if (failure.code == ErrorCode::out_of_memory || failure.code == ErrorCode::platform) {
    error = MemoryError::out_of_memory;
  }
  if (failure.code == ErrorCode::stopped) error = MemoryError::stopped;
  return refusal(request, error, failure.message);
}

/// Sends a reply, and a descriptor unless it is -1. Returns false if the client has gone.
bool send(int socket, const MemoryReply& reply, int descriptor = -1) {
  iovec content{const_cast<MemoryReply*>(&reply), sizeof reply};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (descriptor >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == sizeof reply;
}

enum class Received { request, malformed, ended };

Received receive(int socket, MemoryRequest& request) {
  // The buffer has one byte more than a request, so that a message that is too long is noticed. The system drops
  // descriptors that a client sends, because there is no buffer for them.
  struct {
    MemoryRequest request;
    char more = 0;
  } packet;
  ssize_t size = 0;
  do {
    size = ::recv(socket, &packet, sizeof packet, 0);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return Received::ended;
  if (size != sizeof request) return Received::malformed;
  request = packet.request;
  return Received::request;
}

/// Sets the longest time of a call that receives or sends; 0 means no limit.
void set_deadline(int socket, int option, std::chrono::seconds time) {
  const timeval value{time.count(), 0};
  ::setsockopt(socket, SOL_SOCKET, option, &value, sizeof value);
}

bool fill_token(Token& token) {
  std::size_t filled = 0;
  while (filled < token.size()) {
    const ssize_t size = ::getrandom(token.data() + filled, token.size() - filled, 0);
    if (size < 0 && errno != EINTR) return false;
    if (size > 0) filled += static_cast<std::size_t>(size);
  }
  return true;
}

}  // namespace

MemoryServer::~MemoryServer() {
  UniqueLock lock(mutex_);
  draining_ = true;
  for (const Connection& connection : connections_) ::shutdown(connection.socket.get(), SHUT_RDWR);
  all_ended_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return connections_.empty(); });
  lock.unlock();
  collect();
}

std::string MemoryServer::packet_for_refused(std::string_view why) const {
  UniqueLock lock(mutex_);
  const MemoryError error = draining_ ? MemoryError::stopped : MemoryError::limit;
  lock.unlock();
  const MemoryReply reply = refusal(0, error, why);
  return {reinterpret_cast<const char*>(&reply), sizeof reply};
}

std::optional<std::string> MemoryServer::serve(platform::FileDescriptor& connection, const Peer& peer) {
  collect();
  const LockGuard lock(mutex_);
  const auto same_user = [&](const Connection& other) { return other.peer.user == peer.user; };
  const auto count = static_cast<std::size_t>(std::count_if(connections_.begin(), connections_.end(), same_user));
  if (draining_) return "the service is stopping and takes no clients";
  if (count >= limits_.connections_per_user) {
    return fmt::format(
        "user {} has {} connections to the service, and may have no more (limits.connections_per_user): end some",
        peer.user, count);
  }
  if (descriptors_are_scarce(connection.get()) && count > 0) {
    return "the service has no descriptors left for another client (ulimit -n): try again later";
  }
  BudgetHold hold(budgets_, Resource::threads, peer.user);
  if (const auto held = hold.set(1); !held) return held.failure().message;
  // The connection gets a thread of its own, so its calls may block.
  ::fcntl(connection.get(), F_SETFL, ::fcntl(connection.get(), F_GETFL) & ~O_NONBLOCK);
  set_deadline(connection.get(), SO_RCVTIMEO, kGreetingTime);
  set_deadline(connection.get(), SO_SNDTIMEO, kReadingTime);
  const Place place =
      connections_.insert(connections_.end(), Connection{std::move(connection), peer, nullptr, {}, std::move(hold)});
  try {
    place->thread = std::thread([this, place] { run(place); });
  } catch (const std::system_error&) {
    connection = std::move(place->socket);
    connections_.erase(place);
    return "the system has no thread left for another client: try again later";
  }
  return std::nullopt;
}

std::shared_ptr<ClientMemory> MemoryServer::find(const Token& token) const {
  const LockGuard lock(mutex_);
  const auto found = known_.find(token);
  return found == known_.end() ? nullptr : found->second;
}

void MemoryServer::drain() {
  const LockGuard lock(mutex_);
  draining_ = true;
}

void MemoryServer::run(Place connection) {
  const int socket = connection->socket.get();
  MemoryRequest request;
  for (bool goes_on = true; goes_on;) {
    const Received received = receive(socket, request);
    goes_on = received == Received::request && answer(*connection, request);
    if (received == Received::malformed) {
      send(socket, refusal(0, MemoryError::invalid_argument, "a packet is not as long as a request"));
    }
  }
  UniqueLock lock(mutex_);
  // While the service is stopping, clients keep their memory: a client that outlives the service can still read its
  // data.
  const bool take_away = !draining_;
  lock.unlock();
  if (connection->memory) connection->memory->end(take_away);
  lock.lock();
  if (connection->memory) known_.erase(connection->memory->token());
  connection->memory = nullptr;
  connection->socket.reset();
  connection->thread_hold = {};
  ended_.splice(ended_.end(), connections_, connection);
  if (connections_.empty()) all_ended_.notify_all();
}

void MemoryServer::collect() {
  std::list<Connection> ended;
  {
    const LockGuard lock(mutex_);
    ended.swap(ended_);
  }
  for (Connection& connection : ended) connection.thread.join();
}

bool MemoryServer::hello(Connection& connection, const MemoryRequest& request, MemoryReply& reply) {
  if (request.magic != wire::kMemoryMagic || request.version != wire::kMemoryVersion) {
    reply = refusal(request.request, MemoryError::version_mismatch,
                    fmt::format("the service speaks version {} of the memory protocol, the client version {}: use the "
                                "same release of Troupe on both sides",
                                wire::kMemoryVersion, request.version));
    return false;
  }
  if (request.kind != MemoryRequestKind::hello || connection.memory) {
    reply = refusal(request.request, MemoryError::invalid_argument,
                    connection.memory ? "'hello' came twice" : "the first request is not 'hello'");
    return false;
  }
  Token token{};
  if (!fill_token(token)) {
    reply = refusal(request.request, MemoryError::out_of_memory, "the system has no random numbers");
    return false;
  }
  set_deadline(connection.socket.get(), SO_RCVTIMEO, std::chrono::seconds(0));
  const LockGuard lock(mutex_);
  connection.memory = std::make_shared<ClientMemory>(connection.peer, token, limits_.segments,
                                                     accounts_.open(connection.peer.user), budgets_, next_segment_);
  known_.emplace(token, connection.memory);
  reply.token = token;
  return true;
}

bool MemoryServer::answer(Connection& connection, const MemoryRequest& request) {
  const int socket = connection.socket.get();
  MemoryReply reply;
  reply.request = request.request;
  if (!connection.memory || request.kind == MemoryRequestKind::hello) {
    const bool goes_on = hello(connection, request, reply);
    return send(socket, reply) && goes_on;
  }
  switch (request.kind) {
    case MemoryRequestKind::hello: return false;
    case MemoryRequestKind::allocate: {
      const auto allocated = connection.memory->allocate({request.size});
      if (!allocated) {
        MemoryReply refused = refusal(request.request, allocated.failure());
        // A size of 0 is an invalid argument. All other refusals with this code come from a limit.
        const bool limited = refused.error == MemoryError::invalid_argument && request.size > 0;
        if (limited) refused.error = MemoryError::limit;
        return send(socket, refused);
      }
      reply.segment = allocated.value().id;
      reply.size = allocated.value().size.count;
      return send(socket, reply, allocated.value().descriptor.get());
    }
    case MemoryRequestKind::release: {
      const auto released = connection.memory->release(request.segment);
      reply.segment = request.segment;
      return send(socket, released ? reply : refusal(request.request, released.failure()));
    }
  }
  return send(socket, refusal(request.request, MemoryError::invalid_argument,
                              fmt::format("there is no request of kind {}", static_cast<std::uint32_t>(request.kind))));
}

}  // namespace troupe::service
