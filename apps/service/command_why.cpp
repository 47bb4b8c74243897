/// `troupe why`: what the tasks of the service wait for.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <optional>

#include "apps/command_line.hpp"
#include "apps/service/service_arguments.hpp"

namespace troupe::apps {

namespace {

struct WhyArguments {
  ServiceArguments service;
  std::optional<std::uint64_t> job;
};

int why(const WhyArguments& arguments) {
  const remote::ServiceWhy answer = connect(arguments.service).why(arguments.job).value_or_throw();
  const std::string text = arguments.service.json ? answer.json : harmless(answer.text);
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  return kSuccess;
}

}  // namespace

void add_why_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<WhyArguments>();
  CLI::App* command = application.add_subcommand("why", "Say what the tasks of the service wait for");
  command->add_option("job", arguments->job, "Only of this one, by its number in `troupe jobs`")
      ->check(CLI::Range(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()));
  add_service_options(*command, arguments->service);
  command->callback([arguments, &chosen] { chosen = [arguments] { return why(*arguments); }; });
}

}  // namespace troupe::apps
