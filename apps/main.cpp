/// The program `troupe`.
#include <CLI/CLI.hpp>
#include <cstdlib>

#include "apps/command_line.hpp"
#include "client/version.hpp"
#include "platform/machine/process_limits.hpp"

int main(int argc, char** argv) {
  using namespace troupe::apps;
  CLI::App application("Troupe: an actor-based dataflow runtime for machines with many cores.", "troupe");
  application.set_version_flag("--version", troupe::describe(troupe::version()));
  application.require_subcommand(0, 1);  // none: a better message, later
  Command command;
  add_solve_command(application, command);
  add_run_command(application, command);
  add_simulate_command(application, command);
  add_experiment_command(application, command);
  add_model_command(application, command);
  add_info_command(application, command);
  add_bench_command(application, command);
#ifdef TROUPE_HAS_SERVICE
  add_serve_command(application, command);
  add_submit_command(application, command);
  add_status_command(application, command);
  add_jobs_command(application, command);
  add_cancel_command(application, command);
  add_why_command(application, command);
  add_top_command(application, command);
  add_metrics_command(application, command);
#endif
  const int code = run_command_line(application, command, argc, argv);
  // Everything has been written. Where addresses are scarce, OpenBLAS's own threads look for their work space for ever,
  // and its destructor waits for them.
  if (troupe::platform::address_space_left()) std::_Exit(code);
  return code;
}
