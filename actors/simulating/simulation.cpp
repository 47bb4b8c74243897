#include "actors/simulating/simulation.hpp"

#include <algorithm>

#include "actors/copy_ends.hpp"
#include "actors/simulating/model_error.hpp"
#include "graph/data/data_registry.hpp"
#include "platform/accelerators/block_copy.hpp"
#include "troupe/devices.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

using platform::LinkNetwork;

constexpr double kBytesPerMegabyte = 1e6;

/// Returns the description's number for a memory node of the run: 0 is the host, k + 1 is GPU k.
std::size_t described_node(const SimulationOptions& options, std::size_t node) {
  return node == 0 ? 0 : static_cast<std::size_t>(options.gpus[node - 1]) + 1;
}

const platform::DescribedRoute& route(const SimulationOptions& options, std::size_t from, std::size_t to) {
  return options.machine.route(described_node(options, from), described_node(options, to));
}

std::vector<LinkNetwork::Link> links_of(const SimulationOptions& options) {
  std::vector<LinkNetwork::Link> links;
  for (const auto& link : options.machine.links) links.push_back({link.bandwidth_mb_per_s * kBytesPerMegabyte});
  return links;
}

std::vector<LinkNetwork::Route> routes_of(const SimulationOptions& options) {
  const std::size_t nodes = options.gpus.size() + 1;
  std::vector<LinkNetwork::Route> routes(nodes * nodes);
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const auto& described = route(options, from, to);
      routes[from * nodes + to] = {described.links, described.bandwidth_mb_per_s * kBytesPerMegabyte,
                                   described.latency};
    }
  }
  return routes;
}

/// Returns true if a copy between two nodes goes through host memory.
bool is_staged(const SimulationOptions& options, std::size_t from, std::size_t to) {
  return !options.copies.peer && from != 0 && to != 0;
}

/// The time of one copy on idle links, from the description.
struct CopyTime {
  Duration latency{0};
  double ns_per_byte = 0;
  int copies = 1;
};

CopyTime copy_time(const SimulationOptions& options, std::size_t from, std::size_t to) {
  if (is_staged(options, from, to)) {
    const CopyTime up = copy_time(options, from, 0);
    const CopyTime down = copy_time(options, 0, to);
    return {up.latency + down.latency, up.ns_per_byte + down.ns_per_byte, 2};
  }
  const auto& described = route(options, from, to);
  return {described.latency, 1e9 / (described.bandwidth_mb_per_s * kBytesPerMegabyte)};
}

KindSet kinds_of(const std::vector<DescribedDevice>& workers) {
  KindSet kinds = 0;
  for (const DescribedDevice& worker : workers) kinds |= kind_set(worker.type.kind);
  return kinds;
}

Bytes capacity_of(const SimulationOptions& options, std::size_t node) {
  const auto gpu = static_cast<std::size_t>(options.gpus[node - 1]);
  const Bytes memory = options.accelerators.gpu_memory.value_or(options.machine.gpus[gpu].memory);
  return {static_cast<std::uint64_t>(static_cast<double>(memory.count) * options.accelerators.memory_fraction)};
}

}  // namespace

Simulation::Simulation(SimulationOptions options, std::vector<DescribedDevice> workers,
                       std::shared_ptr<scheduler::SubmittedTasks> submitted, HostViews& views)
    : options_(std::move(options)),
      workers_(std::move(workers)),
      stand_ins_(options_, kinds_of(workers_)),
      timer_(options_, workers_, std::move(submitted)),
      network_(time_, links_of(options_), options_.gpus.size() + 1, routes_of(options_), options_.copies.overhead,
               options_.copies.streams ? LinkNetwork::Queueing::streams : LinkNetwork::Queueing::pairs),
      views_(views),
      lost_(options_.gpus.size() + 1) {
  for (std::size_t node = 0; node <= options_.gpus.size(); ++node) {
    platform::FaultOptions faults = node == 0 ? platform::FaultOptions{} : options_.disturbances.faults;
    faults.seed += node;
    faults_.push_back(std::make_unique<platform::FaultPlan>(faults));
  }
  if (!options_.real_buffers) return;
  arenas_.push_back(nullptr);
  for (std::size_t node = 1; node <= options_.gpus.size(); ++node) {
    auto arena = platform::HostBuffer::allocate(capacity_of(options_, node));
    arenas_.push_back(std::make_unique<platform::HostBuffer>(std::move(arena).value_or_throw()));
  }
}

