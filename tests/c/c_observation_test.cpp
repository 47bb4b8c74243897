// Tests the options that C programs give to a runtime, and the reports that they get.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "proto/json/json.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/troupe.h"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(c_observation)

namespace {

troupe_options options_of(int cores) {
  troupe_options options{};
  options.size = sizeof options;
  options.cores = cores;
  static const char* const more[] = {"oversubscribe=true", "bind=false", nullptr};
  options.more = more;
  return options;
}

troupe_runtime* started(const troupe_options& options) {
  troupe_runtime* runtime = nullptr;
  BOOST_REQUIRE_MESSAGE(troupe_start_with(&options, &runtime) == TROUPE_OK, troupe_error_message());
  return runtime;
}

std::string taken(char* text) {
  const std::string copy = text;
  troupe_text_free(text);
  return copy;
}

template <class Call>
std::string text_of(Call call) {
  char* text = nullptr;
  BOOST_REQUIRE_MESSAGE(call(&text) == TROUPE_OK, troupe_error_message());
  return taken(text);
}

int nothing(const troupe_kernel_context*, void*) { return 0; }
double a_thousand(const troupe_kernel_context*, void* user) { return *static_cast<double*>(user); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_trace_is_taken_written_and_explained) {
  const TemporaryFolder folder;
  troupe_options options = options_of(1);
  options.trace = 1;
  troupe_runtime* runtime = started(options);
  double flops = 1000;
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("nothing", nullptr, 0, nullptr, 0, nothing, &flops, nullptr, &codelet) == TROUPE_OK);
  BOOST_TEST(troupe_codelet_set_flops(codelet, a_thousand) == TROUPE_OK);
  for (int i = 0; i < 7; ++i) {
    BOOST_TEST(troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  }
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK);
  troupe_trace* trace = nullptr;
  BOOST_TEST(troupe_take_trace(runtime, &trace) == TROUPE_OK);
  uint64_t tasks = 0;
  BOOST_TEST(troupe_trace_tasks(trace, &tasks) == TROUPE_OK);
  BOOST_TEST(tasks == 7U);
  BOOST_TEST(troupe_trace_write(trace, folder.path("t.json").c_str(), "from C") == TROUPE_OK);
  const std::string file = folder.read("t.json");
  BOOST_TEST(contains(file, "from C"));
  BOOST_TEST(contains(file, "GFlop/s"));
  BOOST_TEST(contains(text_of([&](char** text) { return troupe_trace_report(trace, TROUPE_TEXT, text); }), "nothing"));
  const auto json = Json::parse(text_of([&](char** text) { return troupe_trace_report(trace, 1, text); }));
  BOOST_TEST(json["tasks"] == 7);
  troupe_trace_free(trace);
  troupe_codelet_free(codelet);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(why_metrics_and_report_are_text_and_json) {
  troupe_runtime* runtime = started(options_of(2));
  double x = 0;
  troupe_data* data = nullptr;
  BOOST_TEST(troupe_register(runtime, TROUPE_DOUBLE, &x, 1, 1, 1, "the data", &data) == TROUPE_OK);
  troupe_hold* hold = nullptr;
  BOOST_TEST(troupe_acquire(runtime, troupe_data_handle(data), TROUPE_WRITE, &hold) == TROUPE_OK);
  const troupe_mode mode = TROUPE_READ;
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("wait", &mode, 1, nullptr, 0, nothing, nullptr, nullptr, &codelet) == TROUPE_OK);
  const troupe_access access{troupe_data_handle(data), TROUPE_DECLARED};
  BOOST_TEST(troupe_submit(runtime, codelet, &access, 1, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  BOOST_TEST(contains(text_of([&](char** text) { return troupe_why(runtime, TROUPE_TEXT, text); }), "the data"));
  const auto why = Json::parse(text_of([&](char** text) { return troupe_why(runtime, TROUPE_JSON, text); }));
  BOOST_TEST(why["waiting"] == 1);
  troupe_hold_free(hold);
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK);
  BOOST_TEST(contains(text_of([&](char** text) { return troupe_metrics(runtime, TROUPE_TEXT, text); }), "supervisor"));
  const auto metrics = Json::parse(text_of([&](char** text) { return troupe_metrics(runtime, TROUPE_JSON, text); }));
  BOOST_TEST(metrics["mailboxes"].size() == 3U);
  const std::string report = text_of([&](char** text) { return troupe_report(runtime, text); });
  BOOST_TEST(contains(report, "cpu core 1"));
  troupe_codelet_free(codelet);
  BOOST_TEST(troupe_data_free(data) == TROUPE_OK);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(options_reach_the_runtime) {
  troupe_options options = options_of(3);
  options.policy = "heft";
  const char* const more[] = {"oversubscribe=true",          "bind=false", "clusters=1x2", "regroup=true",
                              "emulated_gpus=1:memory=1MiB", nullptr};
  options.more = more;
  troupe_runtime* runtime = started(options);
  const std::string report = text_of([&](char** text) { return troupe_report(runtime, text); });
  BOOST_TEST(contains(report, "emulated GPU 0"));
  const auto why = Json::parse(text_of([&](char** text) { return troupe_why(runtime, TROUPE_JSON, text); }));
  BOOST_TEST(why["policy"] == "heft");
  BOOST_TEST(troupe_regroup(runtime, "single") == TROUPE_OK);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(the_environment_holds_for_programs_in_c) {
  const EnvironmentVariable policy("TROUPE_POLICY", "heft");
  troupe_runtime* runtime = nullptr;
  BOOST_TEST(troupe_start(1, nullptr, &runtime) == TROUPE_OK);
  const auto why = Json::parse(text_of([&](char** text) { return troupe_why(runtime, TROUPE_JSON, text); }));
  BOOST_TEST(why["policy"] == "heft");
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(a_stall_is_told) {
  troupe_options options = options_of(1);
  options.why_after = 0.01;
  static std::atomic<bool> told{false};
  told = false;
  options.on_stall = [](const char* why, void*) { told = told || contains(why, "stuck"); };
  troupe_runtime* runtime = started(options);
  const auto stuck = [](const troupe_kernel_context*, void*) {
    for (int i = 0; i < 2000 && !told; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return told ? 0 : 1;
  };
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("stuck", nullptr, 0, nullptr, 0, stuck, nullptr, nullptr, &codelet) == TROUPE_OK);
  BOOST_TEST(troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK);
  troupe_codelet_free(codelet);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
}

namespace {

troupe_runtime* on_described_machine() {
  troupe_options options{};
  options.size = sizeof options;
  options.platform = "idgraf-double";
  options.cores = 4;
  options.gpus = 2;
  options.policy = "heft";
  return started(options);
}

/// Returns the number of operations of a product of square matrices.
double product(const troupe_kernel_context* context, void*) {
  int64_t rows = 0;
  troupe_kernel_data(context, 0, &rows, nullptr, nullptr);
  return 2.0 * static_cast<double>(rows * rows * rows);
}

/// Runs ten tasks, one after the other, on a matrix with `n` rows and columns. Returns the virtual time that they take.
double virtual_time_of_ten(const troupe_codelet* codelet, int64_t n, const troupe_value* values = nullptr,
                           size_t count = 0) {
  troupe_runtime* runtime = on_described_machine();
  troupe_data* data = nullptr;
  BOOST_TEST(troupe_allocate(runtime, TROUPE_DOUBLE, n, n, nullptr, &data) == TROUPE_OK);
  const troupe_access access{troupe_data_handle(data), TROUPE_DECLARED};
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(troupe_submit(runtime, codelet, &access, 1, values, count, nullptr, nullptr) == TROUPE_OK,
               troupe_error_message());
  }
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK, troupe_error_message());
  double time = 0;
  BOOST_TEST(troupe_virtual_time(runtime, &time) == TROUPE_OK);
  BOOST_TEST(troupe_data_free(data) == TROUPE_OK);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
  return time;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_graph_runs_in_virtual_time_on_a_described_machine) {
  troupe_runtime* runtime = on_described_machine();
  size_t workers = 0;
  BOOST_TEST(troupe_workers(runtime, &workers) == TROUPE_OK);
  BOOST_TEST(workers == 6U);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
  const troupe_mode mode = TROUPE_READ_WRITE;
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("update", &mode, 1, nullptr, 0, nothing, nullptr, nullptr, &codelet) == TROUPE_OK);
  BOOST_TEST(troupe_codelet_timed_as(codelet, "cholesky/gemm/double") == TROUPE_OK);
  BOOST_TEST(troupe_codelet_set_flops(codelet, product) == TROUPE_OK);
  const double small = virtual_time_of_ten(codelet, 512);
  const double large = virtual_time_of_ten(codelet, 1024);
  BOOST_TEST(small > 0);
  BOOST_TEST(large > 2 * small);
  BOOST_TEST(large < 10);
  troupe_codelet_free(codelet);
}

BOOST_AUTO_TEST_CASE(operations_of_a_declared_codelet_depend_on_its_arguments) {
  const troupe_mode mode = TROUPE_READ_WRITE;
  const troupe_type type = TROUPE_DOUBLE;
  const auto argument = [](const troupe_kernel_context* context, void*) {
    const void* const edge = troupe_kernel_argument(context, 0);
    const double n = edge == nullptr ? 0 : *static_cast<const double*>(edge);
    return 2 * n * n * n;
  };
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_declare("elsewhere", &mode, 1, &type, 1, &codelet) == TROUPE_OK);
  BOOST_TEST(troupe_codelet_set_flops(codelet, argument) == TROUPE_OK);
  BOOST_TEST(troupe_codelet_timed_as(codelet, "cholesky/gemm/double") == TROUPE_OK);
  double edge = 512;
  const troupe_value value{TROUPE_DOUBLE, &edge};
  const double small = virtual_time_of_ten(codelet, 4, &value, 1);
  edge = 1024;
  BOOST_TEST(virtual_time_of_ten(codelet, 4, &value, 1) > 2 * small);
  troupe_codelet_free(codelet);
}

BOOST_AUTO_TEST_CASE(a_codelet_that_lacked_its_time_gets_it) {
  const troupe_mode mode = TROUPE_READ_WRITE;
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("timeless", &mode, 1, nullptr, 0, nothing, nullptr, nullptr, &codelet) == TROUPE_OK);
  BOOST_TEST(troupe_codelet_set_flops(codelet, product) == TROUPE_OK);
  troupe_runtime* runtime = on_described_machine();
  troupe_data* data = nullptr;
  BOOST_TEST(troupe_allocate(runtime, TROUPE_DOUBLE, 512, 512, nullptr, &data) == TROUPE_OK);
  const troupe_access access{troupe_data_handle(data), TROUPE_DECLARED};
  const auto submit = [&] { return troupe_submit(runtime, codelet, &access, 1, nullptr, 0, nullptr, nullptr); };
  BOOST_TEST(submit() == TROUPE_BAD_INPUT);
  BOOST_TEST(troupe_codelet_timed_as(codelet, "cholesky/gemm/double") == TROUPE_OK);
  BOOST_TEST(submit() == TROUPE_OK, troupe_error_message());
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK, troupe_error_message());
  troupe_codelet_free(codelet);
  BOOST_TEST(troupe_data_free(data) == TROUPE_OK);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(tasks_name_their_devices) {
  troupe_runtime* runtime = started(options_of(2));
  const auto where = [](const troupe_kernel_context* context, void* user) {
    *static_cast<int*>(user) = troupe_kernel_worker(context);
    return 0;
  };
  int worker = -1;
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("where", nullptr, 0, nullptr, 0, where, &worker, nullptr, &codelet) == TROUPE_OK);
  troupe_task_options options{};
  for (int wanted : {1, 0}) {
    const std::string device = "#" + std::to_string(wanted);
    options.devices = device.c_str();
    BOOST_TEST(troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, &options, nullptr) == TROUPE_OK);
    BOOST_TEST(troupe_wait(runtime) == TROUPE_OK);
    BOOST_TEST(worker == wanted);
  }
  options.devices = "gpus";
  BOOST_TEST(troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, &options, nullptr) == TROUPE_NO_IMPLEMENTATION);
  troupe_codelet_free(codelet);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(kernels_that_run_learn_of_their_cancellation_and_of_their_deadline) {
  troupe_runtime* runtime = started(options_of(1));
  std::atomic<int> runs{0};
  const auto asks = [](const troupe_kernel_context* context, void* user) {
    ++*static_cast<std::atomic<int>*>(user);
    while (troupe_kernel_cancelled(context) == 0) std::this_thread::yield();
    return 0;
  };
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("asks", nullptr, 0, nullptr, 0, asks, &runs, nullptr, &codelet) == TROUPE_OK);
  troupe_future future{};
  BOOST_TEST(troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, nullptr, &future) == TROUPE_OK);
  while (runs == 0) std::this_thread::yield();
  BOOST_TEST(troupe_future_cancel(future) == TROUPE_OK);
  BOOST_TEST(troupe_future_wait(future) == TROUPE_CANCELLED);
  BOOST_TEST(std::string(troupe_error_message()).find("its kernel was told") != std::string::npos);
  troupe_task_options options{};
  options.deadline_s = 0.05;
  BOOST_TEST(troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, &options, &future) == TROUPE_OK);
  BOOST_TEST(troupe_future_wait(future) == TROUPE_CANCELLED);
  BOOST_TEST(std::string(troupe_error_message()).find("its deadline passed") != std::string::npos);
  options.deadline_s = 1e300;
  troupe_codelet* ends = nullptr;
  const auto nothing = [](const troupe_kernel_context*, void*) { return 0; };
  BOOST_TEST(troupe_codelet_define("ends", nullptr, 0, nullptr, 0, nothing, nullptr, nullptr, &ends) == TROUPE_OK);
  BOOST_TEST(troupe_submit(runtime, ends, nullptr, 0, nullptr, 0, &options, &future) == TROUPE_OK);
  BOOST_TEST(troupe_future_wait(future) == TROUPE_OK);
  troupe_codelet_free(ends);
  troupe_codelet_free(codelet);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_CANCELLED);
}

BOOST_AUTO_TEST_CASE(the_version_is_three_numbers) {
  int major = -1, minor = -1, patch = -1;
  BOOST_TEST(std::sscanf(troupe_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
