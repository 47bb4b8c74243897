// Tests that runtimes of the C interface may be freed while other threads use them. The backend has no tasks.
#include "c/runtime_state.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c/objects.hpp"
#include "client/backend.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(c_runtime_state)

namespace {

using c::GivingCall;
using c::RuntimeState;

/// A backend without tasks. If `lacks_memory` is true, waiting fails because no memory is left.
class NoTasks final : public client::Backend {
 public:
  explicit NoTasks(bool lacks_memory = false) : lacks_memory_(lacks_memory) {}

  Result<Handle> register_data(graph::DataDescription) override { return no(); }
  Result<client::Memory> allocate(Bytes, NumaId) override { return no(); }
  std::shared_ptr<void> pin(const void*, Bytes) override { return nullptr; }
  Result<std::vector<Handle>> partition(const Handle&, std::span<const Block>) override { return no(); }
  Result<std::vector<Handle>> repartition(const Handle&, std::span<const Block>) override { return no(); }
  Result<std::vector<Handle>> halos(const Handle&, std::span<const Block>, const Rim&) override { return no(); }
  Result<Layout> layout_of(const Handle&) override { return no(); }
  [[nodiscard]] graph::TaskOwner& tasks() override { throw std::logic_error("there are no tasks"); }
  Result<void> set_reduction(const Handle&, ReductionMethods) override { return no(); }
  Result<void> release(const Handle&) override { return no(); }
  void let_go(const Handle&) noexcept override {}
  Result<void> discard(const Handle&) override { return no(); }
  Result<void> set_reuse(const Handle&, std::int64_t) override { return no(); }
  Result<std::shared_ptr<void>> keep(const Handle&) override { return no(); }
  Result<Future> submit(const graph::TaskSpecification&) override { return no(); }
  Result<std::shared_ptr<client::RecordedTasks>> record(const std::function<void()>&, std::string) override {
    return no();
  }
  void cancel_all() override {}
  Result<void> stop_submissions() override { return no(); }
  Result<void> wait_all() override {
    if (lacks_memory_) throw std::bad_alloc();
    return {};
  }
  Result<void> wait_for(const Handle&) override { return Failure{ErrorCode::invalid_handle, "empty"}; }
  Result<Acquired> acquire(const Handle&, AccessMode) override { return no(); }
  void give_back(void*) noexcept override {}
  void hand_on(void*) noexcept override {}
  Result<void> regroup(const std::string&) override { return no(); }
  [[nodiscard]] bool shares_memory() const override { return true; }
  [[nodiscard]] std::size_t workers() const override { return 0; }
  [[nodiscard]] std::size_t numa_nodes() const override { return 0; }
  [[nodiscard]] const std::string& policy() const override { return policy_; }
  [[nodiscard]] Progress progress() const override { return {}; }
  Result<RunReport> report() const override { return no(); }
  Result<Trace> take_trace() override { return no(); }
  Result<MetricsSnapshot> metrics() const override { return no(); }
  Result<WhyReport> why() const override { return no(); }

 private:
  static Failure no() { return {ErrorCode::no_implementation, "there is nothing here"}; }

  const bool lacks_memory_;
  const std::string policy_ = "none";
};

std::shared_ptr<RuntimeState> state_without_tasks(bool lacks_memory = false) {
  return RuntimeState::make(std::make_unique<Runtime>(std::make_unique<NoTasks>(lacks_memory)), true);
}

/// An object's destructor waits at this gate until the test opens the gate.
struct Gate {
  std::atomic<bool> begun{false};
  std::atomic<bool> open{false};

  void pass() {
    begun = true;
    while (!open) std::this_thread::yield();
  }
  /// Waits until the destructor has begun and 20 ms have passed. Returns true if `other` is still false then.
  [[nodiscard]] bool keeps_back(const std::atomic<bool>& other) const {
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !other;
  }
};

/// The content of an object. Its destructor waits at the gate.
struct SlowContent {
  explicit SlowContent(Gate& gate) : gate(&gate) {}
  SlowContent(SlowContent&& other) noexcept : gate(std::exchange(other.gate, nullptr)) {}
  ~SlowContent() {
    if (gate != nullptr) gate->pass();
  }

  Gate* gate;
};

class Numbered final : public c::Dependent {
 public:
  Numbered(int number, std::vector<int>& ended, bool first = false)
      : Dependent(first), number_(number), ended_(ended) {}

 private:
  void do_end() noexcept override { ended_.push_back(number_); }

  const int number_;
  std::vector<int>& ended_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_ends_in_order_of_creation_even_where_the_runtime_cannot_wait) {
  const auto state = state_without_tasks(true);
  std::vector<int> ended;
  for (int i = 0; i < 20; ++i) state->add(std::make_shared<Numbered>(i, ended, i == 10));
  BOOST_CHECK_THROW(state->close(), std::bad_alloc);
  std::vector<int> expected{10};
  for (int i = 0; i < 20; ++i) {
    if (i != 10) expected.push_back(i);
  }
  BOOST_TEST(ended == expected, boost::test_tools::per_element());
  BOOST_CHECK_THROW(static_cast<void>(RuntimeState::find(state->number())), Error);
}

BOOST_AUTO_TEST_CASE(whoever_ends_a_dependent_second_waits_for_the_first) {
  Gate gate;
  c::DependentOf<SlowContent> dependent(SlowContent(gate), false);
  std::atomic<bool> second_is_through{false};
  std::thread first([&] { dependent.end(); });
  while (!gate.begun) std::this_thread::yield();
  std::thread second([&] {
    dependent.end();
    second_is_through = true;
  });
  BOOST_TEST(gate.keeps_back(second_is_through));
  // While the object is being destroyed, no other caller can get it.
  BOOST_CHECK_THROW(static_cast<void>(dependent.get()), Error);
  gate.open = true;
  first.join();
  second.join();
}

BOOST_AUTO_TEST_CASE(a_runtime_does_not_go_while_an_object_of_its_is_being_freed) {
  auto state = state_without_tasks();
  Gate gate;
  using Object = c::Standing<SlowContent>;
  auto object = std::make_unique<Object>(state, Object::on(*state, SlowContent(gate)));
  std::thread frees([&] { object.reset(); });
  while (!gate.begun) std::this_thread::yield();
  std::atomic<bool> closed{false};
  std::thread closes([&] {
    state->close();
    closed = true;
  });
  BOOST_TEST(gate.keeps_back(closed));
  gate.open = true;
  frees.join();
  closes.join();
}

BOOST_AUTO_TEST_CASE(content_that_a_call_uses_lives_until_the_call_returns) {
  Gate gate;
  gate.open = true;
  c::DependentOf<SlowContent> dependent(SlowContent(gate), false);
  {
    const auto used = dependent.get();
    dependent.end();
    BOOST_TEST(!gate.begun);
  }
  BOOST_TEST(gate.begun);
}

BOOST_AUTO_TEST_CASE(calls_that_have_begun_are_waited_for_and_none_begins) {
  const auto state = state_without_tasks();
  auto call = std::make_unique<GivingCall>(state);
  std::atomic<bool> closed{false};
  std::thread closes([&] {
    state->close();
    closed = true;
  });
  const auto refused = [&] {
    try {
      const GivingCall another(state);
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::stopped;
    }
  };
  while (!refused()) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(!closed);
  call.reset();
  closes.join();
  BOOST_TEST(refused());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
