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
  /// 0: any that is free.
  std::uint16_t port = 0;
  /// Where it is not empty, whoever asks must know it, on this machine too. HTTP does not hide it from who can read
  /// along on the network.
  std::string token{};
  /// For a whole request and its answer.
  Duration request_time = std::chrono::seconds(5);
};

/// Answers GET and HEAD of
/// - `/`: the page,
/// - `/metrics`: Prometheus' text format,
/// - `/view.json`: the live view; with `?since=N`, also samples of what workers ran after the Nth,
/// - `/why.json`: why tasks do not go on; with `?session=N`, of one session,
/// and nothing else. Takes the view at most every 100 ms, and at 20 Hz while a page is open, however many ask. Unlike
/// the Unix socket it does not know who asks: it shows all sessions to every user of the machine, or to who has the
/// token.
class HttpServer {
 public:
  /// Listens from now on, in a thread of its own. The source outlives the server. Fails with `invalid_argument` where
  /// the options cannot be used, with `io` where the address and port cannot be had; the message says what to do.
  static Result<std::unique_ptr<HttpServer>> start(const ServiceViewSource& source, const HttpOptions& options);

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Ends connections, within a fraction of a second.
  ~HttpServer();

  /// "http://127.0.0.1:9100/".
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace troupe::service
