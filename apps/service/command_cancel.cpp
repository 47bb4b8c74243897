/// `troupe cancel`: ends a job of the service.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/service/service_arguments.hpp"

namespace troupe::apps {

namespace {

struct CancelArguments {
  ServiceArguments service;
  std::uint64_t job = 0;
};

int cancel(const CancelArguments& arguments) {
  const std::uint64_t tasks = connect(arguments.service).cancel_job(arguments.job).value_or_throw();
  if (arguments.service.json) {
    fmt::print("{}\n", as_text({{"session", arguments.job}, {"tasks", tasks}}));
  } else {
    fmt::print("job {}: cancelled; {} {} will not run\n", arguments.job, tasks, tasks == 1 ? "task" : "tasks");
  }
  return kSuccess;
}

}  // namespace

void add_cancel_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<CancelArguments>();
  CLI::App* command = application.add_subcommand("cancel", "Cancel the tasks of a job that have not started");
  command->add_option("job", arguments->job, "Its number, as `troupe jobs` shows it")
      ->required()
      ->check(CLI::Range(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()));
  add_service_options(*command, arguments->service);
  command->callback([arguments, &chosen] { chosen = [arguments] { return cancel(*arguments); }; });
}

}  // namespace troupe::apps
