// Tests of pieces and of team members whose code calls the runtime that executes them.
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/troupe.hpp"

namespace troupe::client {

BOOST_AUTO_TEST_SUITE(pieces_that_use_their_runtime)

namespace {

namespace data = boost::unit_test::data;

RuntimeOptions cores(const std::string& clusters, bool regroup, std::size_t window) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:1 core:3 pu:1";
  options.clusters = clusters;
  options.threads.regroup = regroup;
  options.window = window;
  return options;
}

/// Waits for a handle that no task uses. Returns the code of the error; zero if the wait succeeded.
ErrorCode outcome_of_waiting(Runtime& runtime, const Data& unused) {
  try {
    runtime.wait(unused);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{};
}

/// A piece that submits more tasks than the window allows, and then tries to wait, which must be refused.
struct Misbehaved {
  explicit Misbehaved(Runtime& runtime) : runtime_(runtime), unused_(runtime.scalar(value_)) {}

  void piece() {
    for (int i = 0; i < 3; ++i) runtime_.submit(inner_, {});
    if (outcome_of_waiting(runtime_, unused_) == ErrorCode::wait_in_kernel) ++refused;
  }

  std::atomic<int> submitted_ran{0};
  std::atomic<int> refused{0};

 private:
  Runtime& runtime_;
  const Codelet inner_ = Codelet("inner", {}).cpu([this](const KernelContext&) { ++submitted_ran; });
  double value_ = 0;
  Data unused_;
};

BOOST_DATA_TEST_CASE(any_member_may_submit_and_none_may_wait,
                     data::make({"single", "1x2", "1x3"}) * data::make({false, true}), clusters, regroup) {
  Runtime runtime(cores(clusters, regroup, 4));
  Misbehaved misbehaved(runtime);
  const Codelet pieces = Codelet("pieces", {})
                             .pieces([](const KernelContext&) { return 20; },
                                     [&](std::size_t, const KernelContext&) { misbehaved.piece(); });
  const Codelet team = Codelet("team", {}).cpu_team([&](const KernelContext& context) {
    context.team().for_each(20, [&](std::size_t) { misbehaved.piece(); });
  });
  for (int i = 0; i < 10; ++i) {
    runtime.submit(pieces, {});
    runtime.submit(team, {});
  }
  runtime.wait();
  BOOST_TEST(misbehaved.refused == 400);
  BOOST_TEST(misbehaved.submitted_ran == 1200);
}

BOOST_DATA_TEST_CASE(a_piece_can_cancel_all_tasks_and_cannot_stop_its_runtime, data::make({"single", "1x3"}),
                     clusters) {
  Runtime runtime(cores(clusters, false, 100));
  std::atomic<int> ran{0};
  std::atomic<int> refused{0};
  const Codelet cancelling = Codelet("cancelling", {})
                                 .pieces([](const KernelContext&) { return 16; },
                                         [&](std::size_t, const KernelContext&) {
                                           runtime.cancel();
                                           try {
                                             runtime.stop();
                                           } catch (const Error& error) {
                                             if (error.code() == ErrorCode::wait_in_kernel) ++refused;
                                           }
                                           ++ran;
                                         });
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i) runtime.submit(cancelling, {});
    try {
      runtime.wait();
    } catch (const Error& error) {
      BOOST_TEST((error.code() == ErrorCode::cancelled));
    }
  }
  BOOST_TEST(ran >= 20 * 16);
  BOOST_TEST(ran % 16 == 0);
  BOOST_TEST(refused == ran);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::client
