#include "actors/running/sharing_graph.hpp"
#include "graph/codelets/codelet_definition.hpp"

#include <algorithm>
#include <limits>

namespace troupe::actors {

namespace {

/// The window of a graph without a limit: more tasks than memory could hold.
constexpr std::size_t kNoWindow = std::numeric_limits<std::size_t>::max() / 2;

constexpr std::size_t kMostNamedDevices = 64;

graph::GraphOptions options_of(graph::GraphOptions options, const ClientGraphOptions& client, workers::Share& share) {
  options.shares_workers = true;
  options.owner = &share;
  options.endings = client.endings;
  options.nesting = {.budget = client.nesting};
  options.window = kNoWindow;
  // This option limits the number of sets of workers that tasks name, because each set lives as long as the runtime.
  options.most_named_devices = kMostNamedDevices;
  // Observers that need future tasks rely on a single graph with rising ids, so clients' graphs have no such observers.
  options.observers.clear();
  return options;
}

}  // namespace

SharingGraph::SharingGraph(RuntimeSystem::Implementation& runtime, const ClientGraphOptions& options)
    : runtime_(runtime),
      name_(options.name),
      share_(runtime.crew_->shares->open(options.weight, options.user)),
      graph_(options_of(runtime.graph_.options(), options, share_), runtime) {}

SharingGraph::~SharingGraph() {
  graph_.cancel_all();
  // Failures were reported to the client that submitted the tasks, and the client no longer exists.
  [[maybe_unused]] Result<void> outcome = graph_.wait_until_ended();
  graph_.release_all();
  // This second call waits for tasks that waited only for data that the program had acquired.
  outcome = graph_.wait_until_ended();
  {
    const LockGuard lock(runtime_.clients_.mutex);
    std::erase(runtime_.clients_.open, this);
    runtime_.clients_.codelets.merge(graph_.take_codelets());
  }
  // A task counts as ended before the worker stops using the share.
  while (share_.active.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  runtime_.crew_->shares->close(share_);
}

LiveClient SharingGraph::look() const {
  const Progress progress = graph_.progress();
  LiveClient client;
  client.name = name_;
  client.weight = runtime_.crew_->shares->weight_among_all(share_);
  client.ready = share_.count_waiting();
  client.submitted = progress.submitted;
  client.ended = progress.ended;
  client.worker_time = worker_time();
  return client;
}

std::unique_ptr<ClientGraph> RuntimeSystem::Implementation::open_graph(const ClientGraphOptions& options) {
  auto client = std::make_unique<SharingGraph>(*this, options);
  const LockGuard lock(clients_.mutex);
  clients_.open.push_back(client.get());
  return client;
}

LiveWorker RuntimeSystem::Implementation::look_at_worker(std::size_t index) {
  const workers::WorkerPort& port = crew_->ports[index];
  LiveWorker worker;
  worker.device = plan_.places[index].name;
  worker.members = members_of(index);
  worker.team = port.team_use.sum();
  worker.idle = crew_->idle.contains(WorkerId(static_cast<std::uint32_t>(index)));
  worker.lost = port.lost.load(std::memory_order_relaxed);
  worker.deque_length = port.deque.size();
  worker.tasks = port.counters.tasks.load(std::memory_order_relaxed);
  worker.busy = port.counters.busy(mode_->clock().now());
  const graph::Task* const task = port.running.load(std::memory_order_acquire);
  if (task == nullptr) return worker;
  graph::TaskGraph* graph = crew_->shares ? port.running_graph.load(std::memory_order_relaxed) : nullptr;
  const SharingGraph* client = nullptr;
  for (const SharingGraph* one : clients_.open) {
    if (&const_cast<SharingGraph*>(one)->graph() == graph) client = one;
  }
  if (graph == nullptr) graph = &graph_;
  if (client == nullptr && graph != &graph_) return worker;  // the client has ended meanwhile
  graph->while_tasks_stay([&] {
    if (port.running.load(std::memory_order_acquire) != task) return;
    const bool named = task->extras && !task->extras->name.empty();
    if (task->codelet != nullptr) worker.codelet = task->codelet->name;
    worker.task = named ? task->extras->name : worker.codelet;
    worker.running_for =
        std::max(Duration{}, mode_->clock().now() - TimeStamp(port.running_since.load(std::memory_order_relaxed)));
    if (client != nullptr) worker.client = client->name();
  });
  return worker;
}

LiveView RuntimeSystem::Implementation::look() {
  LiveView view;
  view.policy = plan_.policy.name;
  view.entry_queue = crew_->entry.size();
  view.mailboxes = metrics();
  if (gate_) view.transfers = gate_->transfers();
  if (scheduling_) view.predictions = scheduling_->state->predictions();
  for (const MemoryUse& memory : view.transfers.memories) {
    view.memories.push_back({mode_->memories()->name(memory.node), memory.capacity, memory.used});
  }
  const LockGuard lock(clients_.mutex);
  for (std::size_t i = 0; i < plan_.places.size(); ++i) view.workers.push_back(look_at_worker(i));
  for (const SharingGraph* client : clients_.open) view.clients.push_back(client->look());
  return view;
}

}  // namespace troupe::actors