memory::MemoryOptions Simulation::memory_options() const {
  memory::MemoryOptions memory;
  const std::size_t nodes = options_.gpus.size() + 1;
  for (std::size_t node = 0; node < nodes; ++node) {
    memory.nodes.push_back({node != 0, node == 0 ? Bytes{} : capacity_of(options_, node)});
  }
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      memory::LinkCost cost;
      if (from != to) {
        const CopyTime time = copy_time(options_, from, to);
        cost = {time.latency, time.ns_per_byte * 1e-9};
      }
      memory.costs.push_back(cost);
    }
  }
  memory.write_back_finished = options_.copies.write_back_finished;
  return memory;
}

scheduler::TransferModel Simulation::believed_links() const {
  const std::size_t nodes = options_.gpus.size() + 1;
  const ModelError error(options_.knowledge.bandwidth_error, options_.seed + 1);
  std::vector<scheduler::TransferModel::Pair> pairs(nodes * nodes);
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const CopyTime time = copy_time(options_, from, to);
      pairs[from * nodes + to] = {time.latency + time.copies * options_.copies.overhead,
                                  time.ns_per_byte * error.factor(from * nodes + to)};
    }
  }
  return {nodes, std::move(pairs)};
}

std::unique_ptr<scheduler::ExecutionModel> Simulation::believed_times() {
  const bool learned = options_.knowledge.model == SimulationOptions::Model::learned;
  return learned ? learned_model(timer_, workers_, options_.knowledge.kernel_error, options_.seed)
                 : exact_model(timer_, workers_, options_.knowledge.kernel_error, options_.seed);
}

Result<Duration> Simulation::duration(const graph::Task& task, WorkerId worker) {
  const auto time = timer_.time(task, worker);
  if (!time) return time.failure();
  return kernel_duration(options_, time.value(), workers_[worker.index()].type.kind, task.task_id());
}

Duration Simulation::launch_of(WorkerId worker) const {
  const DescribedDevice& device = workers_[worker.index()];
  if (!is_accelerator(device.type.kind)) return Duration::zero();
  return options_.accelerators.launch.value_or(options_.machine.gpus[device.gpu].launch);
}

Duration Simulation::notice_of(WorkerId worker) const {
  const DescribedDevice& device = workers_[worker.index()];
  if (!is_accelerator(device.type.kind)) return Duration::zero();
  return options_.accelerators.notice.value_or(options_.machine.gpus[device.gpu].notice);
}

std::unique_ptr<workers::Device> Simulation::make_device(DeviceSetup setup, workers::DeviceListener& listener) {
  const WorkerId worker = setup.executor.worker;
  workers::ModelledDevice::Options device;
  device.core = std::move(setup.executor);
  device.executes = options_.real_buffers;
  device.time = &time_;
  device.cores = [this, worker] { return workers_[worker.index()].type.cores; };
  device.launch = launch_of(worker);
  device.notice = notice_of(worker);
  device.duration = [this, worker](const graph::Task& task) { return duration(task, worker); };
  if (options_.disturbances.faults.any() && setup.node != memory::kHost) {
    device.fault = [this, worker, node = setup.node](const graph::Task& task) { return fault(task, worker, node); };
  }
  return std::make_unique<workers::ModelledDevice>(std::move(device), listener);
}

void Simulation::copy(const memory::Command& transfer, platform::CopyDone done) {
  Copy& copy = under_way_[transfer.transfer];
  copy = {transfer, std::move(done), {}, time_.now()};
  if (transfer.from == transfer.to) {
    // Descriptions of machines give no times for copies inside one memory. Such copies take no time here, because they
    // are fast compared with copies over links.
    time_.after(Duration::zero(), [this, id = transfer.transfer] { end(id); });
  } else if (is_staged(options_, transfer.from.index(), transfer.to.index())) {
    copy.id = network_.start(transfer.from.index(), 0, transfer.bytes, transfer.waited_for,
                             [this, id = transfer.transfer] { copy_on(under_way_.at(id), memory::kHost); });
  } else {
    copy_on(copy, transfer.from);
  }
}

