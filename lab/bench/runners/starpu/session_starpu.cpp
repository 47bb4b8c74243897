#include "lab/bench/runners/starpu/session_starpu.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace troupe::bench {
namespace {

std::string make_home() {
  std::string name = (std::filesystem::temp_directory_path() / "troupe-bench-starpu-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for StarPU's files could be made");
  return name;
}

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

}  // namespace

StarpuSession::StarpuSession(int cores, std::int64_t submission_limit, const char* scheduler) : home_(make_home()) {
  set("STARPU_HOME", home_);
  set("STARPU_SILENT", "1");
  set("STARPU_FXT_TRACE", "0");
  set("STARPU_GENERATE_TRACE", "0");
  set("STARPU_PROFILING", "0");
  set("STARPU_CALIBRATE", "0");
  set("STARPU_BUS_CALIBRATE", "0");
  set("STARPU_NCPU", std::to_string(cores));
  set("STARPU_NCUDA", "0");
  set("STARPU_NOPENCL", "0");
  if (submission_limit > 0) {
    set("STARPU_LIMIT_MAX_SUBMITTED_TASKS", std::to_string(submission_limit));
    set("STARPU_LIMIT_MIN_SUBMITTED_TASKS", std::to_string(submission_limit * 9 / 10));
  }
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.sched_policy_name = scheduler;
  if (starpu_init(&conf) != 0) {
    std::filesystem::remove_all(home_);
    throw std::runtime_error("StarPU did not start");
  }
}

StarpuSession::~StarpuSession() {
  starpu_shutdown();
  std::error_code ignored;
  std::filesystem::remove_all(home_, ignored);
}

StarpuVariables::~StarpuVariables() {
  for (const starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
}

void submit(starpu_task* task) {
  if (starpu_task_submit(task) != 0) throw std::runtime_error("StarPU refused a task");
}

void initialize(starpu_codelet& codelet, const char* name, starpu_cpu_func_t function) {
  starpu_codelet_init(&codelet);
  codelet.name = name;
  codelet.where = STARPU_CPU;
  codelet.cpu_funcs[0] = function;
}

}  // namespace troupe::bench
