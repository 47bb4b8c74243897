// Tests of unusual ends of a runtime: in a child of fork, inside a kernel, while another thread is cancelled, or with
// failures that the program never asked for.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "client/backend.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/captured_errors.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(lifetime)

namespace {

/// A child process that hangs is killed after this number of seconds.
constexpr unsigned kLongEnough_s = 60;

/// Runs `program` in a child of `fork`. Returns its exit status, or 128 plus the signal that killed the child.
int in_child(const std::function<int()>& program) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kLongEnough_s);
    ::_exit(program());
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == ErrorCode::stopped && contains(error.what(), "forked");
  }
  return false;
}

struct Program {
  double x = 1;
  std::unique_ptr<Runtime> runtime = std::make_unique<Runtime>(with_workers(2));
  Data data = runtime->scalar(x, "x");
};

BOOST_AUTO_TEST_CASE(a_kernel_that_ends_its_thread_ends_the_process_and_is_named) {
  const tests::CapturedErrors errors;
  const int status = in_child([] {
    // The signal must end the child, which has the test framework's handler.
    std::signal(SIGABRT, SIG_DFL);
    Runtime own(with_workers(1));
    own.submit(Codelet("leaves", {}).cpu([] { ::pthread_exit(nullptr); }), {}, {}, {.name = "mine"});
    own.wait();
    return 0;
  });
  BOOST_TEST(status > 128);
  BOOST_TEST(contains(errors.text(), "'mine' (codelet leaves) ended its worker's thread"), errors.text());
}

BOOST_FIXTURE_TEST_CASE(a_child_of_fork_is_told_what_is_wrong_and_leaves_at_once, Program) {
  const RecordedGraph graph = runtime->record([&] { runtime->submit(twice(), {data}); });
  const Future before = runtime->submit(twice(), {data});
  std::optional<HostAccess> held = runtime->acquire(data, AccessMode::read);
  const int refused = in_child([&] {
    double y = 0;
    int calls = 0;
    const auto count = [&](const std::function<void()>& call) { calls += is_refused(call) ? 1 : 0; };
    count([&] { runtime->submit(twice(), {data}); });
    count([&] { runtime->wait(); });
    count([&] { runtime->wait(data); });
    count([&] { before.wait(); });
    count([&] { std::ignore = runtime->acquire(data, AccessMode::read); });
    count([&] { std::ignore = runtime->scalar(y); });
    count([&] { std::ignore = runtime->partition(data, std::vector<Block>{{0, 0, 1, 1}}); });
    count([&] { std::ignore = runtime->record([] {}); });
    count([&] { graph.run(); });
    count([&] { std::ignore = runtime->why(); });
    count([&] { runtime->stop(); });
    // In the child, none of these calls waits, prints anything or throws an exception.
    runtime->cancel();
    before.cancel();
    held.reset();
    data.release();
    runtime.reset();
    return calls;
  });
  BOOST_TEST(refused == 11);
  held.reset();
  runtime->submit(twice(), {data});
  runtime->wait();
  BOOST_TEST(x == 4);
}

BOOST_FIXTURE_TEST_CASE(a_child_of_fork_may_have_a_runtime_of_its_own, Program) {
  const int own = in_child([&] {
    double y = 3;
    {
      Runtime mine(with_workers(1));
      const Data own_data = mine.scalar(y);
      mine.submit(twice(), {own_data});
      mine.wait();
    }
    return static_cast<int>(y);
  });
  BOOST_TEST(own == 6);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_ends_its_runtime_is_told_and_goes_on) {
  const CapturedErrors errors;
  // This runs in a child process, because the runtime is not destroyed completely. The end of the process frees the
  // rest.
  const int ran = in_child([] {
    std::atomic<int> ran{0};
    auto runtime = std::make_unique<Runtime>(with_workers(2));
    Runtime* const running = runtime.get();
    const Codelet next = Codelet("next", {}).cpu([&](const KernelContext&) { ++ran; });
    const Codelet ends = Codelet("ends", {}).cpu([&](const KernelContext&) {
      client::Backend& left = running->backend();
      runtime.reset();
      left.submit({next, {}, {}, {}}).value_or_throw();
    });
    running->submit(ends, {});
    while (ran == 0) std::this_thread::yield();
    return ran.load();
  });
  BOOST_TEST(ran == 1);
  BOOST_TEST(contains(errors.text(), "warning: a kernel or callback ended the runtime that runs it"), errors.text());
}