void Simulation::copy_on(Copy& copy, NodeId from) {
  const memory::Command& transfer = copy.transfer;
  copy.id = network_.start(from.index(), transfer.to.index(), transfer.bytes, transfer.waited_for,
                           [this, id = transfer.transfer] { end(id); });
}

void Simulation::hurry(memory::TransferId transfer) {
  const auto found = under_way_.find(transfer);
  if (found == under_way_.end() || found->second.transfer.from == found->second.transfer.to) return;
  found->second.transfer.waited_for = true;
  network_.make_urgent(found->second.id);
}

void Simulation::end(memory::TransferId transfer) {
  auto ended = under_way_.extract(transfer);
  const Copy& copy = ended.mapped();
  const Result<void> outcome = fault(copy.transfer);
  if (options_.real_buffers && outcome) move_bytes(copy.transfer);
  const memory::Command& command = copy.transfer;
  if (records_copies_ && outcome && command.from != command.to) {
    copies_.push_back({command.handle, command.from, command.to, command.bytes, copy.asked, time_.now()});
  }
  copy.done(outcome);
}

Result<void> Simulation::lost(NodeId node) const {
  if (!lost_[node.index()]) return {};
  return Failure{ErrorCode::device_lost, name(node) + " was lost (injected fault)"};
}

graph::FailureLog::Cause Simulation::fault(const graph::Task& task, WorkerId worker, NodeId node) {
  platform::FaultPlan& plan = *faults_[node.index()];
  if (plan.lost() && !lost_[node.index()]) {
    lost_[node.index()] = true;
    if (on_lost_) on_lost_(node);
  }
  Result<void> outcome = lost(node);
  if (outcome && plan.kernel_fails()) outcome = Failure{ErrorCode::kernel_failed, "injected fault"};
  if (outcome) return nullptr;
  return std::make_shared<Failure>(Failure{outcome.failure().code, graph::describe(task) + " failed on worker " +
                                                                       std::to_string(worker.value()) + " (" +
                                                                       name(node) + "): " + outcome.failure().message});
}

Result<void> Simulation::fault(const memory::Command& transfer) {
  for (const NodeId node : {transfer.from, transfer.to}) {
    if (auto there = lost(node); !there) return there;
  }
  // A copy between two GPUs fails if the receiver's fault plan says so.
  const NodeId node = transfer.to == memory::kHost ? transfer.from : transfer.to;
  if (!faults_[node.index()]->copy_fails()) return {};
  return Failure{ErrorCode::transfer_failed,
                 "a copy from " + name(transfer.from) + " to " + name(transfer.to) + " failed: injected fault"};
}

DataView Simulation::replica(const DataView& host, NodeId node, std::uint64_t offset) const {
  if (node == memory::kHost) return host;
  return {arenas_[node.index()]->data() + offset, host.layout.packed()};
}

std::string Simulation::name(NodeId node) const {
  return node == memory::kHost ? "host memory" : "GPU " + std::to_string(options_.gpus[node.index() - 1]);
}

void Simulation::move_bytes(const memory::Command& transfer) {
  const auto ends = CopyEnds::borrow(views_, transfer);
  // The data or the halo part are no longer registered, so their content is not needed.
  if (!ends) return;
  const platform::BlockCopy copy = ends->copy(*this, transfer);
  platform::move_bytes(copy, 0, copy.bytes().count);
  views_.give_back(transfer.handle);
}

TransferReport Simulation::transfers() const {
  TransferReport report;
  const std::size_t nodes = options_.gpus.size() + 1;
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const auto traffic = network_.pair_statistics(from, to);
      if (traffic.copies == 0) continue;
      report.pairs.push_back({NodeId(static_cast<std::uint32_t>(from)), NodeId(static_cast<std::uint32_t>(to)),
                              traffic.bytes, traffic.copies, traffic.busy});
      (from == 0 ? report.host_to_device : to == 0 ? report.device_to_host : report.device_to_device) += traffic.bytes;
    }
  }
  for (std::size_t i = 0; i < network_.links().size(); ++i) {
    const auto traffic = network_.link_statistics(i);
    if (traffic.bytes.count == 0) continue;
    const platform::DescribedLink& link = options_.machine.links[i];
    report.links.push_back({link.name, link.bandwidth_mb_per_s, traffic.bytes, traffic.busy, traffic.highest_load});
  }
  return report;
}

}  // namespace troupe::actors
