#include "service/http/http_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "service/http/http_connection.hpp"
#include "service/http/http_guard.hpp"
#include "service/http/page_files.hpp"
#include "service/views/prometheus_text.hpp"
#include "service/views/view_history.hpp"
#include "service/views/view_json.hpp"

namespace troupe::service {

namespace {

using httplib::Request;
using httplib::Response;
using Handled = httplib::Server::HandlerResponse;

/// Nothing but what this server sends is loaded, run or shown, and no other page may show it.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string media_type(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/html; charset=utf-8";
}

/// A number that a request gives; nothing where it gives none or no number.
std::optional<std::uint64_t> parameter(const Request& request, const char* name) {
  const std::string text = request.get_param_value(name);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void answer(Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

}  // namespace

/// Explains why tasks do not go on, at most twice a second: to find out takes locks that workers need, too.
class WhyAnswers {
 public:
  explicit WhyAnswers(const ServiceViewSource& source) : source_(source) {}

  /// Nothing where there is no such session.
  std::optional<std::string> of(std::optional<std::uint64_t> session) {
    constexpr std::chrono::milliseconds kKept{500};
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(kept_, [&](const auto& one) { return now - one.second.made > kKept; });
    const auto found = kept_.find(session);
    if (found != kept_.end()) return found->second.json;
    const auto report = source_.why(session);
    if (!report) return std::nullopt;
    nlohmann::json json = nlohmann::json::parse(report->to_json());
    json["text"] = report->to_text();
    const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    kept_[session] = {std::chrono::steady_clock::now(), text};
    return text;
  }

 private:
  struct Kept {
    std::chrono::steady_clock::time_point made;
    std::string json;
  };
  const ServiceViewSource& source_;
  std::mutex mutex_;
  std::map<std::optional<std::uint64_t>, Kept> kept_;
};

namespace {

/// Why the address could not be had; `error` is errno after the attempt.
Failure cannot_listen(const HttpAddress& address, std::uint16_t port, int error) {
  const std::string where = with_port(address, port);
  switch (error) {
    case EADDRINUSE:
      return {ErrorCode::io,
              fmt::format("cannot serve HTTP at {}: the port is in use; choose another one, or 0 for any "
                          "that is free",
                          where)};
    case EACCES:
      return {ErrorCode::io,
              fmt::format("cannot serve HTTP at {}: no permission; ports below 1024 are for root", where)};
    case EADDRNOTAVAIL:
      return {ErrorCode::io, fmt::format("cannot serve HTTP at {}: this machine has no such address", where)};
    default:
      return {ErrorCode::io, fmt::format("cannot serve HTTP at {}: {}", where,
                                         error == 0 ? "no socket could be bound" : std::strerror(error))};
  }
}

}  // namespace

struct HttpServer::State {
  State(const ServiceViewSource& source, HttpOptions given, HttpAddress where)
      : options(std::move(given)),
        address(std::move(where)),
        history(source),
        why(source),
        server(options.threads, {.time = std::chrono::ceil<std::chrono::milliseconds>(options.request_time)}) {
    server.set_default_headers({{"Content-Security-Policy", kContentPolicy},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cache-Control", "no-store"}});
    server.set_pre_routing_handler([this](const Request& request, Response& response) {
      return admit(request, response) ? Handled::Unhandled : Handled::Handled;
    });
    server.set_exception_handler([](const Request&, Response& response, const std::exception_ptr&) {
      answer(response, 500, "the service could not answer");
    });
    add_routes();
  }

  ~State() {
    if (!listener.joinable()) return;
    server.end();
    listener.join();
  }

  Result<void> listen() {
    errno = 0;
    const bool bound =
        options.port != 0
            ? server.bind_to_port(address.text, options.port)
            : (port = static_cast<std::uint16_t>(std::max(0, server.bind_to_any_port(address.text)))) != 0;
    if (!bound) return cannot_listen(address, options.port, errno);
    if (options.port != 0) port = options.port;
    listener = std::thread([this] {
      server.serve();
      ended = true;
    });
    // It can be ended only once it has begun.
    while (!server.is_running() && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }

  /// Whether the request may be answered; else `response` says why not.
  bool admit(const Request& request, Response& response) {
    if (request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      answer(response, 405, "this server is read-only: it answers GET and HEAD");
      return false;
    }
    // Ranges that overlap would multiply the answer.
    if (!request.ranges.empty()) {
      answer(response, 400, "this server sends whole answers only: leave out the header Range");
      return false;
    }
    if (options.token.empty()) {
      if (names_loopback(request.get_header_value("Host"))) return true;
      answer(response, 403, "this server answers requests to this machine's own address only, such as 127.0.0.1");
      return false;
    }
    return admit_with_token(request, response);
  }

  bool admit_with_token(const Request& request, Response& response) {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string authorization = request.get_header_value("Authorization");
    if (authorization.starts_with(kScheme) && is_token(std::string_view(authorization).substr(kScheme.size()))) {
      return true;
    }
    const std::string cookies = request.get_header_value("Cookie");
    if (equal_in_constant_time(cookie_value(cookies, cookie_name()), session_key)) return true;
    if (is_token(request.get_param_value("token"))) {
      response.set_header("Set-Cookie",
                          fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name(), session_key));
      if (request.path != "/") return true;
      // The address bar and the history do not keep it.
      response.set_redirect("/", 303);
      return false;
    }
    response.set_header("WWW-Authenticate", "Bearer realm=\"troupe\"");
    answer(response, 401, "this server wants its token: as `Authorization: Bearer TOKEN`, or once as /?token=TOKEN");
    return false;
  }

  [[nodiscard]] bool is_token(std::string_view text) const { return equal_in_constant_time(text, options.token); }
  /// Cookies do not know ports: two services on one machine must not take one another's.
  [[nodiscard]] std::string cookie_name() const { return fmt::format("troupe_{}", port.load()); }

  void add_routes() {
    for (const PageFile& file : page_files()) {
      std::string pattern = "/";
      for (const char c : file.name == "index.html" ? std::string_view() : file.name) {
        if (c == '.') pattern += '\\';
        pattern += c;
      }
      server.Get(pattern, [file](const Request&, Response& response) {
        response.set_content(file.text.data(), file.text.size(), media_type(file.name));
      });
    }
    server.Get("/metrics", [this](const Request&, Response& response) {
      response.set_content(prometheus_text(*history.look()), kPrometheusMediaType);
    });
    server.Get("/view\\.json", [this](const Request& request, Response& response) { give_view(request, response); });
    server.Get("/why\\.json", [this](const Request& request, Response& response) { give_why(request, response); });
    server.set_error_handler([](const Request&, Response& response) {
      if (response.body.empty())
        answer(response, response.status, "there is nothing here: see /, /metrics and /view.json");
    });
  }

  void give_view(const Request& request, Response& response) {
    const auto view = history.look();
    if (!request.has_param("since")) {
      response.set_content(view_to_text(*view), "application/json");
      return;
    }
    const auto since = parameter(request, "since");
    if (!since) return answer(response, 400, "since: expected the number of a sample");
    nlohmann::json json = view_as_json(*view);
    json["samples"] = history.samples_since(*since);
    response.set_content(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "application/json");
  }

  void give_why(const Request& request, Response& response) {
    const auto session = parameter(request, "session");
    if (request.has_param("session") && !session) return answer(response, 400, "session: expected its number");
    const auto text = why.of(session);
    if (!text) return answer(response, 404, "there is no such session");
    response.set_content(*text, "application/json");
  }

  const HttpOptions options;
  const HttpAddress address;
  const std::string session_key = random_key();
  std::atomic<std::uint16_t> port{0};
  ViewHistory history;
  WhyAnswers why;
  LimitedServer server;
  std::atomic<bool> ended{false};
  std::thread listener;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(const ServiceViewSource& source, const HttpOptions& options) {
  const auto address = parse_http_address(options.address);
  if (!address) return address.failure();
  if (!options.token.empty()) {
    if (auto checked = check_token(options.token); !checked) return checked.failure();
  } else if (!address.value().loopback) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("HTTP at {} can be reached from other machines: set a token, or listen at 127.0.0.1",
                               options.address)};
  }
  if (options.threads == 0) return Failure{ErrorCode::invalid_argument, "an HTTP server needs one thread at least"};
  auto state = std::make_unique<State>(source, options, address.value());
  if (auto listening = state->listen(); !listening) return listening.failure();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

std::string HttpServer::url() const { return fmt::format("http://{}/", with_port(state_->address, state_->port)); }
std::uint16_t HttpServer::port() const { return state_->port; }

}  // namespace troupe::service
