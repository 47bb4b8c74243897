/// The connections of the HTTP server, which unknown programs can reach. Time, memory, threads and descriptors are
/// limited for any input.
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
  /// The path, without the text that begins with '?'.
  std::string path;
  std::string query;
  /// The headers, by names in lower case. If several headers have the same name, the first header counts.
  std::map<std::string, std::string> headers;

  /// Returns a header's value; empty if the request has no such header.
  [[nodiscard]] std::string_view header(const std::string& name) const;
  /// Returns a parameter's value; nothing if there is none. Escapes in values are kept, because no known parameter
  /// needs them.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string media_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Returns the text in lower case. In names of headers and schemes, upper and lower case mean the same.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// Parses a whole request, up to the empty line. Returns nothing if the text is not a request or has two `Host`
/// headers.
[[nodiscard]] std::optional<HttpRequest> parse_http_request(const std::string& text);

/// The limits of the connections of a server.
struct ConnectionLimits {
  /// The longest time for a whole request and its answer, even if the bytes come slowly.
  std::chrono::milliseconds time{5000};
  /// The limit for the bytes that a client may send.
  std::size_t bytes = std::size_t{32} << 10U;
  /// The limit for connections at a time. If there is one more, the oldest connection without a complete request is
  /// closed. Silent clients therefore cannot keep other clients out.
  std::size_t connections = 128;
};

/// Serves all connections in one thread, one request for each. An incomplete request takes only memory for its bytes
/// and a descriptor.
class HttpListener {
 public:
  /// The function that answers a request; called by the server's thread.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  HttpListener(const ConnectionLimits& limits, Handler handler) : limits_(limits), handler_(std::move(handler)) {}
  ~HttpListener();
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  /// Starts to listen. Returns 0, or the errno of the failure.
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
    /// True if the whole answer has been sent. Bytes that the client still sends are read and dropped. Closing at once
    /// could discard bytes of the answer that the client has not read.
    bool finishing = false;
  };

  void run();
  void accept();
  /// Reads or writes as many bytes as possible without blocking. Returns false if the connection must be closed.
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
