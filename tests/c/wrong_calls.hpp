/// Calls of the C interface with invalid arguments.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "c/guard.hpp"
#include "troupe/troupe.h"

namespace troupe::tests {

inline int no_kernel(const troupe_kernel_context*, void*) { return 0; }
inline int no_program(void*) { return 0; }
inline void no_initialize(const troupe_view*, void*) {}
inline void no_combine(const troupe_view*, const troupe_view*, void*) {}

/// Valid objects, for calls in which only one other argument is invalid.
struct Objects {
  troupe_runtime* runtime = nullptr;
  troupe_data* data = nullptr;
  troupe_codelet* codelet = nullptr;
  troupe_trace* trace = nullptr;
  troupe_recording* recording = nullptr;
  troupe_factorization* factors = nullptr;
  double x = 1;
  troupe_handle handle{};

  Objects() {
    BOOST_REQUIRE(troupe_start(1, nullptr, &runtime) == TROUPE_OK);
    BOOST_REQUIRE(troupe_register(runtime, TROUPE_DOUBLE, &x, 1, 1, 1, nullptr, &data) == TROUPE_OK);
    BOOST_REQUIRE(troupe_codelet_define("c", nullptr, 0, nullptr, 0, no_kernel, nullptr, nullptr, &codelet) ==
                  TROUPE_OK);
    BOOST_REQUIRE(troupe_take_trace(runtime, &trace) == TROUPE_OK);
    BOOST_REQUIRE(troupe_record(runtime, no_program, nullptr, nullptr, &recording) == TROUPE_OK);
    static double one = 1;
    BOOST_REQUIRE(troupe_factorize(runtime, TROUPE_CHOLESKY, TROUPE_DOUBLE, &one, 1, 1, 1, 0, &factors) == TROUPE_OK);
    handle = troupe_data_handle(data);
  }
  ~Objects() {
    troupe_runtime_free(runtime);
    troupe_data_free(data);
    troupe_codelet_free(codelet);
    troupe_trace_free(trace);
    troupe_recording_free(recording);
    troupe_factorization_free(factors);
  }
};

/// The code that a call returned, and the error message after the call.
struct Outcome {
  Outcome(troupe_error code) : code(code), message(troupe_error_message()) {  // NOLINT: a call becomes its outcome
    c::remember(TROUPE_OK, "");
  }

  troupe_error code;
  std::string message;
};
using Calls = std::vector<Outcome>;
/// The calls of each function, by the function's name. A function that cannot fail has no calls.
using Table = std::map<std::string, std::function<Calls(Objects&)>>;

inline const troupe_handle kGarbage{1234567, 89};
inline const troupe_future kNoFuture{};

/// Returns the calls of functions that handle data.
[[nodiscard]] Table calls_on_data();

}  // namespace troupe::tests
