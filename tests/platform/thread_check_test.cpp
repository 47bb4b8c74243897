#include "platform/thread_check.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace troupe::platform {
namespace {

constexpr int kSaid = 3;

/// In a process of another user, as limits do not bind root.
int checked_with_no_thread_left() {
  const rlimit none{1, 1};
  if (::geteuid() == 0 && ::setuid(4'000'000'000U) != 0) return 1;
  if (::setrlimit(RLIMIT_NPROC, &none) != 0) return 1;
  const auto checked = check_threads(8);
  if (checked.ok()) return 2;
  const std::string& message = checked.failure().message;
  const bool clear = message.starts_with("about 8 threads are needed, and the system lets this process start 0") &&
                     message.find("pids.max") != std::string::npos && checked.failure().code == ErrorCode::io;
  return clear ? kSaid : 4;
}

BOOST_AUTO_TEST_SUITE(thread_check)

BOOST_AUTO_TEST_CASE(threads_that_the_system_gives_are_fine) { BOOST_TEST(check_threads(20).ok()); }

BOOST_AUTO_TEST_CASE(a_limit_on_threads_is_an_error_that_names_it) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(checked_with_no_thread_left());
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(WIFEXITED(status));
  BOOST_TEST(WEXITSTATUS(status) == kSaid);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::platform
