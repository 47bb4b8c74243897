#include "tests/actors/running/abacus_of_the_manual.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <optional>
#include <stdexcept>

#include "tests/actors/graph_fixture.hpp"

namespace troupe::actors {

namespace abacus_of_the_manual {

constexpr const DeviceFactory& kFactory = kAbacusFactories.front();

/// Acts as the worker of one abacus, which is made as a runtime makes its devices.
struct Fixture : workers::DeviceListener {
  struct End {
    graph::Task* task;
    graph::FailureLog::Cause cause;
  };

  Fixture() {
    RuntimeOptions options;
    options.gpus = 1;
    BOOST_TEST_REQUIRE(kFactory.asked_for(options) == 1);
    auto devices = kFactory.open(options).value_or_throw();
    BOOST_TEST_REQUIRE(devices.size() == 1U);
    opened = std::move(devices.front());
    DeviceSetup setup;
    setup.executor = {.graph = &tasks.graph, .worker = WorkerId(1), .name = opened.name(), .kind = opened.kind};
    setup.executor.find_replica = [this](const graph::DataRecord& data) { return replica(data.view); };
    setup.memory = opened.memory.get();
    device = kFactory.make(std::move(setup), *this).value_or_throw();
  }

  void done(graph::Task& task, graph::FailureLog::Cause cause, Duration /*took*/) noexcept override {
    ends.push_back({&task, std::move(cause)});
  }
  /// Returns the place in the abacus where the only piece of data lies.
  [[nodiscard]] DataView replica(const DataView& host) const { return {opened.memory->memory(), host.layout}; }
  void copy(platform::CopyDirection direction, const DataView& host) {
    const bool to_device = direction == platform::CopyDirection::to_device;
    const DataView there = replica(host);
    std::promise<bool> copied;
    opened.memory->copy(direction, platform::block_copy(to_device ? host : there, to_device ? there : host), 1, false,
                        [&](const Result<void>& outcome) { copied.set_value(outcome.ok()); });
    BOOST_TEST_REQUIRE(copied.get_future().get());
  }
  graph::Task& start(const Codelet& codelet, const std::vector<Access>& accesses = {}) {
    tasks.submit(codelet, accesses);
    graph::Task& task = *tasks.take_ready().pop_front();
    BOOST_TEST(!device->start(task).finished);
    return task;
  }
  /// Completes the tasks that have ended in the graph, as a worker does.
  void complete() {
    graph::TaskList ready;
    for (const End& end : ends) tasks.graph.complete(*end.task, end.cause, WorkerId(1), ready);
    ends.clear();
  }

  tests::GraphFixture tasks{2, true};
  OpenedDevice opened;
  std::vector<End> ends;
  std::unique_ptr<workers::Device> device;
};

const Codelet& twice() {
  static const Codelet codelet =
      Codelet("twice", {AccessMode::read_write}).implement(kAbacus, [](const KernelContext& context) {
        context.scalar<int>(0) *= 2;
      });
  return codelet;
}

}  // namespace abacus_of_the_manual

BOOST_FIXTURE_TEST_SUITE(abacus_of_the_manual, Fixture)

namespace {

BOOST_AUTO_TEST_CASE(works_on_data_in_its_own_memory) {
  int number = 21;
  const Handle handle = tasks.scalar(number);
  const DataView host{reinterpret_cast<std::byte*>(&number), layout_of<int>(1, 1, 1)};
  copy(platform::CopyDirection::to_device, host);
  const graph::Task& task = start(twice(), {Access(handle, AccessMode::read_write)});
  BOOST_TEST(ends.empty());
  device->poll();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(ends.front().task == &task);
  BOOST_TEST(ends.front().cause == nullptr);
  BOOST_TEST(number == 21);
  complete();
  copy(platform::CopyDirection::to_host, host);
  BOOST_TEST(number == 42);
  BOOST_TEST(opened.memory->traffic(platform::CopyDirection::to_host).bytes.count == sizeof number);
}

BOOST_AUTO_TEST_CASE(begins_nothing_after_a_failure_until_it_is_taken_back) {
  const Codelet fails = Codelet("fails", {}).implement(kAbacus, [](const KernelContext&) {
    throw std::runtime_error("a bead is loose");
  });
  start(fails);
  const graph::Task& second = start(fails);
  device->poll();
  device->poll();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST_REQUIRE(ends.front().cause != nullptr);
  for (const char* named : {"a bead is loose", "abacus 0"}) {
    BOOST_TEST(ends.front().cause->message.find(named) != std::string::npos, ends.front().cause->message);
  }
  complete();
  graph::TaskList back;
  device->take_back(back);
  BOOST_TEST_REQUIRE(back.size() == 1U);
  BOOST_TEST(back.front() == &second);
  BOOST_TEST(!device->start(*back.pop_front()).finished);
  device->poll();
  BOOST_TEST(ends.size() == 1U);
  complete();
}

BOOST_AUTO_TEST_CASE(ends_what_is_in_flight_when_its_worker_goes) {
  const Codelet nothing = Codelet("nothing", {}).implement(kAbacus, [](const KernelContext&) {});
  for (std::size_t i = 0; i < kAbacusTraits.front().queue.slots; ++i) start(nothing);
  device.reset();
  BOOST_TEST_REQUIRE(ends.size() == kAbacusTraits.front().queue.slots);
  for (const End& end : ends) {
    BOOST_TEST_REQUIRE(end.cause != nullptr);
    BOOST_TEST(end.cause->message.find("its worker was lost") != std::string::npos, end.cause->message);
  }
  complete();
}

BOOST_AUTO_TEST_CASE(ends_its_copies_when_it_is_stopped) {
  opened.memory->stop();
  std::optional<Result<void>> outcome;
  opened.memory->copy(platform::CopyDirection::to_device, {}, 1, false, [&](Result<void> ended) { outcome = ended; });
  BOOST_TEST_REQUIRE(outcome.has_value());
  BOOST_TEST(!outcome->ok());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
