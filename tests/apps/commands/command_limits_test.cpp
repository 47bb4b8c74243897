// Tests limits of the operating system. When the system refuses something, the program must print one clear message and
// exit with code 1. It must never hang or crash.
#include <built_paths.hpp>  // written by the build

#include <fmt/format.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/apps/troupe_program.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/tries.hpp"

namespace troupe::apps {

namespace command_limits {

using namespace tests;

constexpr const char* kMoreThreads = "sanitizers have threads of their own, which count too";

struct Limits {
  TemporaryFolder folder;
  const std::string matrix =
      folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 1\n");

  /// Runs `troupe solve` with a limit of the shell. Without the environment variable, OpenBLAS would start its own
  /// threads before the program begins, one for each core of the machine.
  platform::ChildOutput solve(const std::string& limit, Words more = {}, const Words& as_user = {}) {
    Words launcher{"env", "OPENBLAS_NUM_THREADS=1"};
    launcher.insert(launcher.end(), as_user.begin(), as_user.end());
    launcher.insert(launcher.end(), {"bash", "--norc", "-c", "ulimit " + limit + "; exec \"$@\"", "bash"});
    // The policy `lws` reads and writes no kernel times.
    Words words{"solve", matrix, "--cores", "1", "--policy", "lws"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, launcher);
  }

  /// Returns true if the system refused a request of the program. Checks that the program succeeded without a message,
  /// or failed with one message.
  static bool refused(const platform::ChildOutput& ran) {
    BOOST_TEST_CONTEXT(ran.errors) {
      BOOST_TEST((ran.exit_status == 0 || ran.exit_status == 1), "exit status " << ran.exit_status);
      BOOST_TEST(std::count(ran.errors.begin(), ran.errors.end(), '\n') == ran.exit_status);
      BOOST_TEST((ran.exit_status == 0 || ran.errors.starts_with("troupe: ")));
    }
    return ran.exit_status != 0;
  }

  /// Returns launcher words that run the program as a user without other processes; empty if this is not possible.
  Words as_nobody() const {
    const std::string user = std::to_string(60000 + ::getpid() % 5000);
    Words words{"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"};
    Words version = words;
    version.insert(version.end(), {program_path(), "--version"});
    if (::getuid() != 0 || absent(version, "no user without other processes can run the program")) return {};
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    return words;
  }
};

}  // namespace command_limits

BOOST_FIXTURE_TEST_SUITE(command_limits, Limits)

BOOST_AUTO_TEST_CASE(threads_are_started_all_or_none) {
  if (kSanitized) return skip(kMoreThreads);
  const Words user = as_nobody();
  if (user.empty()) return;
  // The program needs the main thread, three threads of CAF and the worker's thread. An accelerator needs three more.
  for (const auto& [options, most] : {std::pair{Words{}, 5}, std::pair{Words{"--emulated-gpus", "1"}, 9}}) {
    int refusals = 0;
    for (int threads = 1; threads <= most; ++threads) {
      const platform::ChildOutput ran = solve("-u " + std::to_string(threads), options, user);
      refusals += refused(ran) ? 1 : 0;
      if (ran.exit_status != 0) BOOST_TEST(contains(ran.errors, "ulimit -u"), ran.errors);
    }
    BOOST_TEST(refusals >= 4);
    BOOST_TEST(!refused(solve("-u 40", options, user)));
  }
}

#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.

BOOST_AUTO_TEST_CASE(a_service_that_gets_no_threads_says_so_and_does_not_hang) {
  if (kSanitized) return skip(kMoreThreads);
  Words launcher = as_nobody();
  if (launcher.empty()) return;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  launcher.insert(launcher.begin(), {"env", "OPENBLAS_NUM_THREADS=1"});
  launcher.insert(launcher.end(), {"bash", "--norc", "-c", "ulimit -u 11; exec \"$@\"", "bash"});
  const platform::ChildOutput ran =
      run_program({"serve", "--socket-folder", folder.path("sockets"), "--cores", "1"}, launcher);
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.errors, "ulimit -u"), ran.errors);
}

#endif

BOOST_AUTO_TEST_CASE(memory_that_cannot_be_had_is_named_with_its_limit) {
  if (kSanitized) return skip("sanitizers take more addresses than the limits leave");
  for (const std::string& limit : {std::string("-v"), std::string("-d")}) {
    int refusals = 0;
    for (const char* kib : {"150000", "250000", "400000"}) {
      const platform::ChildOutput ran = solve(limit + " " + kib);
      if (!refused(ran)) continue;
      ++refusals;
      BOOST_TEST(contains(ran.errors, "ulimit " + limit), ran.errors);
    }
    BOOST_TEST(refusals > 0);
    BOOST_TEST(!refused(solve(limit + " 8000000")));
  }
}

BOOST_AUTO_TEST_CASE(blocks_of_a_sparse_matrix_that_cannot_be_had_end_nothing_but_the_run) {
  if (kSanitized) return skip("sanitizers take more addresses than the limits leave");
  constexpr int kOrder = 150000;
  std::string text =
      fmt::format("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n", kOrder, 2 * kOrder - 1);
  for (int i = 1; i <= kOrder; ++i) {
    text += fmt::format("{0} {0} 4\n", i);
    if (i > 1) text += fmt::format("{} {} -1\n", i, i - 1);
  }
  folder.write("a.mtx", text);
  for (const char* kib : {"330000", "360000", "390000"}) {
    const platform::ChildOutput ran = solve(fmt::format("-v {}", kib), {"--sparse"});
    BOOST_TEST_CONTEXT(kib << ": " << ran.errors) {
      BOOST_TEST((ran.exit_status == 1 || ran.exit_status == 2), "exit status " << ran.exit_status);
      BOOST_TEST(ran.errors.starts_with("troupe: "));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_stack_that_is_too_small_is_refused_before_it_overflows) {
  const platform::ChildOutput ran = solve("-s 128");
  BOOST_TEST(refused(ran));
  BOOST_TEST(contains(ran.errors, "ulimit -s"), ran.errors);
}

BOOST_AUTO_TEST_CASE(a_standard_error_that_takes_nothing_changes_no_exit_code) {
  const auto code = [&](const std::string& redirection, const Words& words) {
    return run_program(words, {"sh", "-c", "exec \"$@\" " + redirection, "sh"}).exit_status;
  };
  for (const char* redirection : {"2>&-", "2>/dev/full"}) {
    BOOST_TEST(code(redirection, {"solve", folder.path("missing.mtx")}) == 2);
    BOOST_TEST(code(redirection, {"nonsense"}) == 2);
    BOOST_TEST(code(redirection, {}) == 2);
  }
  BOOST_TEST(code(">/dev/full", {"--help"}) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
