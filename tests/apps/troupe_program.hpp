/// Runs the program `troupe` in a process of its own, for tests of the command line.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "platform/files/child_process.hpp"
#include "tests/support/programs/program_path.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

using platform::ChildOutput;
using platform::run_child;
using Words = std::vector<std::string>;

inline const std::string kBlasWarning = "troupe: warning: OpenBLAS uses its kernels for ";
/// Warnings that have nothing to do with Troupe. OpenBLAS may be older than this machine's processor. The address
/// sanitizer warns when the fake GPU runs its first kernel, which switches between the stacks of its threads.
inline const Words kForeignWarnings = {kBlasWarning,
                                       "WARNING: ASan doesn't fully support makecontext/swapcontext functions"};

inline void remove_line_with(const std::string& part, std::string& text) {
  const std::size_t found = text.find(part);
  if (found == std::string::npos) return;
  const std::size_t begin = text.rfind('\n', found) + 1;  // This is 0 in the first line, because npos + 1 is 0.
  text.erase(begin, text.find('\n', found) - begin + 1);
}

/// Runs the program and removes foreign warnings from what it writes to standard error.
inline platform::ChildOutput run_program(Words arguments, const Words& launcher = {}) {
  arguments.insert(arguments.begin(), program_path());
  arguments.insert(arguments.begin(), launcher.begin(), launcher.end());
  auto ran = platform::run_child(arguments, "", std::chrono::seconds(240)).value_or_throw();
  for (const std::string& warning : kForeignWarnings) remove_line_with(warning, ran.errors);
  return ran;
}

/// Checks that the command fails with this exit code, writes one line that contains all of `parts`, and writes nothing
/// to standard output.
inline void fails(int code, const Words& arguments, const Words& parts, const Words& launcher = {}) {
  const platform::ChildOutput ran = run_program(arguments, launcher);
  std::string command;
  for (const std::string& argument : arguments) command += argument + ' ';
  BOOST_TEST_CONTEXT("troupe " << command << ": " << ran.errors) {
    BOOST_TEST(ran.exit_status == code);
    BOOST_TEST(ran.output == "");
    BOOST_TEST(ran.errors.starts_with("troupe: "));
    BOOST_TEST(std::count(ran.errors.begin(), ran.errors.end(), '\n') == 1);
    BOOST_TEST(ran.errors.ends_with('\n'));
    for (const std::string& part : parts) BOOST_TEST(contains(ran.errors, part), "no '" << part << "'");
  }
}

inline std::string succeeds(const Words& arguments, const Words& launcher = {}) {
  const platform::ChildOutput ran = run_program(arguments, launcher);
  BOOST_TEST_CONTEXT(ran.output << ran.errors) {
    BOOST_TEST(ran.exit_status == 0);
    BOOST_TEST(ran.errors == "");
  }
  return ran.output;
}

/// Returns true if a program is missing that the test needs, and skips the test case. Troupe's feature itself does not
/// need the program.
inline bool absent(const Words& command, const char* what) {
  const auto ran = platform::run_child(command, "", std::chrono::seconds(60));
  if (ran && ran.value().exit_status == 0) return false;
  tests::skip(what);
  return true;
}
inline bool no_gnuplot() { return absent({"gnuplot", "--version"}, "gnuplot is not installed"); }

}  // namespace troupe::tests
