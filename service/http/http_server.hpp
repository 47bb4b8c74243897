/// Metrics and the page with the live view, over HTTP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "service/views/service_view.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

struct HttpOptions {
  /// IPv4, IPv6 or "localhost". An address that other machines can reach needs a token.
  std::string address = "127.0.0.1";
  /// The TCP port; 0 takes any free port.
  std::uint16_t port = 0;
  /// The secret text that every client must send, also clients on this machine; empty means that no client needs one.
  /// With HTTP, anybody who can read the network's traffic can read the token.
  std::string token{};
  /// The longest time for a whole request and its answer.
  Duration request_time = std::chrono::seconds(5);
};

/// Answers GET and HEAD of
/// - `/`: the page,
/// - `/metrics`: Prometheus' text format,
/// - `/view.json`: the live view; with `?since=N`, also the samples of running tasks after the Nth,
/// - `/why.json`: the reasons why tasks wait; with `?session=N`, only of one session,
/// and nothing else. Reads the service's state at most every 100 ms, or at 20 Hz while a page is open; the number of
/// clients makes no difference. Unlike the Unix socket, the server does not know which user asks: it shows all sessions
/// to every user of the machine, or to everybody who has the token.
class HttpServer {
 public:
  /// Starts to listen, in a thread of its own. The source must outlive the server. Fails with `invalid_argument` if the
  /// options cannot be used, and with `io` if the server cannot listen at the address; the message names the remedy.
  static Result<std::unique_ptr<HttpServer>> start(const ServiceViewSource& source, const HttpOptions& options);

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Closes all connections, within a fraction of a second.
  ~HttpServer();

  /// Returns the address of the page, such as "http://127.0.0.1:9100/".
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace troupe::service
