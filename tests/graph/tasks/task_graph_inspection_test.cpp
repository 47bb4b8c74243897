#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"
#include "tests/support/thread_host.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(task_graph_inspection)

namespace {

using tests::StepHost;
using tests::ThreadHost;

const Codelet kTouch = Codelet("touch", {AccessMode::read_write}).cpu([](double&) {});
const Codelet kCommute = Codelet("commute", {AccessMode::commute}).cpu([](double&) {});

Handle scalar(TaskGraph& graph, double& value, std::string name = {}) {
  return graph.register_data(
      {layout_of<double>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, std::move(name)});
}

Future submit(TaskGraph& graph, const Codelet& codelet, const std::vector<Access>& accesses,
              const TaskOptions& options = {}) {
  return graph.submit({codelet, accesses, {}, options}).value_or_throw();
}

/// A copy of the parts of a snapshot that the test checks.
struct Seen {
  std::size_t nodes = 0;
  /// The edges as texts such as "1>2", which are ids of tasks.
  std::multiset<std::string> edges;
  std::vector<std::string> names;
  std::size_t parked = 0;
  std::vector<std::string> data;
};

Seen look(TaskGraph& graph, const std::vector<RunningTask>& running = {}) {
  Seen seen;
  graph.inspect([&] { return running; },
                [&](const GraphSnapshot& snapshot) {
                  seen.nodes = snapshot.nodes.size();
                  for (const TaskEdge& edge : snapshot.edges) {
                    seen.edges.insert(std::to_string(snapshot.nodes[edge.predecessor].id.value()) + ">" +
                                      std::to_string(snapshot.nodes[edge.successor].id.value()));
                  }
                  for (const TaskNode& node : snapshot.nodes) {
                    if (node.name != nullptr) seen.names.push_back(*node.name);
                    seen.parked += node.parked ? 1 : 0;
                  }
                  for (const NodeData& data : snapshot.data) seen.data.push_back(data.data);
                });
  return seen;
}

std::string edge(const Future& from, const Future& to) {
  return std::to_string(from.id().value()) + ">" + std::to_string(to.id().value());
}

BOOST_AUTO_TEST_CASE(an_empty_graph_has_nothing_in_flight) {
  StepHost host;
  BOOST_TEST(look(host.graph).nodes == 0U);
}

BOOST_AUTO_TEST_CASE(a_clients_numbers_do_not_hide_what_waits_for_what) {
  GraphOptions options;
  options.shares_workers = true;
  options.first_id = 1000000;
  StepHost host(options);
  double x = 0;
  const Handle a = scalar(host.graph, x);
  const std::vector<Access> accesses{a};
  const Future first = host.graph.submit({kTouch, accesses, {}, {}, 1}).value_or_throw();
  const Future second = host.graph.submit({kTouch, accesses, {}, {}, 2}).value_or_throw();
  BOOST_TEST((look(host.graph).edges == std::multiset<std::string>{edge(first, second)}));
}

BOOST_AUTO_TEST_CASE(tasks_edges_and_names_are_those_in_flight) {
  StepHost host;
  double x = 0;
  double y = 0;
  const Handle hx = scalar(host.graph, x);
  const Handle hy = scalar(host.graph, y);
  const Future a = submit(host.graph, kTouch, {hx}, {.name = "a"});
  const Future b = submit(host.graph, kTouch, {hx}, {.name = "b"});
  const Future c = submit(host.graph, kTouch, {hy}, {.name = "c", .after = {b}});
  Seen seen = look(host.graph);
  BOOST_TEST(seen.nodes == 3U);
  BOOST_TEST((seen.edges == std::multiset<std::string>{edge(a, b), edge(b, c)}));
  host.step();
  seen = look(host.graph);
  std::sort(seen.names.begin(), seen.names.end());
  BOOST_TEST((seen.names == std::vector<std::string>{"b", "c"}));
  BOOST_TEST((seen.edges == std::multiset<std::string>{edge(b, c)}));
  host.run_all();
  BOOST_TEST(look(host.graph).nodes == 0U);
}

BOOST_AUTO_TEST_CASE(a_parked_task_waits_for_the_holder_of_its_lock) {
  StepHost host;
  double x = 0;
  const Handle hx = scalar(host.graph, x);
  submit(host.graph, kCommute, {hx});
  submit(host.graph, kCommute, {hx});
  Task* const first = host.ready.pop_front();
  Task* const second = host.ready.pop_front();
  TaskList ready;
  BOOST_TEST((host.graph.begin(*first, WorkerId(0), ready) == Begin::run));
  BOOST_TEST((host.graph.begin(*second, WorkerId(0), ready) == Begin::parked));
  const Seen seen = look(host.graph);
  BOOST_TEST(seen.parked == 1U);
  BOOST_TEST((seen.edges == std::multiset<std::string>{std::to_string(first->task_id().value()) + ">" +
                                                       std::to_string(second->task_id().value())}));
  host.graph.complete(*first, nullptr, WorkerId(0), host.ready);
  host.run_all();
  BOOST_TEST(look(host.graph).nodes == 0U);
}

BOOST_AUTO_TEST_CASE(what_the_workers_say_is_believed_only_of_tasks_in_flight) {
  StepHost host;
  double x = 0;
  const Handle hx = scalar(host.graph, x);
  submit(host.graph, kTouch, {hx});
  Task* const task = host.ready.front();
  const auto activity = [&] {
    std::size_t running = 0;
    host.graph.inspect(
        [&] {
          return std::vector<RunningTask>{{task, WorkerId(0), TimeStamp(5)}};
        },
        [&](const GraphSnapshot& snapshot) {
          for (const TaskNode& node : snapshot.nodes) {
            if (node.activity == TaskActivity::running && node.since == TimeStamp(5)) ++running;
          }
        });
    return running;
  };
  BOOST_TEST(activity() == 1U);
  host.run_all();
  BOOST_TEST(activity() == 0U);
}

BOOST_AUTO_TEST_CASE(data_that_the_program_holds_are_a_node_with_a_name) {
  StepHost host;
  double x = 0;
  const Handle hx = scalar(host.graph, x, "pressure");
  Task* const hold = host.graph.acquire(hx, AccessMode::read_write).value_or_throw();
  submit(host.graph, kTouch, {hx});
  const Seen seen = look(host.graph);
  BOOST_TEST(seen.nodes == 2U);
  BOOST_TEST((seen.data == std::vector<std::string>{"'pressure'"}));
  BOOST_TEST(seen.edges.size() == 1U);
  host.graph.give_back(hold);
  host.run_all();
}

/// One thread takes snapshots all the time, while workers complete tasks, use task records again and wait for commute
/// locks, and other threads wait for tasks. In every snapshot, each edge must go from an older to a younger task,
/// except edges of commute locks.
BOOST_AUTO_TEST_CASE(a_look_never_disturbs_nor_is_disturbed) {
  ThreadHost host({.workers = 3, .window = 256, .seed = 5});
  TaskGraph& graph = host.graph();
  std::vector<double> values(6);
  std::vector<Handle> handles;
  for (double& value : values) handles.push_back(scalar(graph, value, "v"));
  const Codelet mixed = Codelet::variadic("mixed").cpu([](const KernelContext&) {});
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::atomic<int> looks{0};
  std::thread observer([&] {
    while (!done) {
      graph.inspect([] { return std::vector<RunningTask>{}; },
                    [&](const GraphSnapshot& snapshot) {
                      for (const TaskEdge& edge : snapshot.edges) {
                        const TaskNode& from = snapshot.nodes[edge.predecessor];
                        const TaskNode& to = snapshot.nodes[edge.successor];
                        if (edge.kind != TaskEdge::Kind::commute && !(from.id < to.id)) ++wrong;
                      }
                      for (const TaskNode& node : snapshot.nodes) {
                        if (node.name != nullptr && node.name->substr(0, 5) != "named") ++wrong;
                      }
                    });
      ++looks;
    }
  });
  for (int round = 0; round < 10 || looks < 30; ++round) {
    Future last;
    for (int i = 0; i < 300; ++i) {
      const auto at = [&](int k) { return handles[static_cast<std::size_t>((i * 5 + k) % 6)]; };
      const std::vector<Access> accesses{read(at(0)), read_write(at(1)), commute(at(2)), read(at(3)), read(at(4))};
      last = submit(graph, mixed, accesses, {.name = i % 4 == 0 ? "named" + std::string(40, 'x') : ""});
    }
    BOOST_TEST(graph.wait(last).ok());
  }
  BOOST_TEST(graph.wait_all().ok());
  done = true;
  observer.join();
  BOOST_TEST(wrong == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
