/// Functions that tests of the public interface share.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "troupe/troupe.hpp"

namespace troupe::tests {

/// Returns options for a runtime with this number of workers on any machine.
inline RuntimeOptions with_workers(int workers) {
  RuntimeOptions options;
  options.cores = workers;
  options.threads.oversubscribe = true;
  options.threads.bind = false;
  return options;
}

/// Returns options for a runtime with one thread, which handles messages in an order that a seed determines.
inline RuntimeOptions deterministic(int workers = 1) {
  RuntimeOptions options = with_workers(workers);
  options.threads.deterministic = true;
  return options;
}

/// Returns a codelet that doubles its operand.
inline const Codelet& twice() {
  static const Codelet codelet = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  return codelet;
}

/// The view that kernels take of all elements of their data.
using Whole = VectorView<double>;

inline void add_one(VectorView<double> x) {
  for (double& element : x) element += 1;
}

/// Returns a predicate for BOOST_CHECK_EXCEPTION. It accepts an `Error` with this code whose message contains all
/// parts.
template <class... Parts>
auto failure(ErrorCode code, Parts... parts) {
  return [=](const Error& error) {
    const std::string message = error.what();
    BOOST_TEST_MESSAGE(to_string(error.code()) << ": " << message);
    return error.code() == code && (contains(message, parts) && ...);
  };
}

/// Returns the message of the exception that a call throws; empty if the call throws no exception.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace troupe::tests
