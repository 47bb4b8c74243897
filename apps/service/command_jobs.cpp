/// `troupe jobs`: who uses the service.
#include <fmt/format.h>
#include <pwd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/service/service_arguments.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

struct JobsArguments {
  ServiceArguments service;
  bool all = false;
};

/// Its number where the system knows no name.
std::string user_name(std::uint32_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16384);
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return std::to_string(user);
  }
  return found->pw_name;
}

nlohmann::json to_json(const remote::ServiceJob& job) {
  return {{"session", job.session},
          {"name", job.name},
          {"user", job.user},
          {"user_name", user_name(job.user)},
          {"process", job.process},
          {"weight", job.weight},
          {"state", job.state},
          {"submitted", job.submitted},
          {"ended", job.ended},
          {"failed", job.failed},
          {"worker_s", seconds(job.worker_time)},
          {"memory_bytes", job.memory.count},
          {"age_s", seconds(job.age)}};
}

void print_table(const std::vector<remote::ServiceJob>& jobs) {
  traces::Table table({{"job", traces::Align::right},
                       {"name"},
                       {"user"},
                       {"process", traces::Align::right},
                       {"state"},
                       {"tasks", traces::Align::right},
                       {"ended", traces::Align::right},
                       {"failed", traces::Align::right},
                       {"weight", traces::Align::right},
                       {"worker time", traces::Align::right},
                       {"memory", traces::Align::right},
                       {"age", traces::Align::right}});
  for (const remote::ServiceJob& job : jobs) {
    table.add_row({std::to_string(job.session), harmless(job.name), user_name(job.user), std::to_string(job.process),
                   harmless(job.state), std::to_string(job.submitted), std::to_string(job.ended),
                   std::to_string(job.failed), fmt::format("{:g}", job.weight),
                   traces::human_seconds(seconds(job.worker_time)), traces::human_bytes(job.memory),
                   traces::human_seconds(seconds(job.age))});
  }
  fmt::print("{}", table.text());
}

int list_jobs(const JobsArguments& arguments) {
  const auto jobs = connect(arguments.service).jobs(arguments.all).value_or_throw();
  if (arguments.service.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const remote::ServiceJob& job : jobs) list.push_back(to_json(job));
    fmt::print("{}\n", as_text({{"jobs", list}}));
  } else if (jobs.empty()) {
    fmt::print("no jobs\n");
  } else {
    print_table(jobs);
  }
  return kSuccess;
}

}  // namespace

void add_jobs_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<JobsArguments>();
  CLI::App* command =
      application.add_subcommand("jobs", "List the programs that use the service, as far as you may see");
  command->add_flag("--all", arguments->all, "Those that have ended too, as far as the service remembers them");
  add_service_options(*command, arguments->service);
  command->callback([arguments, &chosen] { chosen = [arguments] { return list_jobs(*arguments); }; });
}

}  // namespace troupe::apps
