#include "actors/observation/stall_explanation.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace troupe::observation {

using graph::GraphSnapshot;
using graph::TaskActivity;
using graph::TaskEdge;
using graph::TaskNode;
using graph::TaskRole;
using graph::WaitKind;

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The edges, sorted by one of their ends: the edges of node i are `order[begin[i]] … order[begin[i + 1] - 1]`.
struct Adjacency {
  template <class End>
  Adjacency(const GraphSnapshot& graph, const End& end) : begin(graph.nodes.size() + 1, 0), order(graph.edges.size()) {
    for (const TaskEdge& edge : graph.edges) ++begin[end(edge) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < graph.edges.size(); ++i) order[next[end(graph.edges[i])]++] = i;
  }
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> order;
};

class Explanation {
 public:
  Explanation(const GraphSnapshot& graph, const CrewSnapshot& crew, const ExplanationLimits& limits)
      : graph_(graph),
        crew_(crew),
        limits_(limits),
        predecessors_(graph, [](const TaskEdge& edge) { return edge.successor; }),
        cause_(graph.nodes.size(), kNone) {
    for (const graph::NodeData& data : graph.data) data_.emplace(data.node, &data);
  }

  WhyReport make() {
    count();
    find_causes();
    spread_causes();
    rank_causes();
    list_waiting();
    list_workers();
    list_threads();
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool waits(std::uint32_t i) const {
    const TaskNode& node = graph_.nodes[i];
    return node.activity == TaskActivity::none && (node.pending > 0 || node.parked);
  }
  [[nodiscard]] bool has_predecessors(std::uint32_t i) const {
    return predecessors_.begin[i] != predecessors_.begin[i + 1];
  }
  [[nodiscard]] bool is_task(std::uint32_t i) const { return graph_.nodes[i].role != TaskRole::host; }
  [[nodiscard]] Duration since(TimeStamp begin) const {
    return begin == TimeStamp{} ? Duration{} : std::max(crew_.now - begin, Duration(1));
  }
  [[nodiscard]] const std::string& data_of(std::uint32_t i) const {
    static const std::string unknown = "data";
    const auto found = data_.find(i);
    return found == data_.end() ? unknown : found->second->data;
  }

  [[nodiscard]] static std::string pieces_of(const WhyTask& task) {
    if (task.pieces == 0) return {};
    return ", " + std::to_string(task.pieces_begun) + " of " + std::to_string(task.pieces) + " pieces begun";
  }

  [[nodiscard]] WhyTask task_of(std::uint32_t i) const {
    const TaskNode& node = graph_.nodes[i];
    WhyTask task;
    task.id = node.tag != 0 ? TaskId(node.tag) : node.id;
    if (node.name != nullptr) task.name = *node.name;
    if (node.codelet != nullptr) task.codelet = *node.codelet;
    task.pieces = node.pieces;
    task.pieces_begun = node.pieces_begun;
    switch (node.role) {
      case TaskRole::host:
        // A host task has a name only if the graph made the task for itself. The end of a coroutine has no data.
        task.text = !task.name.empty() ? "the " + task.name + " of "
                    : waits(i)         ? "a thread's wait for "
                                       : "the program's use of ";
        task.text += !task.name.empty() && data_.find(i) == data_.end() ? "a coroutine" : data_of(i);
        break;
      case TaskRole::combine: task.text = "the combining of " + data_of(i); break;
      case TaskRole::replay:
        task.text = "run " + std::to_string(task.id.value()) + " of the recorded graph '" + task.name + "'";
        break;
      case TaskRole::user:
      case TaskRole::stand_in:
      case TaskRole::recorded:
      case TaskRole::recorded_nested:
        task.text = (node.child_of_client ? "child " : "task ") + std::to_string(task.id.value());
        if (!task.name.empty()) task.text += " '" + task.name + "'";
        if (!task.codelet.empty()) task.text += " (codelet " + task.codelet + pieces_of(task) + ")";
        break;
    }
    return task;
  }

  void count() {
    report_.counts.submitted = graph_.submitted;
    report_.counts.ended = graph_.ended;
    report_.counts.in_flight = graph_.submitted - std::min(graph_.submitted, graph_.ended);
    report_.counts.left_out = graph_.left_out;
    report_.counts.in_entry_queue = crew_.in_entry_queue;
    report_.counts.undecided = crew_.undecided;
    report_.policy = crew_.policy;
    report_.scheduler_died = crew_.scheduler_died;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!is_task(i)) continue;
      if (graph_.nodes[i].activity != TaskActivity::none) {
        ++report_.counts.running;
      } else if (waits(i)) {
        ++report_.counts.waiting;
      } else {
        ++report_.counts.ready;
      }
    }
  }

  /// Returns the kind of a cause. A cause is a task that waits for no other task.
  [[nodiscard]] WhyKind kind_of(const TaskNode& node) const {
    if (node.activity == TaskActivity::running) return WhyKind::running;
    if (node.activity == TaskActivity::outside) return WhyKind::another_runtime;
    if (node.activity == TaskActivity::callback) return WhyKind::callback;
    if (node.role == TaskRole::host) return WhyKind::held_by_program;
    if (!node.runnable) return WhyKind::no_worker;
    if (crew_.fetching.contains(node.id)) return WhyKind::fetching;
    // Only the scheduler knows which tasks are undecided. So ready tasks count as undecided if there are undecided
    // tasks and no worker's deque holds any task.
    const bool placed = std::any_of(crew_.workers.begin(), crew_.workers.end(),
                                    [](const CrewSnapshot::Worker& worker) { return worker.queued > 0; });
    return crew_.undecided > 0 && !placed ? WhyKind::undecided : WhyKind::ready;
  }

  void find_causes() {
    std::uint32_t ready = kNone;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      // A waiting task is no cause, not even if its predecessors have ended and left it without edges in the snapshot.
      if (waits(i)) continue;
      const TaskNode& node = graph_.nodes[i];
      const WhyKind kind = kind_of(node);
      const bool shared = kind == WhyKind::ready || kind == WhyKind::undecided;
      if (shared && ready != kNone) {
        cause_[i] = ready;
        ++causes_[ready].tasks;
        if (node.id < graph_.nodes[roots_[ready]].id) roots_[ready] = i;
        continue;
      }
      cause_[i] = static_cast<std::uint32_t>(causes_.size());
      if (shared) ready = cause_[i];
      WhyCause cause;
      cause.kind = kind;
      cause.worker = node.worker;
      cause.lasting = since(node.since);
      if (kind == WhyKind::fetching) cause.data = crew_.fetching.at(node.id);
      causes_.push_back(std::move(cause));
      roots_.push_back(i);
    }
  }

  /// Returns true if cause `a` is a more important reason for a task's wait than cause `b`.
  [[nodiscard]] bool graver(std::uint32_t a, std::uint32_t b) const {
    if (b == kNone) return a != kNone;
    if (a == kNone || a == b) return false;
    const auto rank = [](WhyKind kind) {
      switch (kind) {
        case WhyKind::no_worker: return 3;
        case WhyKind::held_by_program: return 2;
        case WhyKind::running:
        case WhyKind::another_runtime:
        case WhyKind::fetching:
        case WhyKind::callback: return 1;
        default: return 0;
      }
    };
    const WhyCause& first = causes_[a];
    const WhyCause& second = causes_[b];
    if (rank(first.kind) != rank(second.kind)) return rank(first.kind) > rank(second.kind);
    if (first.lasting != second.lasting) return first.lasting > second.lasting;
    return a < b;
  }

  void spread_causes() {
    const Adjacency successors(graph_, [](const TaskEdge& edge) { return edge.predecessor; });
    std::vector<std::uint32_t> left(graph_.nodes.size());
    std::vector<std::uint32_t> settled;
    for (std::uint32_t i = 0; i < left.size(); ++i) {
      left[i] = predecessors_.begin[i + 1] - predecessors_.begin[i];
      if (left[i] == 0) settled.push_back(i);
    }
    while (!settled.empty()) {
      const std::uint32_t i = settled.back();
      settled.pop_back();
      if (cause_[i] != kNone && waits(i) && is_task(i)) ++causes_[cause_[i]].waiting;
      for (std::uint32_t e = successors.begin[i]; e < successors.begin[i + 1]; ++e) {
        const std::uint32_t successor = graph_.edges[successors.order[e]].successor;
        if (waits(successor) && graver(cause_[i], cause_[successor])) cause_[successor] = cause_[i];
        if (--left[successor] == 0) settled.push_back(successor);
      }
    }
  }

  void rank_causes() {
    for (const TaskEdge& edge : graph_.edges) {
      if (!waits(edge.predecessor) && waits(edge.successor)) causes_[cause_[edge.predecessor]].blocks = true;
    }
    std::vector<std::uint32_t> order(causes_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return causes_[a].waiting != causes_[b].waiting ? causes_[a].waiting > causes_[b].waiting : graver(a, b);
    });
    for (const std::uint32_t i : order) {
      if (report_.causes.size() == limits_.causes) {
        ++report_.more_causes;
        continue;
      }
      WhyCause cause = causes_[i];
      cause.task = task_of(roots_[i]);
      if (const auto data = data_.find(roots_[i]); data != data_.end()) {
        cause.data = data->second->data;
        cause.mode = data->second->mode;
      }
      report_.causes.push_back(std::move(cause));
    }
  }

  [[nodiscard]] std::string state_of(std::uint32_t i) const {
    const TaskNode& node = graph_.nodes[i];
    const auto lasting = [&] { return node.since == TimeStamp{} ? "" : " since " + in_words(since(node.since)); };
    const std::string unwanted = node.unwanted ? ", though it was cancelled: its kernel has not asked" : "";
    if (waits(i)) return "waits itself";
    switch (kind_of(node)) {
      case WhyKind::running: return "runs on worker " + std::to_string(node.worker.value()) + lasting() + unwanted;
      case WhyKind::another_runtime: return "waits in its kernel for another runtime" + lasting();
      case WhyKind::callback:
        return "has its callback running on worker " + std::to_string(node.worker.value()) + lasting();
      case WhyKind::held_by_program: return "goes on" + lasting();
      case WhyKind::ready: return "is ready, but has not started";
      case WhyKind::undecided: return "is ready, but has not been placed on a worker";
      case WhyKind::no_worker: return "has no worker that it can run on";
      case WhyKind::fetching: return "waits for " + crew_.fetching.at(node.id);
    }
    return {};
  }

  void list_waiting() {
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (waits(i) && has_predecessors(i)) waiting.push_back(i);
    }
    const std::size_t shown = std::min(waiting.size(), limits_.tasks);
    std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(shown), waiting.end(),
                      [this](std::uint32_t a, std::uint32_t b) { return graph_.nodes[a].id < graph_.nodes[b].id; });
    report_.more_tasks = waiting.size() - shown;
    for (std::size_t w = 0; w < shown; ++w) report_.tasks.push_back(waiting_task(waiting[w]));
  }

  [[nodiscard]] WhyWaiting waiting_task(std::uint32_t i) const {
    WhyWaiting waiting;
    waiting.task = task_of(i);
    for (std::uint32_t e = predecessors_.begin[i]; e < predecessors_.begin[i + 1]; ++e) {
      if (waiting.blockers.size() == limits_.blockers) {
        ++waiting.more_blockers;
        continue;
      }
      const TaskEdge& edge = graph_.edges[predecessors_.order[e]];
      WhyBlocker blocker;
      blocker.task = task_of(edge.predecessor);
      blocker.relation = edge.kind == TaskEdge::Kind::commute               ? WhyBlocker::Relation::commute_lock
                         : edge.kind == TaskEdge::Kind::explicit_dependency ? WhyBlocker::Relation::explicit_dependency
                                                                            : WhyBlocker::Relation::data;
      blocker.state = state_of(edge.predecessor);
      waiting.blockers.push_back(std::move(blocker));
    }
    return waiting;
  }

  void list_workers() {
    for (std::uint32_t w = 0; w < crew_.workers.size(); ++w) {
      WhyWorker worker;
      worker.worker = WorkerId(w);
      worker.device = crew_.workers[w].device;
      worker.state = crew_.workers[w].asleep ? WhyWorkerState::asleep : WhyWorkerState::awake;
      worker.queued = crew_.workers[w].queued;
      worker.lent_to = crew_.workers[w].lent_to;
      if (crew_.workers[w].regroups) worker.state = WhyWorkerState::regrouping;
      if (worker.lent_to.valid()) worker.state = WhyWorkerState::lent;
      worker.members = crew_.workers[w].members;
      worker.team = crew_.workers[w].team;
      report_.workers.push_back(std::move(worker));
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const TaskNode& node = graph_.nodes[i];
      if (node.activity == TaskActivity::none || node.activity == TaskActivity::outside ||
          node.worker.index() >= report_.workers.size())
        continue;
      WhyWorker& worker = report_.workers[node.worker.index()];
      worker.state = node.activity == TaskActivity::running ? WhyWorkerState::running : WhyWorkerState::callback;
      worker.task = task_of(i);
      worker.lasting = since(node.since);
    }
    for (const graph::TaskHelp& help : graph_.helps) {
      if (help.worker.index() >= report_.workers.size()) continue;
      WhyWorker& worker = report_.workers[help.worker.index()];
      worker.state = WhyWorkerState::running;
      worker.task = task_of(help.node);
      worker.lasting = since(help.since);
    }
  }

  [[nodiscard]] std::string words_of(const graph::ThreadWait& wait, const WhyTask& task,
                                     const std::string& data) const {
    switch (wait.kind) {
      case WaitKind::everything: return "waits for every task";
      case WaitKind::task: return "waits for " + task.text;
      case WaitKind::data: return "waits for " + data;
      case WaitKind::change: return "waits until no task uses " + data + ", to change its handle";
      case WaitKind::release: return "waits for the last use of " + data + ", to release it";
      case WaitKind::room:
        return "is blocked in submit: the window of " + std::to_string(graph_.window) + " tasks is full";
      case WaitKind::children: return "waits, in a kernel, for the tasks that belong to " + task.text;
    }
    return {};
  }

  void list_threads() {
    constexpr std::array kKinds{"everything", "task", "data", "change", "release", "room", "children"};
    std::unordered_map<std::uint64_t, std::uint32_t> by_id;
    for (std::size_t w = 0; w < std::min(graph_.waits.size(), limits_.threads); ++w) {
      if (graph_.waits[w].task.valid()) by_id.emplace(graph_.waits[w].task.value(), kNone);
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size() && !by_id.empty(); ++i) {
      if (const auto found = by_id.find(graph_.nodes[i].id.value()); found != by_id.end()) found->second = i;
    }
    for (const graph::ThreadWait& wait : graph_.waits) {
      if (report_.threads.size() == limits_.threads) {
        ++report_.more_threads;
        continue;
      }
      WhyThread thread;
      thread.kind = kKinds[static_cast<std::size_t>(wait.kind)];
      const std::uint32_t node = wait.task.valid() ? by_id[wait.task.value()] : kNone;
      // The snapshot lacks a task that has just ended, though a thread that waits for the task may not be awake yet.
      thread.task.text = "a task that has ended";
      if (node != kNone) thread.task = task_of(node);
      thread.text = words_of(wait, thread.task, node == kNone ? "data" : data_of(node));
      thread.lasting = since(wait.since);
      report_.threads.push_back(std::move(thread));
    }
  }

  const GraphSnapshot& graph_;
  const CrewSnapshot& crew_;
  const ExplanationLimits& limits_;
  const Adjacency predecessors_;
  std::unordered_map<std::uint32_t, const graph::NodeData*> data_;
  std::vector<WhyCause> causes_;
  /// For each cause, the index of its task's node in the graph snapshot.
  std::vector<std::uint32_t> roots_;
  /// For each node, the index of its cause in `causes_`.
  std::vector<std::uint32_t> cause_;
  WhyReport report_;
};

}  // namespace

WhyReport explain(const GraphSnapshot& graph, const CrewSnapshot& crew, const ExplanationLimits& limits) {
  return Explanation(graph, crew, limits).make();
}

}  // namespace troupe::observation
