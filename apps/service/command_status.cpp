/// `troupe status`: the service of this node.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/service/service_arguments.hpp"
#include "traces/text/human.hpp"

namespace troupe::apps {

namespace {

int status(const ServiceArguments& arguments) {
  const remote::ServiceStatus status = connect(arguments).status().value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text({{"version", status.version},
                                {"protocol_version", status.protocol_version},
                                {"process", status.process},
                                {"uptime_s", seconds(status.uptime)},
                                {"state", status.state},
                                {"policy", status.policy},
                                {"workers", status.workers},
                                {"sessions", status.sessions},
                                {"http_address", status.http_address}}));
    return kSuccess;
  }
  fmt::print("Troupe {}: {}, for {}\n", status.version, status.state, traces::human_seconds(seconds(status.uptime)));
  fmt::print("  process   {}\n", status.process);
  fmt::print("  policy    {}\n", status.policy);
  fmt::print("  workers   {}\n", status.workers);
  fmt::print("  sessions  {}\n", status.sessions);
  fmt::print("  http      {}\n", status.http_address.empty() ? "not offered" : status.http_address);
  return kSuccess;
}

}  // namespace

void add_status_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<ServiceArguments>();
  CLI::App* command = application.add_subcommand("status", "Show whether a service runs on this node, and how it is");
  add_service_options(*command, *arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return status(*arguments); }; });
}

}  // namespace troupe::apps
