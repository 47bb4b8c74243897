/// The part of an HTTP server that unknown programs can reach: bounded in time, memory, threads and descriptors,
/// whatever they send.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "service/http/http_guard.hpp"

namespace troupe::service {

struct HttpRequest {
  std::string method;
  /// The path, without the part that begins with '?'.
  std::string path;
  std::string query;
  /// The headers by names in lower case. If several have one name, the first counts.
  std::map<std::string, std::string> headers;

  /// Returns a header's value; empty if the request has no such header.
  [[nodiscard]] std::string_view header(const std::string& name) const;
  /// Returns a parameter's value; nothing if there is none. Values are not unescaped: no known value needs it.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string media_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Returns the text in lower case: upper and lower case mean the same in names of headers and schemes.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// Parses a whole request, up to the empty line. Returns nothing if it is not a request or names its host twice.
[[nodiscard]] std::optional<HttpRequest> parse_http_request(const std::string& text);

/// The limits of the connections of a server.
struct ConnectionLimits {
  /// The longest time for a whole request and its answer, however slowly the bytes come.
  std::chrono::milliseconds time{5000};
  /// The most bytes that a client may send.
  std::size_t bytes = std::size_t{32} << 10U;
  /// The most connections at a time. If one too many comes, the oldest one that has sent no full request is closed, so
  /// clients that say nothing keep nobody out.
  std::size_t connections = 128;
};

/// Serves all connections in one thread, one request each. An incomplete request takes no more than its bytes and a
/// descriptor.
class HttpListener {
 public:
  /// The function that answers a request; called by the server's thread.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  HttpListener(const ConnectionLimits& limits, Handler handler) : limits_(limits), handler_(std::move(handler)) {}
  ~HttpListener();
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  /// Listens from now on. Returns 0, or an errno that says why it cannot listen.
  [[nodiscard]] int start(const HttpAddress& address, std::uint16_t port);
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    platform::FileDescriptor socket;
    Clock::time_point deadline;
    std::string request = {};
    std::string answer = {};
    std::size_t sent = 0;
    /// The whole answer has been sent. What the client still sends is read and dropped: closing at once could discard
    /// the part of the answer that the client has not read.
    bool finishing = false;
  };

  void run();
  void accept();
  /// Reads or writes what is possible. Returns false if the connection is to be closed.
  bool go_on(Connection& connection);
  bool receive(Connection& connection);
  bool send(Connection& connection);
  [[nodiscard]] std::string answer_to(const std::string& request) const;

  const ConnectionLimits limits_;
  const Handler handler_;
  std::uint16_t port_ = 0;
  platform::FileDescriptor stop_;
  platform::FileDescriptor listening_;
  /// The open connections, the oldest first.
  std::list<Connection> connections_;
  std::thread thread_;
};

}  // namespace troupe::service
