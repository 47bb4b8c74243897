#include "actors/scheduler/scheduler_news.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <vector>

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(scheduler_news)

namespace {

using Kind = TaskEvent::Kind;

struct News {
  /// Returns true if the scheduler is woken for an event of this kind.
  bool wakes(Kind kind) {
    const int before = woken;
    news.happened({.kind = kind});
    return woken > before;
  }

  bool workers_decide = false;
  std::atomic<bool> ends_count{true};
  int woken = 0;
  SchedulerNews news{{.workers_decide = workers_decide, .ends_count = &ends_count, .wake = [this] { ++woken; }}};
};

BOOST_AUTO_TEST_CASE(events_are_taken_in_their_order) {
  News n;
  n.news.happened({.kind = Kind::started, .task = TaskId(1)});
  n.news.happened({.kind = Kind::ended, .task = TaskId(1)});
  std::vector<TaskEvent> events;
  n.news.take(events);
  BOOST_REQUIRE(events.size() == 2U);
  BOOST_TEST((events[0].kind == Kind::started && events[1].kind == Kind::ended));
  n.news.take(events);
  BOOST_TEST(events.empty());
}

BOOST_AUTO_TEST_CASE(ends_wake_the_scheduler_while_they_count) {
  News n;
  for (const Kind kind : {Kind::ended, Kind::failed, Kind::stopped, Kind::all_taken, Kind::left, Kind::dropped}) {
    n.ends_count = true;
    BOOST_TEST(n.wakes(kind));
    n.ends_count = false;
    BOOST_TEST(!n.wakes(kind));
  }
}

BOOST_AUTO_TEST_CASE(a_worker_that_decides_itself_wakes_it_only_for_tasks_that_did_not_run) {
  News n{.workers_decide = true};
  BOOST_TEST(!n.wakes(Kind::ended));
  BOOST_TEST(!n.wakes(Kind::failed));
  BOOST_TEST(n.wakes(Kind::left));
  BOOST_TEST(n.wakes(Kind::dropped));
}

BOOST_AUTO_TEST_CASE(what_makes_no_room_never_wakes_it_and_other_workers_always_do) {
  News n;
  for (const Kind kind : {Kind::started, Kind::joined, Kind::replica_changed}) BOOST_TEST(!n.wakes(kind));
  n.ends_count = false;
  BOOST_TEST(n.wakes(Kind::worker_lost));
  BOOST_TEST(n.wakes(Kind::regrouped));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
