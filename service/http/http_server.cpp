#include "service/http/http_server.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "proto/json/json.hpp"
#include "proto/mutex.hpp"
#include "service/http/http_connection.hpp"
#include "service/http/http_guard.hpp"
#include "service/http/page_files.hpp"
#include "service/views/prometheus_text.hpp"
#include "service/views/view_history.hpp"
#include "service/views/view_json.hpp"

namespace troupe::service {

namespace {

/// Headers of every answer: the browser may load, run and show only content of this server, and no other page may embed
/// the answer.
constexpr std::array<std::pair<const char*, const char*>, 5> kHeaders{
    {{"Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
     {"X-Content-Type-Options", "nosniff"},
     {"Referrer-Policy", "no-referrer"},
     {"Cross-Origin-Resource-Policy", "same-origin"},
     {"Cache-Control", "no-store"}}};

std::string media_type(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/html; charset=utf-8";
}

/// Returns a parameter as a number; nothing if it is missing or not a number.
std::optional<std::uint64_t> number(const HttpRequest& request, std::string_view name) {
  const std::string text = request.parameter(name).value_or("");
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

HttpResponse answer(int status, const std::string& text) { return {.status = status, .body = text + "\n"}; }

HttpResponse json_answer(std::string text) { return {.media_type = "application/json", .body = std::move(text)}; }

/// Returns true if a page of another site makes the request. Such a page could not read the answer, but the service
/// would have to work for it. Following a link to the page `/` is allowed.
bool comes_from_another_site(const HttpRequest& request) {
  const std::string_view site = request.header("sec-fetch-site");
  if (site != "cross-site" && site != "same-site") return false;
  return request.path != "/" || request.header("sec-fetch-mode") != "navigate";
}

}  // namespace

/// Explains why tasks wait. Keeps explanations for half a second, because the search takes locks that workers also
/// need.
class WhyAnswers {
 public:
  explicit WhyAnswers(const ServiceViewSource& source) : source_(source) {}

  /// Returns the explanation as JSON; nothing if there is no such session.
  std::optional<std::string> of(std::optional<std::uint64_t> session) {
    constexpr std::chrono::milliseconds kKept{500};
    const LockGuard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(kept_, [&](const auto& one) { return now - one.second.made > kKept; });
    const auto found = kept_.find(session);
    if (found != kept_.end()) return found->second.json;
    const auto report = source_.why(session);
    if (!report) return std::nullopt;
    Json json = Json::parse(report->to_json());
    json["text"] = report->to_text();
    const std::string text = json.dump();
    kept_[session] = {std::chrono::steady_clock::now(), text};
    return text;
  }

 private:
  struct Kept {
    std::chrono::steady_clock::time_point made;
    std::string json;
  };
  const ServiceViewSource& source_;
  Mutex mutex_;
  std::map<std::optional<std::uint64_t>, Kept> kept_ TROUPE_GUARDED_BY(mutex_);
};

namespace {

/// Returns the failure to listen at the address; `error` is the errno.
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
        listener({.time = std::chrono::ceil<std::chrono::milliseconds>(options.request_time)},
                 [this](const HttpRequest& request) { return respond(request); }) {}

  Result<void> listen() {
    const int error = listener.start(address, options.port);
    if (error != 0) return cannot_listen(address, options.port, error);
    return {};
  }

  HttpResponse respond(const HttpRequest& request) {
    HttpResponse response = why_refused(request).value_or(HttpResponse{.status = 0});
    if (response.status == 0) response = give(request);
    const bool with_cookie = !options.token.empty() && is_token(request.parameter("token").value_or(""));
    if (with_cookie) {
      response.headers.emplace_back(
          "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name(), session_key));
    }
    for (const auto& [name, value] : kHeaders) response.headers.emplace_back(name, value);
    return response;
  }

  /// Returns the response that refuses the request; nothing if the request is allowed.
  [[nodiscard]] std::optional<HttpResponse> why_refused(const HttpRequest& request) const {
    if (request.method != "GET" && request.method != "HEAD") {
      HttpResponse response = answer(405, "this server is read-only: it answers GET and HEAD");
      response.headers.emplace_back("Allow", "GET, HEAD");
      return response;
    }
    if (!request.header("range").empty()) {
      return answer(400, "this server sends whole answers only: leave out the header Range");
    }
    if (comes_from_another_site(request)) {
      return answer(403, "this server answers no requests that pages of other sites make");
    }
    if (!options.token.empty()) return why_refused_without_token(request);
    if (names_loopback(request.header("host"))) return std::nullopt;
    return answer(403, "this server answers requests to this machine's own address only, such as 127.0.0.1");
  }

  [[nodiscard]] std::optional<HttpResponse> why_refused_without_token(const HttpRequest& request) const {
    // The name of an authorization scheme may be in upper or lower case.
    constexpr std::string_view kScheme = "bearer ";
    const std::string_view authorization = request.header("authorization");
    if (in_lower_case(authorization.substr(0, kScheme.size())) == kScheme &&
        is_token(authorization.substr(kScheme.size())))
      return std::nullopt;
    if (equal_in_constant_time(cookie_value(request.header("cookie"), cookie_name()), session_key)) return std::nullopt;
    if (is_token(request.parameter("token").value_or(""))) {
      if (request.path != "/") return std::nullopt;
      // The client is redirected to a path without the token, so that the address bar and the history do not keep it.
      HttpResponse response = answer(303, "the token has become a cookie");
      response.headers.emplace_back("Location", "/");
      return response;
    }
    HttpResponse response =
        answer(401, "this server wants its token: as `Authorization: Bearer TOKEN`, or once as /?token=TOKEN");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"troupe\"");
    return response;
  }

  [[nodiscard]] bool is_token(std::string_view text) const { return equal_in_constant_time(text, options.token); }
  /// The cookie's name contains the port, because browsers share cookies between all ports of a host: two services on
  /// one machine must not overwrite each other's cookies.
  [[nodiscard]] std::string cookie_name() const { return fmt::format("troupe_{}", listener.port()); }

  HttpResponse give(const HttpRequest& request) {
    if (request.path == "/metrics") {
      return {.media_type = kPrometheusMediaType, .body = prometheus_text(*history.look())};
    }
    if (request.path == "/view.json") return give_view(request);
    if (request.path == "/why.json") return give_why(request);
    const std::string_view name = request.path == "/" ? "index.html" : std::string_view(request.path).substr(1);
    for (const PageFile& file : page_files()) {
      const bool asked = file.name == name && (request.path == "/" || file.name != "index.html");
      if (asked) return {.media_type = media_type(file.name), .body = std::string(file.text)};
    }
    return answer(404, "there is nothing here: see /, /metrics and /view.json");
  }

  HttpResponse give_view(const HttpRequest& request) {
    const auto view = history.look();
    if (!request.parameter("since")) return json_answer(view_to_text(*view));
    const auto since = number(request, "since");
    if (!since) return answer(400, "since: expected the number of a sample");
    Json json = view_as_json(*view);
    json["samples"] = history.samples_since(*since);
    return json_answer(json.dump());
  }

  HttpResponse give_why(const HttpRequest& request) {
    const auto session = number(request, "session");
    if (request.parameter("session") && !session) return answer(400, "session: expected its number");
    const auto text = why.of(session);
    return text ? json_answer(*text) : answer(404, "there is no such session");
  }

  const HttpOptions options;
  const HttpAddress address;
  const std::string session_key = random_key();
  ViewHistory history;
  WhyAnswers why;
  HttpListener listener;
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
  auto state = std::make_unique<State>(source, options, address.value());
  if (auto listening = state->listen(); !listening) return listening.failure();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

std::string HttpServer::url() const { return fmt::format("http://{}/", with_port(state_->address, port())); }
std::uint16_t HttpServer::port() const { return state_->listener.port(); }

}  // namespace troupe::service
