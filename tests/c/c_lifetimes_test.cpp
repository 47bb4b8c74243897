// Tests that objects of the C interface may be freed in any order.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "c/handle_slots.hpp"
#include "troupe/errors.hpp"
#include "troupe/troupe.h"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(c_lifetimes)

namespace {

troupe_runtime* started(int cores = 1) {
  troupe_options options{};
  options.size = sizeof options;
  options.cores = cores;
  const char* const more[] = {"oversubscribe=true", "bind=false", nullptr};
  options.more = more;
  troupe_runtime* runtime = nullptr;
  BOOST_REQUIRE_MESSAGE(troupe_start_with(&options, &runtime) == TROUPE_OK, troupe_error_message());
  return runtime;
}

int add_one(const troupe_kernel_context* context, void*) {
  ++*static_cast<double*>(troupe_kernel_data(context, 0, nullptr, nullptr, nullptr));
  return 0;
}

troupe_codelet* counting(void* user = nullptr, void (*destroy)(void*) = nullptr) {
  const troupe_mode mode = TROUPE_READ_WRITE;
  troupe_codelet* codelet = nullptr;
  BOOST_REQUIRE(troupe_codelet_define("count", &mode, 1, nullptr, 0, add_one, user, destroy, &codelet) == TROUPE_OK);
  return codelet;
}

void increment(void* counter) { ++*static_cast<int*>(counter); }

struct Program {
  troupe_runtime* runtime = started();
  double x = 0;
  troupe_data* data = nullptr;
  troupe_codelet* codelet = counting();
  troupe_access access{};

