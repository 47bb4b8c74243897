/// The commands of `troupe`.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/command_line.hpp"
#include "troupe/version.hpp"

namespace troupe::apps {

std::unique_ptr<CLI::App> make_application(Command& chosen) {
  auto application =
      std::make_unique<CLI::App>("Troupe: an actor-based dataflow runtime for machines with many cores.", "troupe");
  application->set_version_flag("--version", describe(version()));
  application->require_subcommand(0, 1);  // A later check refuses a missing command, with a better message.
  add_solve_command(*application, chosen);
  add_run_command(*application, chosen);
  add_simulate_command(*application, chosen);
  add_experiment_command(*application, chosen);
  add_model_command(*application, chosen);
  add_info_command(*application, chosen);
  add_bench_command(*application, chosen);
#ifdef TROUPE_HAS_SERVICE
  add_serve_command(*application, chosen);
  add_submit_command(*application, chosen);
  add_status_command(*application, chosen);
  add_jobs_command(*application, chosen);
  add_cancel_command(*application, chosen);
  add_why_command(*application, chosen);
  add_top_command(*application, chosen);
  add_metrics_command(*application, chosen);
#endif
  add_help_command(*application, chosen);
  return application;
}

}  // namespace troupe::apps
