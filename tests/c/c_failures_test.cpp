// Tests that a C program hears of failures for which it never asked.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/tries.hpp"
#include "troupe/troupe.h"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(c_failures)

namespace {

/// A child process that hangs is killed after this number of seconds.
constexpr unsigned kLongEnough_s = 60;

int fail(const troupe_kernel_context* context, void*) {
  troupe_kernel_fail(context, "disk on fire");
  return 0;
}

int do_nothing(const troupe_kernel_context*, void*) { return 0; }

int sleep_long(const troupe_kernel_context*, void*) {
  ::sleep(kLongEnough_s);
  return 0;
}

troupe_runtime* started(void (*on_warning)(const char*, void*), void* user) {
  troupe_options options{};
  options.size = sizeof options;
  options.cores = 1;
  options.on_warning = on_warning;
  options.user = user;
  const char* const more[] = {"oversubscribe=true", "bind=false", nullptr};
  options.more = more;
  troupe_runtime* runtime = nullptr;
  return troupe_start_with(&options, &runtime) == TROUPE_OK ? runtime : nullptr;
}

/// Submits a task with this kernel. Returns a future without a runtime if that fails.
troupe_future submit(troupe_runtime* runtime, troupe_kernel kernel) {
  troupe_codelet* codelet = nullptr;
  troupe_future future{};
  if (troupe_codelet_define("bad", nullptr, 0, nullptr, 0, kernel, nullptr, nullptr, &codelet) != TROUPE_OK) return {};
  if (troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, nullptr, &future) != TROUPE_OK) future = {};
  troupe_codelet_free(codelet);
  return future;
}

void note(const char* what, void* user) { static_cast<std::vector<std::string>*>(user)->emplace_back(what); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// True in a child process.
bool is_child = false;

/// Ends a child after the interface for C has warned, and before the leak sanitizer complains of runtimes that are not
/// freed on purpose. Functions that were registered last are called first, and this one is registered before `main`.
[[maybe_unused]] const int ends_child = std::atexit([] {
  if (!is_child) return;
  std::fflush(nullptr);
  ::_exit(0);
});

/// Runs `program` in a child of `fork`, which then calls `exit`. Returns the status of the child and what it wrote to
/// standard error.
template <class Program>
std::pair<int, std::string> in_child(const Program& program) {
  std::array<int, 2> pipe{};
  BOOST_REQUIRE(::pipe(pipe.data()) == 0);
  // The child would write what the parent has not written yet a second time.
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kLongEnough_s);
    ::dup2(pipe[1], STDERR_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    is_child = true;
    program();
    std::exit(0);  // NOLINT: no other thread of the child calls exit
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 512> some{};
  for (ssize_t size = 0; (size = ::read(pipe[0], some.data(), some.size())) > 0;) text.append(some.data(), size);
  ::close(pipe[0]);
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
}

}  // namespace

BOOST_AUTO_TEST_CASE(freeing_a_runtime_tells_on_warning_what_no_wait_has_reported) {
  std::vector<std::string> warnings;
  troupe_runtime* runtime = started(note, &warnings);
  BOOST_REQUIRE(runtime != nullptr);
  BOOST_TEST(submit(runtime, fail).runtime != 0U);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_KERNEL_FAILED);
  BOOST_TEST(contains(troupe_error_message(), "disk on fire"));
  BOOST_TEST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(contains(warnings[0], "disk on fire"), warnings[0]);
  BOOST_TEST(contains(warnings[0], "troupe_wait in C"), warnings[0]);
}

BOOST_AUTO_TEST_CASE(a_failure_that_a_wait_has_reported_is_no_warning) {
  std::vector<std::string> warnings;
  troupe_runtime* runtime = started(note, &warnings);
  BOOST_REQUIRE(runtime != nullptr);
  BOOST_TEST(submit(runtime, fail).runtime != 0U);
  BOOST_TEST(troupe_wait(runtime) == TROUPE_KERNEL_FAILED);
  const troupe_future future = submit(runtime, fail);
  BOOST_TEST(troupe_future_wait(future) == TROUPE_KERNEL_FAILED);
  // This error reports all failures since the last wait for all tasks.
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_KERNEL_FAILED);
  BOOST_TEST(warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_program_that_ignores_the_error_of_the_runtime_or_never_frees_it_is_warned) {
  const auto [status, freed] = in_child([] {
    troupe_runtime* const runtime = started(nullptr, nullptr);
    submit(runtime, fail);
    troupe_runtime_free(runtime);
  });
  BOOST_TEST(status == 0);
  BOOST_TEST(contains(freed, "troupe: warning: a runtime ended, and the program had not asked"), freed);
  BOOST_TEST(contains(freed, "disk on fire"), freed);
  const auto [exited, left] = in_child([] {
    // At the exit, the object behind `user` does not exist any more.
    std::vector<std::string> warnings;
    submit(started(note, &warnings), fail);
  });
  BOOST_TEST(exited == 0);
  BOOST_TEST(contains(left, "the program ended without troupe_runtime_free"), left);
  BOOST_TEST(contains(left, "disk on fire"), left);
}

BOOST_AUTO_TEST_CASE(tasks_that_have_not_ended_at_the_exit_are_counted) {
  const auto [status, text] = in_child([] {
    troupe_runtime* const runtime = started(nullptr, nullptr);
    submit(runtime, sleep_long);
    submit(runtime, do_nothing);
  });
  BOOST_TEST(status == 0);
  BOOST_TEST(contains(text, "2 tasks had not ended"), text);
}

BOOST_AUTO_TEST_CASE(an_exit_without_failures_says_nothing) {
  troupe_runtime* const of_parent = started(nullptr, nullptr);
  submit(of_parent, do_nothing);
  // After a fork, the address sanitizer's allocator hangs in the child if a thread of the parent allocated meanwhile.
  BOOST_TEST(troupe_wait(of_parent) == TROUPE_OK);
  if (kSanitized) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto [status, text] = in_child([] {
    troupe_runtime* const runtime = started(nullptr, nullptr);
    const troupe_future future = submit(runtime, do_nothing);
    troupe_future_wait(future);
  });
  BOOST_TEST(status == 0);
  BOOST_TEST(text.empty(), text);
  BOOST_TEST(troupe_runtime_free(of_parent) == TROUPE_OK);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
