#include "actors/host_views.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(host_views)

namespace {

struct Fixture {
  HostViews views;
  graph::DataRecord record;
  std::shared_ptr<std::vector<double>> memory = std::make_shared<std::vector<double>>(4, 1.0);
  std::weak_ptr<void> watch = memory;

  Fixture() {
    record.id = 5;
    record.view = {reinterpret_cast<std::byte*>(memory->data()), layout_of<double>(4, 1, 4)};
    views.know(record);
  }
};

BOOST_FIXTURE_TEST_CASE(a_copy_keeps_memory_that_has_been_forgotten, Fixture) {
  BOOST_TEST(views.borrow(HandleId(5)).has_value());
  // `forget` does not wait for the copy that has borrowed the memory.
  views.forget(HandleId(5), std::move(memory));
  BOOST_TEST(!watch.expired());
  BOOST_TEST(!views.borrow(HandleId(5)).has_value());
  views.give_back(HandleId(5));
  BOOST_TEST(watch.expired());
  views.forget(HandleId(5), nullptr);
}

BOOST_FIXTURE_TEST_CASE(what_nobody_copies_goes_at_once, Fixture) {
  views.forget(HandleId(5), std::move(memory));
  BOOST_TEST(watch.expired());
}

BOOST_FIXTURE_TEST_CASE(memory_of_the_program_is_forgotten_when_nobody_copies_it, Fixture) {
  BOOST_TEST(views.borrow(HandleId(5)).has_value());
  std::atomic<bool> given_back{false};
  std::thread copier([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    given_back = true;
    views.give_back(HandleId(5));
  });
  views.forget(HandleId(5), nullptr);
  BOOST_TEST(given_back.load());
  copier.join();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
