/// Serves the page for an invented service until the end of standard input, so that a person can look at the page.
///
///     page_server [PORT [ADDRESS TOKEN]]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "service/http/http_server.hpp"
#include "tests/service/views/fake_view_source.hpp"

int main(int argc, char** argv) {
  using namespace troupe;
  service::HttpOptions options;
  if (argc > 1) options.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  if (argc > 2) options.address = argv[2];
  if (argc > 3) options.token = argv[3];
  const tests::FakeViewSource source(8000);
  const auto server = service::HttpServer::start(source, options);
  if (!server) {
    fmt::print(stderr, "{}\n", server.failure().message);
    return 1;
  }
  fmt::print("{}\n", server.value()->url());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