  Program() {
    BOOST_REQUIRE(troupe_register(runtime, TROUPE_DOUBLE, &x, 1, 1, 1, "x", &data) == TROUPE_OK);
    access = {troupe_data_handle(data), TROUPE_READ_WRITE};
  }
  ~Program() {
    troupe_runtime_free(runtime);
    troupe_data_free(data);
    troupe_codelet_free(codelet);
  }
  troupe_error submit(troupe_future* future = nullptr) {
    return troupe_submit(runtime, codelet, &access, 1, nullptr, 0, nullptr, future);
  }
  troupe_error end() {
    const troupe_error ended = troupe_runtime_free(runtime);
    runtime = nullptr;  // Kernels use this pointer until the runtime has ended.
    return ended;
  }
};

bool says(const char* part) { return std::string(troupe_error_message()).find(part) != std::string::npos; }

/// In each round, frees a runtime while another thread makes calls on an object that depends on the runtime. Only that
/// thread makes checks, because Boost.Test supports one thread at a time.
template <class Make, class Call>
void free_beside(const Make& make, const Call& call) {
  for (int round = 0; round < 20; ++round) {
    Program program;
    const auto object = make(program);
    std::atomic<bool> begun{false};
    std::thread other([&] { call(object, begun); });
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(50 * (round % 10)));
    const troupe_error ended = program.end();
    other.join();
    BOOST_TEST(ended == TROUPE_OK);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_runtime_goes_before_its_data) {
  Program program;
  BOOST_TEST(program.submit() == TROUPE_OK);
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(program.x == 1);
  // The new runtime may have the same address as the freed one, but old handles must stay invalid.
  troupe_runtime* other = started();
  BOOST_TEST(troupe_submit(other, program.codelet, &program.access, 1, nullptr, 0, nullptr, nullptr) ==
             TROUPE_INVALID_HANDLE);
  BOOST_TEST(says("freed"));
  BOOST_TEST(troupe_wait_for(other, program.access.handle) == TROUPE_INVALID_HANDLE);
  BOOST_TEST(troupe_runtime_free(other) == TROUPE_OK);
  BOOST_TEST(troupe_data_free(program.data) == TROUPE_OK);
  program.data = nullptr;
}

BOOST_AUTO_TEST_CASE(handles_of_data_that_were_freed_and_of_their_blocks_are_refused) {
  Program program;
  std::vector<double> matrix(16);
  troupe_data* whole = nullptr;
  BOOST_TEST(troupe_register(program.runtime, TROUPE_DOUBLE, matrix.data(), 4, 4, 4, nullptr, &whole) == TROUPE_OK);
  const troupe_block blocks[] = {{0, 0, 2, 4}, {2, 0, 2, 4}};
  troupe_handle parts[2];
  BOOST_TEST(troupe_partition(program.runtime, troupe_data_handle(whole), blocks, 2, parts) == TROUPE_OK);
  const troupe_block half[] = {{0, 0, 1, 4}};
  troupe_handle part_of_part;
  BOOST_TEST(troupe_partition(program.runtime, parts[0], half, 1, &part_of_part) == TROUPE_OK);
  const troupe_handle freed = troupe_data_handle(whole);
  BOOST_TEST(troupe_data_free(whole) == TROUPE_OK);
  for (const troupe_handle& handle : {freed, parts[0], parts[1], part_of_part}) {
    BOOST_TEST(troupe_wait_for(program.runtime, handle) == TROUPE_INVALID_HANDLE);
  }
  // The new data use the slot of the freed data again, but the old handle must stay invalid.
  BOOST_TEST(troupe_register(program.runtime, TROUPE_DOUBLE, matrix.data(), 4, 4, 4, nullptr, &whole) == TROUPE_OK);
  BOOST_TEST(troupe_wait_for(program.runtime, freed) == TROUPE_INVALID_HANDLE);
  BOOST_TEST(troupe_wait_for(program.runtime, troupe_data_handle(whole)) == TROUPE_OK);
  BOOST_TEST(troupe_data_free(whole) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(content_is_discarded_and_written_again) {
  Program program;
  const troupe_handle handle = program.access.handle;
  BOOST_TEST(troupe_discard(program.runtime, handle) == TROUPE_OK);
  BOOST_TEST(program.submit() == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(says("'x' has no valid content: the program has discarded it"));
  troupe_hold* hold = nullptr;
  BOOST_TEST(troupe_acquire(program.runtime, handle, TROUPE_WRITE, &hold) == TROUPE_OK);
  *static_cast<double*>(troupe_hold_memory(hold, nullptr, nullptr, nullptr)) = 3;
  troupe_hold_free(hold);
  BOOST_TEST(program.submit() == TROUPE_OK);
  BOOST_TEST(troupe_wait(program.runtime) == TROUPE_OK);
  BOOST_TEST(program.x == 4);
  BOOST_TEST(troupe_discard(nullptr, handle) == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(troupe_data_free(program.data) == TROUPE_OK);
  program.data = nullptr;
  BOOST_TEST(troupe_discard(program.runtime, handle) == TROUPE_INVALID_HANDLE);
}

BOOST_AUTO_TEST_CASE(blocks_of_data_that_go_meanwhile_are_refused) {
  c::HandleSlots& slots = c::HandleSlots::get();
  constexpr std::uint64_t kRuntime = 1'000'000;
  const troupe_handle whole = slots.add({Handle(), TROUPE_DOUBLE, kRuntime});
  troupe_handle part{};
  slots.add_parts(whole, kRuntime, {Handle()}, &part);
  BOOST_TEST(slots.find(part, kRuntime).type == TROUPE_DOUBLE);
  slots.remove(whole);
  BOOST_CHECK_EXCEPTION(slots.add_parts(whole, kRuntime, {Handle()}, &part), Error,
                        [](const Error& error) { return error.code() == ErrorCode::invalid_handle; });
}

BOOST_AUTO_TEST_CASE(a_handle_of_another_runtime_is_named_as_such) {
  Program program;
  troupe_runtime* other = started();
  BOOST_TEST(troupe_wait_for(other, program.access.handle) == TROUPE_INVALID_HANDLE);
  BOOST_TEST(says("another runtime"));
  BOOST_TEST(troupe_runtime_free(other) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(a_runtime_that_goes_ends_its_holds_and_the_tasks_that_wait_for_them) {
  Program program;
  troupe_hold* hold = nullptr;
  BOOST_TEST(troupe_acquire(program.runtime, program.access.handle, TROUPE_READ_WRITE, &hold) == TROUPE_OK);
  BOOST_TEST(program.submit() == TROUPE_OK);
  BOOST_TEST(troupe_hold_memory(hold, nullptr, nullptr, nullptr) == &program.x);
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(program.x == 1);
  BOOST_TEST(troupe_hold_memory(hold, nullptr, nullptr, nullptr) == nullptr);
  troupe_hold_free(hold);
}

BOOST_AUTO_TEST_CASE(futures_and_recordings_outlive_their_runtime) {
  Program program;
  troupe_future future{};
  BOOST_TEST(program.submit(&future) == TROUPE_OK);
  troupe_recording* recording = nullptr;
  const auto twice = [](void* user) {
    auto& me = *static_cast<Program*>(user);
    return me.submit() == TROUPE_OK && me.submit() == TROUPE_OK ? 0 : 1;
  };
  BOOST_TEST(troupe_record(program.runtime, twice, &program, "twice", &recording) == TROUPE_OK);
  BOOST_TEST(troupe_run(recording, nullptr, 0, nullptr) == TROUPE_OK);
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(program.x == 3);
  troupe_status status = TROUPE_PENDING;
  BOOST_TEST(troupe_future_wait(future) == TROUPE_STOPPED);
  BOOST_TEST(troupe_future_status(future, &status) == TROUPE_STOPPED);
  BOOST_TEST(troupe_future_cancel(future) == TROUPE_STOPPED);
  BOOST_TEST(troupe_run(recording, nullptr, 0, &future) == TROUPE_STOPPED);
  troupe_recording_free(recording);
}

BOOST_AUTO_TEST_CASE(factors_and_traces_outlive_their_runtime) {
  Program program;
  std::vector<double> matrix{2};
  std::vector<double> b{6};
  troupe_factorization* factors = nullptr;
  BOOST_TEST(troupe_factorize(program.runtime, TROUPE_CHOLESKY, TROUPE_DOUBLE, matrix.data(), 1, 1, 1, 0, &factors) ==
             TROUPE_OK);
  troupe_trace* trace = nullptr;
  BOOST_TEST(troupe_take_trace(program.runtime, &trace) == TROUPE_OK);
  BOOST_TEST(troupe_factorization_solve(factors, b.data(), 1, 1, 1) == TROUPE_OK);
  BOOST_TEST(b[0] == 3, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(troupe_factorization_solve(factors, b.data(), 1, 1, 1) == TROUPE_STOPPED);
  troupe_factorization_free(factors);
  char* text = nullptr;
  BOOST_TEST(troupe_trace_report(trace, TROUPE_TEXT, &text) == TROUPE_OK);
  troupe_text_free(text);
  troupe_trace_free(trace);
}

BOOST_AUTO_TEST_CASE(the_user_of_a_codelet_is_destroyed_once_when_nothing_needs_it) {
  int ends = 0;
  troupe_codelet_free(counting(&ends, increment));
  BOOST_TEST(ends == 1);
  Program program;
  troupe_codelet* codelet = counting(&ends, increment);
  BOOST_TEST(troupe_submit(program.runtime, codelet, &program.access, 1, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  troupe_codelet_free(codelet);
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(program.x == 1);
  BOOST_TEST(ends == 2);
  // If a call fails, the caller still owns its `user` data, so `ends` does not grow.
  const troupe_mode nonsense = 17;
  BOOST_TEST(troupe_codelet_define("x", &nonsense, 1, nullptr, 0, add_one, &ends, increment, &codelet) ==
             TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(ends == 2);
}

BOOST_AUTO_TEST_CASE(a_codelet_can_be_changed_until_it_has_been_submitted) {
  Program program;
  const auto change = [&] {
    return troupe_codelet_set_flops(program.codelet, [](const troupe_kernel_context*, void*) { return 1.0; });
  };
  // The task has no handle, but its codelet needs one.
  BOOST_TEST(troupe_submit(program.runtime, program.codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) ==
             TROUPE_SIGNATURE_MISMATCH);
  BOOST_TEST(change() == TROUPE_OK);
  BOOST_TEST(program.submit() == TROUPE_OK);
  BOOST_TEST(change() == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(says("has been submitted"));
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(program.x == 1);
}

BOOST_AUTO_TEST_CASE(a_codelet_is_freed_by_the_callback_of_its_task) {
  Program program;
  for (int i = 0; i < 100; ++i) {
    troupe_codelet* const codelet = counting();
    troupe_task_options options{};
    options.user = codelet;
    options.callback = [](uint64_t, troupe_status, const char*, void* user) {
      troupe_codelet_free(static_cast<troupe_codelet*>(user));
    };
    BOOST_TEST(troupe_submit(program.runtime, codelet, &program.access, 1, nullptr, 0, &options, nullptr) == TROUPE_OK);
  }
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(program.x == 100);
}

BOOST_AUTO_TEST_CASE(the_user_of_a_reduction_is_destroyed_once_with_the_data) {
  int ends = 0;
  Program program;
  const auto zero = [](const troupe_view* partial, void*) { *static_cast<double*>(partial->data) = 0; };
  const auto add = [](const troupe_view* into, const troupe_view* from, void*) {
    *static_cast<double*>(into->data) += *static_cast<double*>(from->data);
  };
  BOOST_TEST(troupe_set_reduction(program.runtime, {}, zero, add, &ends, increment) == TROUPE_INVALID_HANDLE);
  BOOST_TEST(ends == 0);
  BOOST_TEST(troupe_set_reduction(program.runtime, program.access.handle, zero, add, &ends, increment) == TROUPE_OK);
  BOOST_TEST(program.end() == TROUPE_OK);
  BOOST_TEST(ends == 1);
}

BOOST_AUTO_TEST_CASE(nothing_is_freed_inside_of_a_kernel) {
  struct Inside {
    Program program;
    troupe_error of_data = TROUPE_OK;
    troupe_error of_runtime = TROUPE_OK;
  } inside;
  const auto try_it = [](const troupe_kernel_context*, void* user) {
    auto& me = *static_cast<Inside*>(user);
    me.of_data = troupe_data_free(me.program.data);
    me.of_runtime = troupe_runtime_free(me.program.runtime);
    return 0;
  };
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("inside", nullptr, 0, nullptr, 0, try_it, &inside, nullptr, &codelet) == TROUPE_OK);
  BOOST_TEST(troupe_submit(inside.program.runtime, codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  BOOST_TEST(troupe_wait(inside.program.runtime) == TROUPE_OK);
  BOOST_TEST(inside.of_data == TROUPE_WAIT_IN_KERNEL);
  BOOST_TEST(inside.of_runtime == TROUPE_WAIT_IN_KERNEL);
  BOOST_TEST(inside.program.submit() == TROUPE_OK);
  troupe_codelet_free(codelet);
}

BOOST_AUTO_TEST_CASE(freeing_a_runtime_says_what_has_failed) {
  Program program;
  const auto fail = [](const troupe_kernel_context* context, void*) {
    troupe_kernel_fail(context, "out of luck");
    return 0;
  };
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_define("fail", nullptr, 0, nullptr, 0, fail, nullptr, nullptr, &codelet) == TROUPE_OK);
  BOOST_TEST(troupe_submit(program.runtime, codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  troupe_codelet_free(codelet);
  BOOST_TEST(troupe_runtime_free(program.runtime) == TROUPE_KERNEL_FAILED);
  BOOST_TEST(says("out of luck"));
  program.runtime = nullptr;
}

BOOST_AUTO_TEST_CASE(threads_wait_while_another_frees_the_runtime) {
  for (int round = 0; round < 20; ++round) {
    Program program;
    std::vector<troupe_future> futures(50);
    for (troupe_future& future : futures) BOOST_TEST(program.submit(&future) == TROUPE_OK);
    std::thread waiter([&] {
      for (const troupe_future& future : futures) {
        const troupe_error outcome = troupe_future_wait(future);
        BOOST_TEST((outcome == TROUPE_OK || outcome == TROUPE_STOPPED));
      }
    });
    const troupe_error ended = program.end();
    waiter.join();
    BOOST_TEST(ended == TROUPE_OK);
    BOOST_TEST(program.x == 50);
  }
}

BOOST_AUTO_TEST_CASE(a_runtime_goes_while_another_thread_solves) {
  double matrix = 2;
  const auto factorize = [&](Program& program) {
    troupe_factorization* factors = nullptr;
    BOOST_REQUIRE(troupe_factorize(program.runtime, TROUPE_CHOLESKY, TROUPE_DOUBLE, &matrix, 1, 1, 1, 0, &factors) ==
                  TROUPE_OK);
    matrix = 2;
    return factors;
  };
  free_beside(factorize, [](troupe_factorization* factors, std::atomic<bool>& begun) {
    double b = 1;
    troupe_error outcome = TROUPE_OK;
    while (outcome == TROUPE_OK) {
      outcome = troupe_factorization_solve(factors, &b, 1, 1, 1);
      begun = true;
    }
    BOOST_TEST(outcome == TROUPE_STOPPED, troupe_error_message());
    troupe_factorization_free(factors);
  });
}

BOOST_AUTO_TEST_CASE(a_runtime_goes_while_another_thread_runs_a_recording) {
  const auto record = [](Program& program) {
    troupe_recording* recording = nullptr;
    const auto submit = [](void* user) { return static_cast<Program*>(user)->submit() == TROUPE_OK ? 0 : 1; };
    BOOST_REQUIRE(troupe_record(program.runtime, submit, &program, nullptr, &recording) == TROUPE_OK);
    return recording;
  };
  // Freeing the runtime must not wait for every run that begins, or this test would never end.
  free_beside(record, [](troupe_recording* recording, std::atomic<bool>& begun) {
    troupe_error outcome = TROUPE_OK;
    while (outcome == TROUPE_OK) {
      outcome = troupe_run(recording, nullptr, 0, nullptr);
      begun = true;
    }
    BOOST_TEST(outcome == TROUPE_STOPPED, troupe_error_message());
    troupe_recording_free(recording);
  });
}

BOOST_AUTO_TEST_CASE(a_runtime_goes_while_another_thread_looks_at_its_hold) {
  const auto hold_it = [](Program& program) {
    troupe_hold* hold = nullptr;
    BOOST_REQUIRE(troupe_acquire(program.runtime, program.access.handle, TROUPE_READ, &hold) == TROUPE_OK);
    return hold;
  };
  free_beside(hold_it, [](troupe_hold* hold, std::atomic<bool>& begun) {
    int64_t rows = 1;
    while (troupe_hold_memory(hold, &rows, nullptr, nullptr) != nullptr) begun = true;
    begun = true;
    BOOST_TEST(rows == 1);
    troupe_hold_free(hold);
  });
}

BOOST_AUTO_TEST_CASE(a_runtime_goes_while_another_thread_frees_what_belongs_to_it) {
  struct Objects {
    std::vector<troupe_recording*> recordings;
    std::vector<troupe_factorization*> factors;
    troupe_hold* hold = nullptr;
    troupe_data* data = nullptr;
  };
  std::vector<double> ones(10);
  const auto make = [&](Program& program) {
    Objects made;
    made.recordings.resize(10);
    made.factors.resize(10);
    ones.assign(10, 1);
    const auto nothing = [](void*) { return 0; };
    for (std::size_t i = 0; i < 10; ++i) {
      BOOST_REQUIRE(troupe_record(program.runtime, nothing, nullptr, nullptr, &made.recordings[i]) == TROUPE_OK);
      BOOST_REQUIRE(troupe_factorize(program.runtime, TROUPE_CHOLESKY, TROUPE_DOUBLE, &ones[i], 1, 1, 1, 0,
                                     &made.factors[i]) == TROUPE_OK);
    }
    BOOST_REQUIRE(troupe_acquire(program.runtime, program.access.handle, TROUPE_READ, &made.hold) == TROUPE_OK);
    BOOST_REQUIRE(troupe_allocate(program.runtime, TROUPE_DOUBLE, 1, 1, nullptr, &made.data) == TROUPE_OK);
    return made;
  };
  free_beside(make, [](const Objects& objects, std::atomic<bool>& begun) {
    begun = true;
    for (std::size_t i = 0; i < 10; ++i) {
      troupe_recording_free(objects.recordings[i]);
      troupe_factorization_free(objects.factors[i]);
    }
    troupe_hold_free(objects.hold);
    BOOST_TEST(troupe_data_free(objects.data) == TROUPE_OK);
  });
}

BOOST_AUTO_TEST_CASE(kernels_go_on_submitting_while_their_runtime_goes) {
  struct Chain {
    Program program;
    troupe_codelet* codelet = nullptr;
    std::atomic<int> left{100};
    std::atomic<int> failed{0};
  } chain;
  const auto next = [](const troupe_kernel_context*, void* user) {
    auto& me = *static_cast<Chain*>(user);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (--me.left == 0) return 0;
    if (troupe_submit(me.program.runtime, me.codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) != TROUPE_OK) {
      ++me.failed;
    }
    return 0;
  };
  BOOST_TEST(troupe_codelet_define("next", nullptr, 0, nullptr, 0, next, &chain, nullptr, &chain.codelet) == TROUPE_OK);
  BOOST_TEST(troupe_submit(chain.program.runtime, chain.codelet, nullptr, 0, nullptr, 0, nullptr, nullptr) ==
             TROUPE_OK);
  BOOST_TEST(chain.program.end() == TROUPE_OK);
  BOOST_TEST(chain.left == 0);
  BOOST_TEST(chain.failed == 0);
  troupe_codelet_free(chain.codelet);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
