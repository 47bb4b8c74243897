// Tests, in both places, of waits that the waiting thread gives up.
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <tuple>
#include <vector>

#include "graph/tasks/calling_thread.hpp"
#include "tests/client/remote/places.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

namespace {

/// Vector x, on which a task waits at the gate.
struct BusyVector {
  BusyVector(Runtime& used, const AllCodelets& all) : runtime(used), codelets(all) { make_busy(); }
  void make_busy() { runtime.submit(codelets["wait_for"], {whole}); }
  void fill(const Handle& handle, double value) { runtime.submit(codelets["fill"], {handle}, args(value)); }

  std::vector<double> x = std::vector<double>(100, 1.0);
  Runtime& runtime;
  const AllCodelets& codelets;
  Data whole = runtime.vector(x, "x");
};

const std::array<Block, 2> kHalves{Block{0, 0, 50, 1}, Block{50, 0, 50, 1}};
const std::array<Block, 1> kMiddle{Block{25, 0, 50, 1}};

/// Checks that the call waits, and that its wait can be given up.
void give_up(const std::function<void()>& wait) {
  int asked = 0;
  const std::function<bool()> gives_up = [&asked] { return ++asked == 1; };
  graph::WaitInterrupt interrupt(gives_up);
  BOOST_CHECK_EXCEPTION(wait(), Error, failure(ErrorCode::cancelled, "the wait was interrupted; the tasks go on"));
  BOOST_TEST(interrupt.gave_up());
  BOOST_TEST(asked == 1);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(interrupts_in_both_places, Places)

BOOST_AUTO_TEST_CASE(data_whose_acquisition_was_given_up_are_not_held) {
  both([this](Runtime& runtime) {
    BusyVector data(runtime, codelets());
    for (const AccessMode mode : {AccessMode::read, AccessMode::write, AccessMode::read_write}) {
      give_up([&] { std::ignore = runtime.acquire(data.whole, mode); });
    }
    give_up([&] { runtime.wait(data.whole); });
    data.fill(data.whole, 2);
    give_up([&] { runtime.wait(); });
    gate().open();
    runtime.wait();
    BOOST_TEST(runtime.acquire(data.whole, AccessMode::read_write).vector<double>()[99] == 2);
  });
}

BOOST_AUTO_TEST_CASE(data_are_not_divided_by_a_call_that_was_given_up) {
  both([this](Runtime& runtime) {
    BusyVector data(runtime, codelets());
    give_up([&] { runtime.partition(data.whole, kHalves); });
    give_up([&] { runtime.set_reduction(data.whole, sum_reduction<double>()); });
    data.fill(data.whole, 2);
    gate().open();
    const std::vector<Handle> halves = runtime.partition(data.whole, kHalves);
    gate().close();
    data.make_busy();
    give_up([&] { runtime.repartition(data.whole, kMiddle); });
    for (const Handle& half : halves) data.fill(half, 3);
    gate().open();
    const std::vector<Handle> middle = runtime.repartition(data.whole, kMiddle);
    data.fill(middle[0], 4);
    runtime.wait();
    BOOST_TEST(data.x[24] == 3);
    BOOST_TEST(data.x[25] == 4);
    BOOST_TEST(data.x[75] == 3);
  });
}

BOOST_AUTO_TEST_CASE(data_whose_release_was_given_up_are_registered) {
  both([this](Runtime& runtime) {
    BusyVector data(runtime, codelets());
    gate().open();
    const std::vector<Handle> halves = runtime.partition(data.whole, kHalves);
    gate().close();
    data.make_busy();
    give_up([&] { runtime.release(halves[1]); });
    give_up([&] { runtime.release(data.whole); });
    data.fill(halves[0], 2);
    data.fill(halves[1], 3);
    gate().open();
    runtime.release(halves[1]);
    runtime.release(data.whole);
    BOOST_TEST(data.x[0] == 2);
    BOOST_TEST(data.x[99] == 3);
    BOOST_CHECK_EXCEPTION(data.fill(data.whole, 1), Error, failure(ErrorCode::invalid_handle, ""));
  });
}

BOOST_AUTO_TEST_CASE(data_without_valid_content_do_not_become_valid) {
  both([this](Runtime& runtime) {
    BusyVector data(runtime, codelets());
    runtime.submit((*this)["fail"], {data.whole});
    give_up([&] { std::ignore = runtime.acquire(data.whole, AccessMode::write); });
    gate().open();
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(data.whole, AccessMode::read), Error,
                          failure(ErrorCode::cancelled, "on purpose"));
    data.fill(data.whole, 2);
    BOOST_TEST(runtime.acquire(data.whole, AccessMode::read).vector<double>()[0] == 2);
  });
}

BOOST_AUTO_TEST_CASE(discarded_data_whose_acquisition_was_given_up_have_no_content) {
  both([this](Runtime& runtime) {
    BusyVector data(runtime, codelets());
    runtime.discard(data.whole);
    give_up([&] { std::ignore = runtime.acquire(data.whole, AccessMode::write); });
    gate().open();
    BOOST_CHECK_EXCEPTION(
        std::ignore = runtime.acquire(data.whole, AccessMode::read), Error,
        failure(ErrorCode::cancelled, "a call of acquire that was to write it ended without the data"));
    data.fill(data.whole, 2);
    BOOST_TEST(runtime.acquire(data.whole, AccessMode::read).vector<double>()[0] == 2);
  });
}

BOOST_AUTO_TEST_CASE(a_wait_behind_another_thread_that_holds_the_data_is_given_up) {
  both([this](Runtime& runtime) {
    BusyVector data(runtime, codelets());
    gate().open();
    std::atomic<bool> held{false};
    std::atomic<bool> given_up{false};
    std::thread holder([&] {
      const HostAccess access = runtime.acquire(data.whole, AccessMode::read_write);
      held.store(true);
      held.notify_all();
      given_up.wait(false);
    });
    held.wait(false);
    give_up([&] { std::ignore = runtime.acquire(data.whole, AccessMode::write); });
    data.fill(data.whole, 5);
    given_up.store(true);
    given_up.notify_all();
    holder.join();
    runtime.wait();
    BOOST_TEST(data.x[0] == 5);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
