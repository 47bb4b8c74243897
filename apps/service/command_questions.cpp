/// `troupe cancel`, `jobs`, `metrics`, `status` and `why`: questions to the service of this node.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "apps/arguments/option_values.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/service/service_arguments.hpp"
#include "platform/machine/account_names.hpp"
#include "proto/json/json.hpp"
#include "service/views/harmless_text.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

// ---- cancel ----

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

// ---- jobs ----

struct JobsArguments {
  ServiceArguments service;
  bool all = false;
};

Json to_json(const remote::SessionView& job) {
  return {{"session", job.id},
          {"name", job.name},
          {"user", job.user},
          {"user_name", platform::user_name(job.user)},
          {"process", job.process},
          {"weight", job.weight},
          {"state", job.state},
          {"submitted", job.submitted},
          {"ended", job.ended},
          {"failed", job.failed},
          {"worker_seconds", seconds(job.worker_time)},
          {"memory_bytes", job.memory.count},
          {"age_seconds", seconds(job.age)}};
}

void print_table(const std::vector<remote::SessionView>& jobs) {
  traces::Table table({">job", "name", "user", ">process", "state", ">tasks", ">ended", ">failed", ">weight",
                       ">worker time", ">memory", ">age"});
  for (const remote::SessionView& job : jobs) {
    table.add_row({std::to_string(job.id), service::harmless(job.name), platform::user_name(job.user),
                   std::to_string(job.process), service::harmless(job.state), std::to_string(job.submitted),
                   std::to_string(job.ended), std::to_string(job.failed), fmt::format("{:g}", job.weight),
                   traces::human_seconds(seconds(job.worker_time)), traces::human_bytes(job.memory),
                   traces::human_seconds(seconds(job.age))});
  }
  fmt::print("{}", table.text());
}

int list_jobs(const JobsArguments& arguments) {
  const auto jobs = connect(arguments.service).jobs(arguments.all).value_or_throw();
  if (arguments.service.json) {
    Json list = Json::array();
    for (const remote::SessionView& job : jobs) list.push_back(to_json(job));
    fmt::print("{}\n", as_text({{"jobs", list}}));
  } else if (jobs.empty()) {
    fmt::print("no jobs\n");
  } else {
    print_table(jobs);
  }
  return kSuccess;
}

// ---- status ----

int status(const ServiceArguments& arguments) {
  const remote::ServiceStatus status = connect(arguments).status().value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text({{"version", status.version},
                                {"protocol_version", status.protocol_version},
                                {"process", status.process},
                                {"age_seconds", seconds(status.uptime)},
                                {"state", status.state},
                                {"policy", status.policy},
                                {"worker_count", status.workers},
                                {"session_count", status.sessions},
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

// ---- why ----

struct WhyArguments {
  ServiceArguments service;
  std::optional<std::uint64_t> job;
};

int why(const WhyArguments& arguments) {
  const remote::ServiceWhy answer = connect(arguments.service).why(arguments.job).value_or_throw();
  const std::string text = arguments.service.json ? answer.json : service::harmless(answer.text);
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  return kSuccess;
}

}  // namespace

void add_cancel_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<CancelArguments>();
  CLI::App* command = application.add_subcommand("cancel", "Cancel the tasks of a job that have not started");
  command->add_option("job", arguments->job, "Its number, as `troupe jobs` shows it")
      ->required()
      ->transform(number_within(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()));
  add_service_options(*command, arguments->service);
  command->callback([arguments, &chosen] { chosen = [arguments] { return cancel(*arguments); }; });
}

void add_jobs_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<JobsArguments>();
  CLI::App* command =
      application.add_subcommand("jobs", "List the programs that use the service, as far as you may see");
  command->add_flag("--all", arguments->all, "Those that have ended too, as far as the service remembers them");
  add_service_options(*command, arguments->service);
  command->callback([arguments, &chosen] { chosen = [arguments] { return list_jobs(*arguments); }; });
}

void add_metrics_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<ServiceArguments>();
  CLI::App* command = application.add_subcommand("metrics", "Print a service's figures in Prometheus' text format");
  add_service_options(*command, *arguments);
  command->get_option("--json")->description("Print one JSON object: the live view, as `top --json` does");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      const remote::ServiceCalls calls = connect(*arguments);
      if (arguments->json) {
        fmt::print("{}\n", as_text(Json::parse(calls.look().value_or_throw())));
      } else {
        fmt::print("{}", calls.metrics().value_or_throw());
      }
      return kSuccess;
    };
  });
}

void add_status_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<ServiceArguments>();
  CLI::App* command = application.add_subcommand("status", "Show whether a service runs on this node, and how it is");
  add_service_options(*command, *arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return status(*arguments); }; });
}

void add_why_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<WhyArguments>();
  CLI::App* command = application.add_subcommand("why", "Say what the tasks of the service wait for");
  command->add_option("job", arguments->job, "Only of this one, by its number in `troupe jobs`")
      ->transform(number_within(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()));
  add_service_options(*command, arguments->service);
  command->callback([arguments, &chosen] { chosen = [arguments] { return why(*arguments); }; });
}

}  // namespace troupe::apps
