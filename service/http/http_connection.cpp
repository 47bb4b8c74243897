#include "service/http/http_connection.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <cctype>
#include <cerrno>

#include "service/descriptor_reserve.hpp"

namespace troupe::service {

namespace {

namespace http = boost::beast::http;
using platform::FileDescriptor;

constexpr std::string_view kEndOfHeaders = "\r\n\r\n";
/// The time for which a client may read its answer.
constexpr std::chrono::milliseconds kLastAnswerTime{500};

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

std::string to_text(const HttpResponse& response, bool with_body) {
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)));
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n", response.status,
                  std::string_view(reason.data(), reason.size()), response.media_type, response.body.size());
  for (const auto& [name, value] : response.headers) text += fmt::format("{}: {}\r\n", name, value);
  return text + "\r\n" + (with_body ? response.body : "");
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress socket_address(const HttpAddress& address, std::uint16_t port) {
  SocketAddress result;
  if (address.ipv6) {
    auto& ipv6 = reinterpret_cast<sockaddr_in6&>(result.storage);
    ipv6.sin6_family = AF_INET6;
    ipv6.sin6_port = htons(port);
    ::inet_pton(AF_INET6, address.text.c_str(), &ipv6.sin6_addr);
    result.size = sizeof ipv6;
  } else {
    auto& ipv4 = reinterpret_cast<sockaddr_in&>(result.storage);
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(port);
    ::inet_pton(AF_INET, address.text.c_str(), &ipv4.sin_addr);
    result.size = sizeof ipv4;
  }
  return result;
}

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string_view HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string> HttpRequest::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    if (one.substr(0, equals) == name) return std::string(one.substr(std::min(equals + 1, one.size())));
  }
  return std::nullopt;
}

std::optional<HttpRequest> parse_http_request(const std::string& text) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(text.size()));
  // Parse only the headers, not a body after them.
  parser.skip(true);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(text), error);
  if (error || !parser.is_header_done()) return std::nullopt;
  const auto& parsed = parser.get();
  HttpRequest request;
  request.method.assign(parsed.method_string().data(), parsed.method_string().size());
  const std::string target(parsed.target().data(), parsed.target().size());
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  for (const auto& field : parsed) {
    const auto name = field.name_string();
    const auto value = field.value();
    const std::string lower = in_lower_case({name.data(), name.size()});
    const bool first = request.headers.emplace(lower, std::string(value.data(), value.size())).second;
    // A request with two `Host` headers is refused: a proxy between client and server may have checked either of them.
    if (!first && lower == "host") return std::nullopt;
  }
  return request;
}

HttpListener::~HttpListener() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  // This write wakes the thread. The write cannot fail, because nobody has written to the eventfd before.
  [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

int HttpListener::start(const HttpAddress& address, std::uint16_t port) {
  constexpr int kBacklog = 128;
  const int family = address.ipv6 ? AF_INET6 : AF_INET;
  const int yes = 1;
  SocketAddress where = socket_address(address, port);
  stop_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  listening_ = FileDescriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!stop_.valid() || !listening_.valid()) return errno;
  // With this option, a port that was in use until a moment ago can be bound, but not a port that is still in use.
  ::setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(listening_.get(), where.get(), where.size) != 0) return errno;
  if (::listen(listening_.get(), kBacklog) != 0) return errno;
  if (::getsockname(listening_.get(), where.get(), &where.size) != 0) return errno;
  port_ = ntohs(address.ipv6 ? reinterpret_cast<sockaddr_in6&>(where.storage).sin6_port
                             : reinterpret_cast<sockaddr_in&>(where.storage).sin_port);
  thread_ = std::thread([this] { run(); });
  return 0;
}

void HttpListener::run() {
  constexpr int kPauseMs = 100;
  std::vector<pollfd> waiting;
  for (;;) {
    waiting.assign({{stop_.get(), POLLIN, 0}, {listening_.get(), POLLIN, 0}});
    auto next = Clock::time_point::max();
    for (const Connection& connection : connections_) {
      const bool sends = connection.sent < connection.answer.size();
      waiting.push_back({connection.socket.get(), static_cast<short>(sends ? POLLOUT : POLLIN), 0});
      next = std::min(next, connection.deadline);
    }
    int timeout = -1;
    if (!connections_.empty()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
      timeout = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
    }
    const int ready = ::poll(waiting.data(), static_cast<nfds_t>(waiting.size()), timeout);
    if (ready < 0 && errno != EINTR) ::poll(nullptr, 0, kPauseMs);
    if (ready > 0 && waiting[0].revents != 0) return;
    std::size_t place = 2;
    for (auto it = connections_.begin(); it != connections_.end(); ++place) {
      const bool goes_on = ready <= 0 || waiting[place].revents == 0 || go_on(*it);
      it = goes_on && Clock::now() < it->deadline ? std::next(it) : connections_.erase(it);
    }
    if (ready > 0 && waiting[1].revents != 0) accept();
  }
}

void HttpListener::accept() {
  FileDescriptor socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.valid()) {
    constexpr int kPauseMs = 20;
    // If there is no room for the connection, the socket stays ready for reading. The pause keeps the loop from
    // spinning.
    if (!would_block() && errno != ECONNABORTED) ::poll(nullptr, 0, kPauseMs);
    return;
  }
  const auto says_nothing = [](const Connection& connection) { return connection.answer.empty(); };
  if (connections_.size() >= limits_.connections || descriptors_are_scarce(socket.get())) {
    const auto oldest = std::find_if(connections_.begin(), connections_.end(), says_nothing);
    if (oldest == connections_.end()) return;
    connections_.erase(oldest);
  }
  connections_.push_back({std::move(socket), Clock::now() + limits_.time});
}

bool HttpListener::go_on(Connection& connection) {
  if (connection.answer.empty() || connection.finishing) return receive(connection);
  return send(connection);
}

bool HttpListener::receive(Connection& connection) {
  std::array<char, 4096> bytes{};
  const ssize_t size = ::recv(connection.socket.get(), bytes.data(), bytes.size(), 0);
  if (size < 0) return would_block();
  if (size == 0) return false;
  if (connection.finishing) return true;
  connection.request.append(bytes.data(), static_cast<std::size_t>(size));
  const std::size_t end = connection.request.find(kEndOfHeaders);
  if (end == std::string::npos) return connection.request.size() < limits_.bytes;
  connection.answer = answer_to(connection.request.substr(0, end + kEndOfHeaders.size()));
  connection.request.clear();
  return send(connection);
}

bool HttpListener::send(Connection& connection) {
  while (connection.sent < connection.answer.size()) {
    const ssize_t size = ::send(connection.socket.get(), connection.answer.data() + connection.sent,
                                connection.answer.size() - connection.sent, MSG_NOSIGNAL);
    if (size < 0) return would_block();
    connection.sent += static_cast<std::size_t>(size);
  }
  ::shutdown(connection.socket.get(), SHUT_WR);
  connection.finishing = true;
  connection.deadline = std::min(connection.deadline, Clock::now() + kLastAnswerTime);
  return true;
}

std::string HttpListener::answer_to(const std::string& text) const {
  const auto request = parse_http_request(text);
  if (!request) return to_text({.status = 400, .body = "this is no HTTP request\n"}, true);
  HttpResponse response;
  try {
    response = handler_(*request);
  } catch (const std::exception&) {
    response = {.status = 500, .body = "the service could not answer\n"};
  }
  return to_text(response, request->method != "HEAD");
}

}  // namespace troupe::service