BOOST_FIXTURE_TEST_CASE(a_thread_that_is_cancelled_while_it_waits_takes_nothing_with_it, Program) {
  struct Waiting {
    Program& program;
    Future future;
    int what;
    std::atomic<bool> begun{false};
  };
  const auto wait = [](void* argument) -> void* {
    auto& waiting = *static_cast<Waiting*>(argument);
    waiting.begun = true;
    if (waiting.what == 0) waiting.program.runtime->wait();
    if (waiting.what == 1) waiting.program.runtime->wait(waiting.program.data);
    if (waiting.what == 2) waiting.future.wait();
    if (waiting.what == 3) std::ignore = waiting.program.runtime->acquire(waiting.program.data, AccessMode::read_write);
    return nullptr;
  };
  for (int what = 0; what < 4; ++what) {
    std::optional<HostAccess> held = runtime->acquire(data, AccessMode::read_write);
    Waiting waiting{*this, runtime->submit(twice(), {data}), what};
    pthread_t thread{};
    BOOST_REQUIRE(::pthread_create(&thread, nullptr, wait, &waiting) == 0);
    while (!waiting.begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::pthread_cancel(thread);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    held.reset();
    ::pthread_join(thread, nullptr);
    runtime->wait();
  }
  BOOST_TEST(x == 16);
}

// Tests of failures that the program has never asked for.

const Codelet& fails() {
  static const Codelet codelet =
      Codelet("fails", {AccessMode::write}).cpu([](double&) { throw std::runtime_error("disk on fire"); });
  return codelet;
}

/// Runs a task that fails, then calls `look`, and returns the warnings of the runtime.
std::string warnings_after(const std::function<void(Runtime&, const Data&, const Future&)>& look) {
  std::string warnings;
  RuntimeOptions options = with_workers(2);
  options.observation.on_warning = [&](const std::string& what) { warnings += what + "\n"; };
  double x = 0;
  {
    Runtime runtime(options);
    const Data data = runtime.scalar(x, "x");
    look(runtime, data, runtime.submit(fails(), {data}));
  }
  return warnings;
}

BOOST_AUTO_TEST_CASE(failures_that_nobody_has_looked_at_are_a_warning) {
  const std::string text = warnings_after([](Runtime&, const Data&, const Future&) {});
  BOOST_TEST(contains(text, "Runtime::wait"), text);
  BOOST_TEST(contains(text, "disk on fire"), text);
  // There are two failures, and the program asks for one of them only.
  const auto looks_at_one = [](Runtime& runtime, const Data& data, const Future& future) {
    runtime.submit(fails(), {data});
    BOOST_CHECK_THROW(future.wait(), Error);
  };
  BOOST_TEST(contains(warnings_after(looks_at_one), "disk on fire"));
}

BOOST_AUTO_TEST_CASE(failures_that_the_program_was_told_of_in_any_way_are_none) {
  const auto catching = [](const auto& call) {
    try {
      call();
    } catch (const Error&) {
    }
  };
  using Look = std::function<void(Runtime&, const Data&, const Future&)>;
  const std::vector<Look> looks{
      [&](Runtime& runtime, const Data&, const Future&) { catching([&] { runtime.wait(); }); },
      [&](Runtime&, const Data&, const Future& future) { catching([&] { future.wait(); }); },
      [&](Runtime& runtime, const Data& data, const Future&) { catching([&] { runtime.wait(data); }); },
      // The program learns of the failure from a later task, which was cancelled because of the failure.
      [&](Runtime& runtime, const Data& data, const Future&) {
        const Future next = runtime.submit(twice(), {data});
        catching([&] { next.wait(); });
      },
  };
  for (const Look& look : looks) BOOST_TEST(warnings_after(look) == "");
}

BOOST_AUTO_TEST_CASE(what_the_program_has_cancelled_and_what_its_callbacks_were_told_is_none) {
  std::string warnings;
  RuntimeOptions options = with_workers(2);
  options.observation.on_warning = [&](const std::string& what) { warnings += what + "\n"; };
  double x = 0;
  double y = 0;
  {
    Runtime runtime(options);
    const Data data = runtime.scalar(x, "x");
    const Data other = runtime.scalar(y, "y");
    std::optional<HostAccess> held = runtime.acquire(data, AccessMode::read_write);
    runtime.submit(twice(), {data}).cancel();
    runtime.submit(fails(), {other}, {}, {.callback = [](const TaskOutcome&) {}});
    held.reset();
  }
  BOOST_TEST(warnings == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
