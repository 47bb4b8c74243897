/// Skips tests if this machine lacks something that they need.
#pragma once

#include <boost/test/unit_test.hpp>
#include <iostream>
#include <string>

namespace troupe::tests {

/// Says that the running test case could not test what it should test. After that the test case must return.
/// `scripts/test` counts the lines that begin with "skipped: " and subtracts their number from the number of passed
/// cases. So each case may call this only once. Any thread that may use the checks of Boost.Test may call this.
inline void skip(const std::string& why) {
  std::cout << "skipped: " << boost::unit_test::framework::current_test_case().full_name() << ": " << why << std::endl;
}

}  // namespace troupe::tests
