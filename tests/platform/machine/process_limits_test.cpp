#include "platform/machine/process_limits.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/resource_limit.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/tries.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(process_limits)

namespace {

constexpr int kSaid = 3;

/// Must be called in a child process, because it changes the user and sets limits; limits do not bind root.
int checked_with_no_thread_left() {
  const rlimit none{1, 1};
  if (::geteuid() == 0 && ::setuid(4'000'000'000U) != 0) return 1;
  if (::setrlimit(RLIMIT_NPROC, &none) != 0) return 1;
  const auto checked = try_threads(8);
  if (checked.ok()) return 2;
  const std::string& message = checked.failure().message;
  const bool clear = message.starts_with("the system refuses another thread") &&
                     message.find("pids.max") != std::string::npos &&
                     checked.failure().code == ErrorCode::out_of_memory;
  return clear ? kSaid : 4;
}

BOOST_AUTO_TEST_CASE(threads_that_the_system_gives_are_fine) { BOOST_TEST(try_threads(20).ok()); }

BOOST_AUTO_TEST_CASE(a_limit_on_threads_is_an_error_that_names_it) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(checked_with_no_thread_left());
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(WIFEXITED(status));
  BOOST_TEST(WEXITSTATUS(status) == kSaid);
}

BOOST_AUTO_TEST_CASE(addresses_for_threads_are_looked_for_before_any_is_started) {
  if (tests::kSanitized) return tests::skip("sanitizers take more addresses than the limit leaves");
  constexpr rlim_t kAddresses = rlim_t{1} << 46U;
  constexpr std::size_t kFew = 2;
  constexpr std::size_t kBeyondAllMachines = std::size_t{1} << 30U;
  const tests::ResourceLimit limit(RLIMIT_AS, kAddresses);
  const auto many = check_room_for_threads(kBeyondAllMachines);
  BOOST_TEST(check_room_for_threads(kFew).ok());
  BOOST_REQUIRE(!many.ok());
  BOOST_TEST((many.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(many.failure().message.starts_with("not enough memory to start 1073741824 threads"));
  BOOST_TEST(many.failure().message.find("limit (ulimit -") != std::string::npos);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
