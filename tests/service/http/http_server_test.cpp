#include "service/http/http_server.hpp"
#include "proto/json/json.hpp"

#include <arpa/inet.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "service/views/view_json.hpp"
#include "tests/service/views/fake_view_source.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(http_server)

namespace {

using tests::contains;
using tests::FakeViewSource;

constexpr const char* kToken = "0123456789abcdef.token";

std::unique_ptr<HttpServer> serve(const ServiceViewSource& source, const HttpOptions& options = {}) {
  return HttpServer::start(source, options).value_or_throw();
}

httplib::Client client_of(const HttpServer& server) {
  httplib::Client client("127.0.0.1", server.port());
  client.set_read_timeout(60);
  return client;
}

std::string refusal(const HttpOptions& options, ErrorCode code) {
  const FakeViewSource source;
  const auto server = HttpServer::start(source, options);
  BOOST_TEST_REQUIRE(!server);
  BOOST_TEST(to_string(server.failure().code) == to_string(code));
  return server.failure().message;
}

/// The process ignores SIGPIPE, because httplib's client writes to connections that the server has closed.
[[maybe_unused]] const auto kBefore = std::signal(SIGPIPE, SIG_IGN);

/// Returns a connection to the server, for requests that no correct client sends.
platform::FileDescriptor connect_to(const HttpServer& server) {
  platform::FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  BOOST_REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  timeval patience{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  return fd;
}

/// Sends as much of the text as the server accepts.
void send_text(const platform::FileDescriptor& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Receives all bytes until the server closes the connection.
std::string receive_all(const platform::FileDescriptor& fd) {
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::recv(fd.get(), buffer, sizeof(buffer), 0)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(got));
  }
  return all;
}

BOOST_AUTO_TEST_CASE(it_gives_the_page_the_metrics_the_view_and_why) {
  const FakeViewSource source(100);
  const auto server = serve(source);
  BOOST_TEST(server->url() == "http://127.0.0.1:" + std::to_string(server->port()) + "/");
  auto client = client_of(*server);
  const auto page = client.Get("/");
  BOOST_REQUIRE(page);
  BOOST_TEST(page->status == 200);
  BOOST_TEST(contains(page->body, "<title>Troupe</title>"));
  BOOST_TEST(page->get_header_value("Content-Type") == "text/html; charset=utf-8");
  for (const char* file : {"/page.js", "/model.js", "/panels.js", "/charts.js", "/words.js", "/page.css"}) {
    const auto found = client.Get(file);
    BOOST_REQUIRE(found);
    BOOST_TEST(found->status == 200, file);
    BOOST_TEST(!found->body.empty());
  }
  const auto metrics = client.Get("/metrics");
  BOOST_TEST(metrics->get_header_value("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  BOOST_TEST(contains(metrics->body, "troupe_up 1\n"));
  const auto view = client.Get("/view.json");
  BOOST_TEST(view_from_text(view->body).value_or_throw().sessions.size() == 3U);
  const auto why = Json::parse(client.Get("/why.json")->body);
  BOOST_TEST(contains(why["text"].get<std::string>(), "gemm(7,3)"));
  BOOST_TEST(why["in_flight"] == 100);
  BOOST_TEST(contains(client.Get("/why.json?session=5")->body, "syrk(9)"));
}

BOOST_AUTO_TEST_CASE(answers_say_that_nothing_else_may_be_loaded_or_kept) {
  const FakeViewSource source;
  const auto server = serve(source);
  auto client = client_of(*server);
  for (const char* path : {"/", "/metrics", "/view.json", "/nothing"}) {
    const auto answer = client.Get(path);
    BOOST_REQUIRE(answer);
    BOOST_TEST(contains(answer->get_header_value("Content-Security-Policy"), "default-src 'none'"), path);
    BOOST_TEST(contains(answer->get_header_value("Content-Security-Policy"), "frame-ancestors 'none'"));
    BOOST_TEST(answer->get_header_value("X-Content-Type-Options") == "nosniff");
    BOOST_TEST(answer->get_header_value("Cross-Origin-Resource-Policy") == "same-origin");
    BOOST_TEST(answer->get_header_value("Referrer-Policy") == "no-referrer");
    BOOST_TEST(answer->get_header_value("Cache-Control") == "no-store");
    BOOST_TEST(!answer->has_header("Access-Control-Allow-Origin"));
  }
}

BOOST_AUTO_TEST_CASE(what_it_does_not_know_is_answered_in_words) {
  const FakeViewSource source;
  const auto server = serve(source);
  auto client = client_of(*server);
  const auto status = [&](const char* path) { return client.Get(path)->status; };
  BOOST_TEST(status("/nothing") == 404);
  BOOST_TEST(status("/../etc/passwd") == 404);
  BOOST_TEST(status("/pageXjs") == 404);
  BOOST_TEST(status("/why.json?session=99") == 404);
  BOOST_TEST(status("/why.json?session=-1") == 400);
  BOOST_TEST(status("/why.json?session=3x") == 400);
  BOOST_TEST(status("/view.json?since=99999999999999999999") == 400);
  BOOST_TEST(contains(client.Get("/nothing")->body, "/metrics"));
}

BOOST_AUTO_TEST_CASE(it_is_read_only) {
  const FakeViewSource source;
  const auto server = serve(source);
  auto client = client_of(*server);
  for (const auto& answer : {client.Post("/view.json", "x", "text/plain"), client.Put("/metrics", "x", "text/plain"),
                             client.Delete("/"), client.Patch("/", "x", "text/plain"), client.Options("/")}) {
    BOOST_REQUIRE(answer);
    BOOST_TEST(answer->status == 405);
    BOOST_TEST(answer->get_header_value("Allow") == "GET, HEAD");
  }
  const auto head = client.Head("/metrics");
  BOOST_TEST(head->status == 200);
  BOOST_TEST(head->body == "");
}

BOOST_AUTO_TEST_CASE(names_that_point_here_from_elsewhere_are_refused) {
  const FakeViewSource source;
  const auto server = serve(source);
  auto client = client_of(*server);
  const auto status = [&](const std::string& host) { return client.Get("/view.json", {{"Host", host}})->status; };
  for (const std::string host : {"127.0.0.1", "localhost", "LOCALHOST:9100", "127.0.0.1:9100", "[::1]", "[::1]:80"}) {
    BOOST_TEST(status(host) == 200, host);
  }
  for (const std::string host :
       {"evil.example", "evil.example:9100", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1",
        "127.0.0.1:80x", "[::2]", "[::1", "user@localhost", "localhost:evil"}) {
    BOOST_TEST(status(host) == 403, host);
  }
  const auto bare = connect_to(*server);
  send_text(bare, "GET /view.json HTTP/1.0\r\n\r\n");
  BOOST_TEST(contains(receive_all(bare), " 403 "));
}

BOOST_AUTO_TEST_CASE(other_addresses_need_a_token_that_is_worth_the_name) {
  HttpOptions options;
  options.address = "0.0.0.0";
  BOOST_TEST(contains(refusal(options, ErrorCode::invalid_argument), "set a token"));
  options.address = "::";
  BOOST_TEST(contains(refusal(options, ErrorCode::invalid_argument), "set a token"));
  options.token = "short";
  BOOST_TEST(contains(refusal(options, ErrorCode::invalid_argument), "5 characters"));
  options.token = "spaces in between these";
  const std::string said = refusal(options, ErrorCode::invalid_argument);
  BOOST_TEST(contains(said, "letters, digits"));
  BOOST_TEST(!contains(said, options.token));
  options = {};
  options.address = "node.example";
  BOOST_TEST(contains(refusal(options, ErrorCode::invalid_argument), "'node.example' is no address"));
  options.address = "203.0.113.7";
  options.token = kToken;
  BOOST_TEST(contains(refusal(options, ErrorCode::io), "no such address"));
  const FakeViewSource source;
  options.address = "0.0.0.0";
  BOOST_TEST(serve(source, options)->port() != 0);
}

BOOST_AUTO_TEST_CASE(a_token_is_asked_for_wherever_there_is_one) {
  const FakeViewSource source;
  HttpOptions options;
  options.token = kToken;
  const auto server = serve(source, options);
  auto client = client_of(*server);
  for (const char* path : {"/", "/metrics", "/view.json", "/page.js", "/nothing"}) {
    const auto answer = client.Get(path);
    BOOST_TEST(answer->status == 401, path);
    BOOST_TEST(answer->has_header("WWW-Authenticate"));
    BOOST_TEST(!contains(answer->body, "troupe_up"));
  }
  const auto with = [&](const std::string& name, const std::string& value) {
    return client.Get("/metrics", {{name, value}})->status;
  };
  BOOST_TEST(with("Authorization", std::string("Bearer ") + kToken) == 200);
  BOOST_TEST(with("Authorization", std::string("bearer ") + kToken) == 200);
  BOOST_TEST(with("Authorization", std::string("Bearer ") + kToken + "x") == 401);
  BOOST_TEST(with("Authorization", "Bearer ") == 401);
  BOOST_TEST(with("Authorization", kToken) == 401);
  BOOST_TEST(with("Cookie", "troupe_" + std::to_string(server->port()) + "=") == 401);
  BOOST_TEST(with("Cookie", "troupe_" + std::to_string(server->port()) + "=" + kToken) == 401);
  BOOST_TEST(client.Get("/metrics?token=wrong-wrong-wrong-wrong")->status == 401);
  BOOST_TEST(client.Get((std::string("/metrics?token=") + kToken).c_str())->status == 200);
}

BOOST_AUTO_TEST_CASE(a_token_in_the_address_becomes_a_cookie) {
  const FakeViewSource source;
  HttpOptions options;
  options.token = kToken;
  const auto server = serve(source, options);
  auto client = client_of(*server);
  const auto first = client.Get((std::string("/?token=") + kToken).c_str());
  BOOST_TEST(first->status == 303);
  BOOST_TEST(first->get_header_value("Location") == "/");
  const std::string cookie = first->get_header_value("Set-Cookie");
  BOOST_TEST(contains(cookie, "HttpOnly"));
  BOOST_TEST(contains(cookie, "SameSite=Strict"));
  BOOST_TEST(!contains(cookie, kToken));
  const std::string pair = cookie.substr(0, cookie.find(';'));
  BOOST_TEST(client.Get("/", {{"Cookie", "other=1; " + pair + "; more=2"}})->status == 200);
  // A cookie of another server is not valid for this one.
  const auto other = serve(source, options);
  auto elsewhere = client_of(*other);
  BOOST_TEST(elsewhere.Get("/", {{"Cookie", pair}})->status == 401);
}

BOOST_AUTO_TEST_CASE(a_port_in_use_is_said_and_zero_finds_another) {
  const FakeViewSource source;
  const auto first = serve(source);
  HttpOptions options;
  options.port = first->port();
  const std::string said = refusal(options, ErrorCode::io);
  BOOST_TEST(contains(said, "127.0.0.1:" + std::to_string(options.port)));
  BOOST_TEST(contains(said, "in use"));
  BOOST_TEST(serve(source)->port() != first->port());
}

BOOST_AUTO_TEST_CASE(a_port_can_be_had_again_at_once) {
  const FakeViewSource source;
  HttpOptions options;
  auto server = serve(source);
  options.port = server->port();
  BOOST_TEST(client_of(*server).Get("/metrics")->status == 200);
  server.reset();
  server = serve(source, options);
  BOOST_TEST(client_of(*server).Get("/metrics")->status == 200);
}

BOOST_AUTO_TEST_CASE(many_requests_share_few_views) {
  const FakeViewSource source;
  const auto server = serve(source);
  auto client = client_of(*server);
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kRequests = 200;
  for (int i = 0; i < kRequests; ++i) BOOST_REQUIRE(client.Get("/metrics")->status == 200);
  const auto took = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(source.looks <= 2 + took / std::chrono::milliseconds(100));
  BOOST_TEST(source.looks < kRequests);
  for (int i = 0; i < kRequests; ++i) BOOST_REQUIRE(client.Get("/why.json")->status == 200);
  BOOST_TEST(source.questions < kRequests);
}

BOOST_AUTO_TEST_CASE(nothing_is_looked_at_while_nobody_watches) {
  const FakeViewSource source;
  const auto server = serve(source);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  BOOST_TEST(source.looks == 0);
}

BOOST_AUTO_TEST_CASE(samples_of_what_workers_ran_come_to_whoever_watches) {
  const FakeViewSource source(100);
  const auto server = serve(source);
  auto client = client_of(*server);
  std::uint64_t last = 0;
  std::size_t seen = 0;
  for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
       seen < 10 && std::chrono::steady_clock::now() < deadline;) {
    const auto answer = client.Get(("/view.json?since=" + std::to_string(last)).c_str());
    const auto samples = Json::parse(answer->body)["samples"];
    BOOST_TEST(samples["interval_seconds"] == 0.05);
    for (const auto& row : samples["rows"]) {
      BOOST_TEST(row[0].get<std::uint64_t>() == last + 1);
      last = row[0].get<std::uint64_t>();
      BOOST_TEST(row[1].get<double>() >= 100);
      BOOST_REQUIRE(row[2].size() == 8U);
      BOOST_REQUIRE(row[3].size() == 8U);
      for (const auto& place : row[2]) {
        BOOST_TEST(place.get<int>() >= -1);
        BOOST_TEST(place.get<int>() < static_cast<int>(samples["names"].size()));
      }
      ++seen;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  BOOST_TEST(seen >= 10U);
}

BOOST_AUTO_TEST_CASE(slow_clients_keep_nobody_out_for_long) {
  const FakeViewSource source;
  HttpOptions options;
  options.request_time = std::chrono::milliseconds(500);
  const auto server = serve(source, options);
  std::vector<platform::FileDescriptor> slow;
  for (int i = 0; i < 10; ++i) {
    slow.push_back(connect_to(*server));
    send_text(slow.back(), "GET /metrics HTTP/1.1\r\nHost: local");
  }
  auto client = client_of(*server);
  const auto answer = client.Get("/metrics");
  BOOST_REQUIRE(answer);
  BOOST_TEST(answer->status == 200);
  // The server closes the slow connections without a reply to their incomplete requests.
  for (const auto& fd : slow) BOOST_TEST(!contains(receive_all(fd), "troupe_up"));
}

BOOST_AUTO_TEST_CASE(connections_that_say_nothing_keep_nobody_out) {
  const FakeViewSource source;
  HttpOptions options;
  options.request_time = std::chrono::hours(1);
  const auto server = serve(source, options);
  std::vector<platform::FileDescriptor> flood;
  for (int i = 0; i < 300; ++i) flood.push_back(connect_to(*server));
  BOOST_TEST(client_of(*server).Get("/metrics")->status == 200);
  // The server has closed the oldest connections to make room.
  BOOST_TEST(receive_all(flood.front()) == "");
  BOOST_TEST(client_of(*server).Get("/metrics")->status == 200);
}

BOOST_AUTO_TEST_CASE(requests_that_pages_of_other_sites_make_are_refused) {
  const FakeViewSource source;
  const auto server = serve(source);
  auto client = client_of(*server);
  for (const char* path : {"/", "/metrics", "/view.json", "/why.json"}) {
    for (const char* site : {"cross-site", "same-site"}) {
      const auto refused = client.Get(path, {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "no-cors"}});
      BOOST_TEST(refused->status == 403, path);
      BOOST_TEST(contains(refused->body, "no requests that pages of other sites make"));
    }
    BOOST_TEST(client.Get(path, {{"Sec-Fetch-Site", "same-origin"}})->status == 200);
    BOOST_TEST(client.Get(path, {{"Sec-Fetch-Site", "none"}})->status == 200);
  }
  BOOST_TEST(source.questions <= 2);
  // A user who follows a link from another site is allowed in.
  BOOST_TEST(client.Get("/", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}})->status == 200);
}

BOOST_AUTO_TEST_CASE(nonsense_and_endless_requests_end) {
  const FakeViewSource source;
  HttpOptions options;
  options.request_time = std::chrono::seconds(2);
  const auto server = serve(source, options);
  const std::string rest = " HTTP/1.1\r\nHost: localhost\r\n";
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "X-Header-" + std::to_string(i) + ": value\r\n";
  for (const std::string& request :
       {std::string("\0\1\2\3\r\n\r\n", 8), std::string("GET / HTTP/9.9\r\n\r\n"), std::string("GET\r\n\r\n"),
        "GET /" + std::string(100000, 'a') + rest + "\r\n", "GET /" + rest + many + "\r\n",
        "GET /" + rest + "X: " + std::string(100000, 'b') + "\r\n\r\n",
        "POST /" + rest + "Content-Length: 99999999999\r\n\r\nabc", "GET /" + rest + "Range: bytes=0-,0-,0-,0-\r\n\r\n",
        "GET /" + rest + "Host: evil.example\r\n\r\n", "GET /" + rest + "host: localhost\r\n\r\n"}) {
    const auto fd = connect_to(*server);
    send_text(fd, request);
    BOOST_TEST(!contains(receive_all(fd), "200 OK"), request.substr(0, 60));
  }
  BOOST_TEST(client_of(*server).Get("/metrics")->status == 200);
}

BOOST_AUTO_TEST_CASE(it_ends_at_once_whoever_is_connected) {
  const FakeViewSource source;
  HttpOptions options;
  options.request_time = std::chrono::hours(1);
  auto server = serve(source, options);
  std::vector<platform::FileDescriptor> waiting;
  for (int i = 0; i < 20; ++i) waiting.push_back(connect_to(*server));
  server.reset();  // A request may take up to an hour, but the server must end at once.
  for (const auto& fd : waiting) (void)receive_all(fd);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
