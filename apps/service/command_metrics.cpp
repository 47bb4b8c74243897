/// `troupe metrics`: a service's figures in Prometheus' text format.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/service/service_arguments.hpp"

namespace troupe::apps {

void add_metrics_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<ServiceArguments>();
  CLI::App* command = application.add_subcommand("metrics", "Print a service's figures in Prometheus' text format");
  add_service_options(*command, *arguments);
  command->get_option("--json")->description("Print one JSON object: the live view, as `top --json` does");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      const remote::ServiceCalls calls = connect(*arguments);
      if (arguments->json) {
        fmt::print("{}\n", as_text(nlohmann::json::parse(calls.look().value_or_throw())));
      } else {
        fmt::print("{}", calls.metrics().value_or_throw());
      }
      return kSuccess;
    };
  });
}

}  // namespace troupe::apps
