/// Tests of what needs something that this machine lacks.
#pragma once

#include <boost/test/unit_test.hpp>
#include <iostream>
#include <string>

namespace troupe::tests {

/// Says that the running test case has not tested what it is for; it then returns. `scripts/test` counts the lines that
/// begin with "skipped: ", and takes those cases off the ones that passed: call it once in a case, in any thread that
/// may check.
inline void skip(const std::string& why) {
  std::cout << "skipped: " << boost::unit_test::framework::current_test_case().full_name() << ": " << why << std::endl;
}

}  // namespace troupe::tests
