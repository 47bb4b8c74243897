// Calls every function of the C interface with invalid arguments. Each call must return an error with a text, and never
// crash.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <regex>
#include <set>
#include <string>

#include "tests/c/wrong_calls.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(c_arguments)

namespace {

constexpr troupe_error kBad = TROUPE_INVALID_ARGUMENT;

double no_flops(const troupe_kernel_context*, void*) { return 0; }

Table runtime_calls() {
  return {
      {"troupe_error_message", [](Objects&) { return Calls{}; }},
      {"troupe_error_name",
       [](Objects&) {
         BOOST_TEST(std::string(troupe_error_name(-17)) == "unknown");
         return Calls{};
       }},
      {"troupe_version", [](Objects&) { return Calls{}; }},
      {"troupe_text_free", [](Objects&) { return troupe_text_free(nullptr), Calls{}; }},
      {"troupe_start_with",
       [](Objects&) {
         troupe_runtime* r = nullptr;
         const auto with = [&r](auto set) {
           troupe_options options{};
           options.size = sizeof options;
           set(options);
           return troupe_start_with(&options, &r);
         };
         const auto with_more = [&with](const char* text) {
           const char* const more[] = {text, nullptr};
           return with([&more](auto& o) { o.more = more; });
         };
         return Calls{troupe_start_with(nullptr, nullptr),
                      with([](auto& o) { o.size = 0; }),
                      with([](auto& o) { o.size = 3; }),
                      with([](auto& o) { o.size = 65537; }),
                      with([](auto& o) { o.size = std::numeric_limits<size_t>::max(); }),
                      with([](auto& o) { o.cores = -1; }),
                      with([](auto& o) { o.gpus = -1; }),
                      with([](auto& o) { o.policy = "hfet"; }),
                      with_more("clusters=2x"),
                      with_more("restrict=potrf"),
                      with_more("cpus=7-"),
                      with_more("emulated_gpus=two"),
                      with_more("eviction=fifo"),
                      with_more("no_option=1"),
                      with([](auto& o) { o.why_after = -1; }),
                      with([](auto& o) { o.why_after = std::numeric_limits<double>::quiet_NaN(); }),
                      with([](auto& o) { o.platform = "no such machine"; })};
       }},
      {"troupe_start",
       [](Objects&) {
         troupe_runtime* r = nullptr;
         return Calls{troupe_start(1, nullptr, nullptr), troupe_start(-1, nullptr, &r), troupe_start(1, "hfet", &r)};
       }},
      {"troupe_connect",
       [](Objects&) {
         troupe_runtime* r = nullptr;
         return Calls{troupe_connect(nullptr, nullptr, nullptr), troupe_connect("not/absolute", nullptr, &r)};
       }},
      {"troupe_runtime_free", [](Objects&) { return troupe_runtime_free(nullptr), Calls{}; }},
      {"troupe_workers",
       [](Objects& o) {
         size_t workers = 0;
         return Calls{troupe_workers(nullptr, &workers), troupe_workers(o.runtime, nullptr)};
       }},
      {"troupe_progress", [](Objects&) { return Calls{troupe_progress(nullptr, nullptr, nullptr)}; }},
      {"troupe_wait", [](Objects&) { return Calls{troupe_wait(nullptr)}; }},
      {"troupe_wait_for",
       [](Objects& o) {
         return Calls{troupe_wait_for(nullptr, o.handle), troupe_wait_for(o.runtime, kGarbage)};
       }},
      {"troupe_cancel", [](Objects&) { return Calls{troupe_cancel(nullptr)}; }},
      {"troupe_regroup",
       [](Objects& o) {
         return Calls{troupe_regroup(nullptr, "single"), troupe_regroup(o.runtime, nullptr),
                      troupe_regroup(o.runtime, "single")};
       }},
      {"troupe_why",
       [](Objects& o) {
         char* text = nullptr;
         return Calls{troupe_why(nullptr, TROUPE_TEXT, &text), troupe_why(o.runtime, 2, &text),
                      troupe_why(o.runtime, TROUPE_TEXT, nullptr)};
       }},
      {"troupe_metrics",
       [](Objects& o) {
         char* text = nullptr;
         return Calls{troupe_metrics(nullptr, TROUPE_TEXT, &text), troupe_metrics(o.runtime, -1, &text),
                      troupe_metrics(o.runtime, TROUPE_JSON, nullptr)};
       }},
      {"troupe_report",
       [](Objects& o) {
         char* text = nullptr;
         return Calls{troupe_report(nullptr, &text), troupe_report(o.runtime, nullptr)};
       }},
      {"troupe_virtual_time",
       [](Objects& o) {
         double time = 0;
         return Calls{troupe_virtual_time(nullptr, &time), troupe_virtual_time(o.runtime, nullptr)};
       }},
      {"troupe_take_trace",
       [](Objects& o) {
         troupe_trace* trace = nullptr;
         return Calls{troupe_take_trace(nullptr, &trace), troupe_take_trace(o.runtime, nullptr)};
       }},
      {"troupe_trace_tasks",
       [](Objects& o) {
         uint64_t tasks = 0;
         return Calls{troupe_trace_tasks(nullptr, &tasks), troupe_trace_tasks(o.trace, nullptr)};
       }},
      {"troupe_trace_write",
       [](Objects& o) {
         return Calls{troupe_trace_write(nullptr, "t.json", nullptr), troupe_trace_write(o.trace, nullptr, nullptr),
                      troupe_trace_write(o.trace, "t.txt", nullptr),
                      troupe_trace_write(o.trace, "/nonexistent/t.json", nullptr)};
       }},
      {"troupe_trace_report",
       [](Objects& o) {
         char* text = nullptr;
         return Calls{troupe_trace_report(nullptr, TROUPE_TEXT, &text), troupe_trace_report(o.trace, 5, &text),
                      troupe_trace_report(o.trace, TROUPE_TEXT, nullptr)};
       }},
      {"troupe_trace_free", [](Objects&) { return troupe_trace_free(nullptr), Calls{}; }},
  };
}

Table task_calls() {
  return {
      {"troupe_codelet_find",
       [](Objects&) {
         troupe_codelet* c = nullptr;
         return Calls{troupe_codelet_find(nullptr, &c), troupe_codelet_find("no such", &c),
                      troupe_codelet_find("gemm_nt/double", nullptr)};
       }},
      {"troupe_codelet_declare",
       [](Objects&) {
         troupe_codelet* c = nullptr;
         const int number = 99;
         return Calls{troupe_codelet_declare(nullptr, nullptr, 0, nullptr, 0, &c),
                      troupe_codelet_declare("c", nullptr, 1, nullptr, 0, &c),
                      troupe_codelet_declare("c", &number, 1, nullptr, 0, &c),
                      troupe_codelet_declare("c", nullptr, 0, nullptr, 1, &c),
                      troupe_codelet_declare("c", nullptr, 0, &number, 1, &c),
                      troupe_codelet_declare("c", nullptr, 0, nullptr, 0, nullptr)};
       }},
      {"troupe_codelet_define",
       [](Objects&) {
         troupe_codelet* c = nullptr;
         troupe_type large = 0;
         BOOST_TEST(troupe_type_define("large", 48, 8, &large) == TROUPE_OK);
         return Calls{troupe_codelet_define(nullptr, nullptr, 0, nullptr, 0, no_kernel, nullptr, nullptr, &c),
                      troupe_codelet_define("c", nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr, &c),
                      troupe_codelet_define("c", nullptr, 0, &large, 1, no_kernel, nullptr, nullptr, &c),
                      troupe_codelet_define("c", nullptr, 0, nullptr, 0, no_kernel, nullptr, nullptr, nullptr)};
       }},
      {"troupe_codelet_set_flops",
       [](Objects& o) {
         troupe_codelet* built_in = nullptr;
         BOOST_TEST(troupe_codelet_find("gemm_nt/double", &built_in) == TROUPE_OK);
         const Calls calls{troupe_codelet_set_flops(nullptr, no_flops), troupe_codelet_set_flops(o.codelet, nullptr),
                           troupe_codelet_set_flops(built_in, no_flops)};
         troupe_codelet_free(built_in);
         return calls;
       }},
      {"troupe_codelet_timed_as",
       [](Objects& o) {
         const Calls calls{troupe_codelet_timed_as(nullptr, "x"), troupe_codelet_timed_as(o.codelet, nullptr)};
         BOOST_TEST(troupe_submit(o.runtime, o.codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
         BOOST_TEST(troupe_codelet_timed_as(o.codelet, "x") == kBad);
         return calls;
       }},
      {"troupe_codelet_free", [](Objects&) { return troupe_codelet_free(nullptr), Calls{}; }},
      {"troupe_kernel_data_count",
       [](Objects&) {
         BOOST_TEST(troupe_kernel_data_count(nullptr) == 0U);
         return Calls{};
       }},
      {"troupe_kernel_data",
       [](Objects&) {
         BOOST_TEST(troupe_kernel_data(nullptr, 0, nullptr, nullptr, nullptr) == nullptr);
         return Calls{};
       }},
      {"troupe_kernel_volume",
       [](Objects&) {
         BOOST_TEST(troupe_kernel_volume(nullptr, 0, nullptr) == nullptr);
         return Calls{};
       }},
      {"troupe_kernel_argument",
       [](Objects&) {
         BOOST_TEST(troupe_kernel_argument(nullptr, 0) == nullptr);
         return Calls{};
       }},
      {"troupe_kernel_data_type",
       [](Objects&) {
         troupe_type type = 0;
         return Calls{troupe_kernel_data_type(nullptr, 0, &type)};
       }},
      {"troupe_kernel_argument_type",
       [](Objects&) {
         troupe_type type = 0;
         return Calls{troupe_kernel_argument_type(nullptr, 0, &type)};
       }},
      {"troupe_kernel_worker",
       [](Objects&) {
         BOOST_TEST(troupe_kernel_worker(nullptr) == -1);
         return Calls{};
       }},
      {"troupe_kernel_cancelled",
       [](Objects&) {
         BOOST_TEST(troupe_kernel_cancelled(nullptr) == 0);
         return Calls{};
       }},
      {"troupe_kernel_fail", [](Objects&) { return troupe_kernel_fail(nullptr, nullptr), Calls{}; }},
      {"troupe_submit",
       [](Objects& o) {
         const troupe_access good{o.handle, TROUPE_READ};
         const troupe_access garbage{kGarbage, TROUPE_READ};
         const troupe_access no_mode{o.handle, 42};
         const troupe_value no_value{TROUPE_DOUBLE, nullptr};
         const troupe_value no_type{4242, &o.x};
         troupe_task_options no_after{};
         no_after.after_count = 1;
         troupe_task_options empty_after{};
         empty_after.after = &kNoFuture;
         empty_after.after_count = 1;
         troupe_task_options no_devices{};
         no_devices.devices = "";
         troupe_task_options past{};
         past.deadline_s = -1;
         troupe_task_options no_deadline{};
         no_deadline.deadline_s = std::numeric_limits<double>::quiet_NaN();
         const auto submit = [&](const troupe_access* access, size_t count, const troupe_value* value, size_t values,
                                 const troupe_task_options* options) {
           return troupe_submit(o.runtime, o.codelet, access, count, value, values, options, nullptr);
         };
         return Calls{troupe_submit(nullptr, o.codelet, nullptr, 0, nullptr, 0, nullptr, nullptr),
                      troupe_submit(o.runtime, nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr),
                      submit(nullptr, 1, nullptr, 0, nullptr),
                      submit(&good, 1, nullptr, 0, nullptr),
                      submit(&garbage, 1, nullptr, 0, nullptr),
                      submit(&no_mode, 1, nullptr, 0, nullptr),
                      submit(nullptr, 0, nullptr, 1, nullptr),
                      submit(nullptr, 0, &no_value, 1, nullptr),
                      submit(nullptr, 0, &no_type, 1, nullptr),
                      submit(nullptr, 0, nullptr, 0, &no_after),
                      submit(nullptr, 0, nullptr, 0, &empty_after),
                      submit(nullptr, 0, nullptr, 0, &no_devices),
                      submit(nullptr, 0, nullptr, 0, &past),
                      submit(nullptr, 0, nullptr, 0, &no_deadline)};
       }},
      {"troupe_future_wait",
       [](Objects&) {
         return Calls{troupe_future_wait(kNoFuture), troupe_future_wait({99999, nullptr, 1})};
       }},
      {"troupe_future_status",
       [](Objects&) {
         troupe_status status;
         return Calls{troupe_future_status(kNoFuture, &status), troupe_future_status(kNoFuture, nullptr)};
       }},
      {"troupe_future_cancel", [](Objects&) { return Calls{troupe_future_cancel(kNoFuture)}; }},
      {"troupe_record",
       [](Objects& o) {
         troupe_recording* r = nullptr;
         return Calls{troupe_record(nullptr, no_program, nullptr, nullptr, &r),
                      troupe_record(o.runtime, nullptr, nullptr, nullptr, &r),
                      troupe_record(o.runtime, no_program, nullptr, nullptr, nullptr),
                      troupe_record(
                          o.runtime, [](void*) { return 3; }, nullptr, nullptr, &r)};
       }},
      {"troupe_run",
       [](Objects& o) {
         const troupe_rebinding garbage{kGarbage, kGarbage};
         return Calls{troupe_run(nullptr, nullptr, 0, nullptr), troupe_run(o.recording, nullptr, 1, nullptr),
                      troupe_run(o.recording, &garbage, 1, nullptr)};
       }},
      {"troupe_recording_free", [](Objects&) { return troupe_recording_free(nullptr), Calls{}; }},
      {"troupe_factorize",
       [](Objects& o) {
         troupe_factorization* f = nullptr;
         double a = 1;
         return Calls{troupe_factorize(nullptr, 0, TROUPE_DOUBLE, &a, 1, 1, 1, 0, &f),
                      troupe_factorize(o.runtime, 9, TROUPE_DOUBLE, &a, 1, 1, 1, 0, &f),
                      troupe_factorize(o.runtime, 0, TROUPE_BOOL, &a, 1, 1, 1, 0, &f),
                      troupe_factorize(o.runtime, 0, TROUPE_DOUBLE, nullptr, 1, 1, 1, 0, &f),
                      troupe_factorize(o.runtime, 0, TROUPE_DOUBLE, &a, -1, 1, 1, 0, &f),
                      troupe_factorize(o.runtime, 0, TROUPE_DOUBLE, &a, 1, 1, 0, 0, &f),
                      troupe_factorize(o.runtime, 0, TROUPE_DOUBLE, &a, 1, 1, 1, -1, &f),
                      troupe_factorize(o.runtime, 0, TROUPE_DOUBLE, &a, 1, 1, 1, 0, nullptr)};
       }},
      {"troupe_factorization_solve",
       [](Objects& o) {
         double b[2] = {1, 1};
         return Calls{
             troupe_factorization_solve(nullptr, b, 1, 1, 1), troupe_factorization_solve(o.factors, nullptr, 1, 1, 1),
             troupe_factorization_solve(o.factors, b, 2, 1, 2), troupe_factorization_solve(o.factors, b, 1, -1, 1),
             troupe_factorization_solve(o.factors, b, 1, 1, 0)};
       }},
      {"troupe_factorization_free", [](Objects&) { return troupe_factorization_free(nullptr), Calls{}; }},
  };
}

bool says(const std::string& part) { return std::string(troupe_error_message()).find(part) != std::string::npos; }

/// Returns every function that the header declares.
std::set<std::string> declared() {
  std::ifstream in(std::string(TROUPE_SOURCE_DIR) + "/include/troupe/troupe.h");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::regex function("^(?:[a-z_0-9]+ )*(?:const )?[a-z_0-9]+\\*? (troupe_[a-z_]+)\\(");
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    std::smatch match;
    if (line.find("typedef") == std::string::npos && std::regex_search(line, match, function)) names.insert(match[1]);
    begin = end + 1;
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_means_nothing_is_an_error_with_a_text_everywhere) {
  Objects objects;
  std::set<std::string> called;
  for (const Table& table : {calls_on_data(), runtime_calls(), task_calls()}) {
    for (const auto& [name, call] : table) {
      called.insert(name);
      const Calls outcomes = call(objects);
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const auto& [code, message] = outcomes[i];
        BOOST_TEST(code != TROUPE_OK, name << ", call " << i);
        BOOST_TEST(code != TROUPE_INTERNAL, name << ", call " << i << ": " << message);
        BOOST_TEST(message.size() > 10U, name << ", call " << i << ": '" << message << "'");
      }
    }
  }
  BOOST_TEST(called == declared(), boost::test_tools::per_element());
  // None of these calls has changed the valid objects.
  BOOST_TEST(troupe_wait(objects.runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(errors_name_what_is_wrong_and_what_to_do_instead) {
  Objects objects;
  troupe_type own = 0;
  BOOST_TEST(troupe_type_define("a pair", 16, 8, &own) == TROUPE_OK);
  troupe_data* data = nullptr;
  BOOST_TEST(troupe_allocate(objects.runtime, own, 1, 1, nullptr, &data) == TROUPE_OK);
  BOOST_TEST(troupe_set_sum(objects.runtime, troupe_data_handle(data), own) == kBad);
  BOOST_TEST(says("use troupe_set_reduction"), troupe_error_message());
  BOOST_TEST(troupe_data_free(data) == TROUPE_OK);
  troupe_codelet* built_in = nullptr;
  BOOST_TEST(troupe_codelet_find("gemm_nt/double", &built_in) == TROUPE_OK);
  BOOST_TEST(troupe_codelet_set_flops(built_in, no_flops) == kBad);
  BOOST_TEST(says("comes with Troupe"), troupe_error_message());
  BOOST_TEST(troupe_codelet_timed_as(built_in, "x") == kBad);
  BOOST_TEST(says("comes with Troupe"), troupe_error_message());
  troupe_codelet_free(built_in);
}

BOOST_AUTO_TEST_CASE(a_codelet_that_declares_no_arguments_takes_none) {
  Objects objects;
  const double number = 1.5;
  const troupe_value values[] = {{TROUPE_DOUBLE, &number}, {TROUPE_DOUBLE, &number}};
  const auto submit = [&](troupe_codelet* codelet, size_t arguments) {
    return troupe_submit(objects.runtime, codelet, nullptr, 0, values, arguments, nullptr, nullptr);
  };
  BOOST_TEST(submit(objects.codelet, 1) == TROUPE_SIGNATURE_MISMATCH);
  BOOST_TEST(says("codelet 'c' declares no arguments by value, and the task has 1"), troupe_error_message());
  BOOST_TEST(submit(objects.codelet, 2) == TROUPE_SIGNATURE_MISMATCH);
  BOOST_TEST(submit(objects.codelet, 0) == TROUPE_OK);
  troupe_codelet* one = nullptr;
  const troupe_type type = TROUPE_DOUBLE;
  BOOST_TEST(troupe_codelet_define("one", nullptr, 0, &type, 1, no_kernel, nullptr, nullptr, &one) == TROUPE_OK);
  BOOST_TEST(submit(one, 0) == TROUPE_SIGNATURE_MISMATCH);
  BOOST_TEST(submit(one, 1) == TROUPE_OK);
  BOOST_TEST(submit(one, 2) == TROUPE_SIGNATURE_MISMATCH);
  troupe_codelet_free(one);
  BOOST_TEST(troupe_wait(objects.runtime) == TROUPE_OK);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
