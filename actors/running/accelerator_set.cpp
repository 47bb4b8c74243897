#include "actors/running/accelerator_set.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

using platform::block_copy;
using platform::CopyDirection;
using platform::CopySpeed;

constexpr std::size_t kHostNode = 0;
/// The limit for staging buffers (for copies through the host) that are kept for later copies.
constexpr std::size_t kSpareStaging = 8;

DataView packed_at(std::byte* data, const Layout& layout) { return {data, layout.packed()}; }

/// Returns the speed of two copies in succession: the latencies are added, and the times per byte are added.
CopySpeed through_the_host(const CopySpeed& first, const CopySpeed& second) {
  return {first.latency + second.latency, 1 / (1 / first.bytes_per_s + 1 / second.bytes_per_s)};
}

void add_pair(std::size_t from, std::size_t to, const platform::CopyTraffic& traffic, const std::string& name,
              const CopySpeed& speed, TransferReport& report) {
  if (traffic.copies == 0) return;
  constexpr double kBytesPerMegabyte = 1e6;
  const auto node = [](std::size_t i) { return NodeId(static_cast<std::uint32_t>(i)); };
  report.pairs.push_back({node(from), node(to), traffic.bytes, traffic.copies, traffic.busy});
  const double whole = speed.bytes_per_s * seconds(traffic.busy);
  const double load = whole > 0 ? static_cast<double>(traffic.bytes.count) / whole : 0;
  report.links.push_back({name, speed.bytes_per_s / kBytesPerMegabyte, traffic.bytes, traffic.busy, load});
}

}  // namespace

AcceleratorSet::AcceleratorSet(Setup setup) : setup_(std::move(setup)) {}

AcceleratorSet::~AcceleratorSet() { stop(); }

void AcceleratorSet::stop() {
  // The accelerators finish the copies under way, and call `end` for each of them.
  for (auto& accelerator : setup_.accelerators) accelerator->stop();
}

CopySpeed AcceleratorSet::speed(std::size_t from, std::size_t to) const {
  const auto at = [this](std::size_t node) -> const platform::Accelerator& { return *setup_.accelerators[node - 1]; };
  if (from == kHostNode) return at(to).speed(CopyDirection::to_device);
  if (to == kHostNode) return at(from).speed(CopyDirection::to_host);
  if (at(to).reaches(at(from))) return at(to).peer_speed();
  return through_the_host(at(from).speed(CopyDirection::to_host), at(to).speed(CopyDirection::to_device));
}

memory::MemoryOptions AcceleratorSet::memory_options() const {
  memory::MemoryOptions options;
  options.nodes.push_back({false, Bytes{}});
  for (const auto& accelerator : setup_.accelerators) {
    options.nodes.push_back({true, accelerator->capacity(), accelerator->largest_piece()});
  }
  for (std::size_t from = 0; from < nodes(); ++from) {
    for (std::size_t to = 0; to < nodes(); ++to) {
      if (from == to) {
        options.costs.push_back({});
        continue;
      }
      const CopySpeed between = speed(from, to);
      options.costs.push_back({between.latency, 1 / between.bytes_per_s});
    }
  }
  return options;
}

scheduler::TransferModel AcceleratorSet::believed_links() const {
  constexpr double kNanoseconds = 1e9;
  std::vector<scheduler::TransferModel::Pair> pairs(nodes() * nodes());
  for (std::size_t from = 0; from < nodes(); ++from) {
    for (std::size_t to = 0; to < nodes(); ++to) {
      if (from == to) continue;
      const CopySpeed between = speed(from, to);
      pairs[from * nodes() + to] = {between.latency, kNanoseconds / between.bytes_per_s};
    }
  }
  return {nodes(), std::move(pairs)};
}

DataView AcceleratorSet::replica(const DataView& host, NodeId node, std::uint64_t offset) const {
  return node == memory::kHost ? host : packed_at(accelerator(node).memory() + offset, host.layout);
}

bool AcceleratorSet::allocates(NodeId node) { return node == memory::kHost || accelerator(node).allocates(); }

std::string AcceleratorSet::name(NodeId node) const {
  return node == memory::kHost ? "host memory" : accelerator(node).name();
}

void AcceleratorSet::copy(const memory::Command& transfer, platform::CopyDone done) {
  // If the data or the halo part are no longer registered, their content is not needed. Then an empty copy makes the
  // transfer end outside this call.
  const auto ends = CopyEnds::borrow(*setup_.views, transfer);
  Running* running = nullptr;
  {
    const LockGuard lock(mutex_);
    running = &running_[transfer.transfer];
    *running = {transfer, std::move(done),           setup_.clock->now(), transfer.waited_for,
                nullptr,  ends.value_or(CopyEnds{}), ends.has_value()};
  }
  begin(*running);
}

void AcceleratorSet::begin(Running& running) {
  // The command is copied, because `running` no longer exists when the transfer has ended.
  const memory::Command transfer = running.transfer;
  const memory::TransferId id = transfer.transfer;
  const auto done = [this, id](const Result<void>& outcome) { end(id, outcome); };
  const bool urgent = transfer.waited_for;
  if (transfer.from == transfer.to) {
    accelerator(transfer.to).copy_inside(running.ends.copy(*this, transfer), id.value(), urgent, done);
  } else if (transfer.from == memory::kHost) {
    accelerator(transfer.to)
        .copy(CopyDirection::to_device, running.ends.copy(*this, transfer), id.value(), urgent, done);
  } else if (transfer.to == memory::kHost) {
    accelerator(transfer.from)
        .copy(CopyDirection::to_host, running.ends.copy(*this, transfer), id.value(), urgent, done);
  } else if (accelerator(transfer.to).reaches(accelerator(transfer.from))) {
    accelerator(transfer.to)
        .copy_from(accelerator(transfer.from), running.ends.copy(*this, transfer), id.value(), urgent, done);
  } else {
    begin_staged(running);
  }
}

std::unique_ptr<platform::HostBuffer> AcceleratorSet::take_staging(Bytes size) {
  {
    const LockGuard lock(mutex_);
    const auto found = std::ranges::find_if(spare_staging_, [&](const auto& spare) { return spare->size() >= size; });
    if (found != spare_staging_.end()) {
      auto taken = std::move(*found);
      spare_staging_.erase(found);
      return taken;
    }
  }
  auto made = platform::HostBuffer::allocate(size);
  return made ? std::make_unique<platform::HostBuffer>(std::move(made).value()) : nullptr;
}

void AcceleratorSet::begin_staged(Running& running) {
  const memory::Command transfer = running.transfer;
  const memory::TransferId id = transfer.transfer;
  const Layout packed = running.ends.packed();
  auto staging = take_staging(packed.payload());
  if (!staging) {
    // The transfer must not end inside this call, so an empty copy reports the failure later.
    accelerator(transfer.from).copy(CopyDirection::to_host, {}, id.value(), true, [this, id](const Result<void>&) {
      end(id, Failure{ErrorCode::out_of_memory, "there is no memory for a copy between two accelerators"});
    });
    return;
  }
  const platform::BlockCopy copy = running.ends.copy(*this, transfer, {staging->data(), packed});
  {
    const LockGuard lock(mutex_);
    running.staging = std::move(staging);
  }
  accelerator(transfer.from)
      .copy(CopyDirection::to_host, copy, id.value(), transfer.waited_for,
            [this, id](const Result<void>& outcome) { stage_arrived(id, outcome); });
}

void AcceleratorSet::stage_arrived(memory::TransferId transfer, const Result<void>& outcome) {
  if (!outcome) {
    end(transfer, outcome);
    return;
  }
  UniqueLock lock(mutex_);
  const Running& running = running_.at(transfer);
  const memory::Command command = running.transfer;
  const bool urgent = running.urgent;
  const DataView between{running.staging->data(), running.ends.packed()};
  const platform::BlockCopy copy = running.ends.copy(between, *this, command);
  lock.unlock();
  accelerator(command.to)
      .copy(CopyDirection::to_device, copy, transfer.value(), urgent,
            [this, transfer](const Result<void>& second) { end(transfer, second); });
  if (urgent) return;
  lock.lock();
  const auto found = running_.find(transfer);
  const bool hurried = found != running_.end() && found->second.urgent;
  lock.unlock();
  // An urgent request may arrive between the check above and the start of the second copy.
  if (hurried) accelerator(command.to).hurry(transfer.value());
}

void AcceleratorSet::end(memory::TransferId transfer, const Result<void>& outcome) {
  const TimeStamp now = setup_.clock->now();
  UniqueLock lock(mutex_);
  auto ended = running_.extract(transfer);
  Running& running = ended.mapped();
  const memory::Command& command = running.transfer;
  const bool over_a_link = command.from != command.to;
  if (setup_.record > copies_.size() && outcome && over_a_link) {
    copies_.push_back({command.handle, command.from, command.to, command.bytes, running.asked, now});
  }
  if (running.staging && spare_staging_.size() < kSpareStaging) spare_staging_.push_back(std::move(running.staging));
  lock.unlock();
  if (running.borrowed) setup_.views->give_back(command.handle);
  if (!outcome && on_lost_) {
    for (const NodeId node : {command.from, command.to}) {
      if (node != memory::kHost && accelerator(node).lost()) on_lost_(node);
    }
  }
  running.done(outcome);
}

void AcceleratorSet::hurry(memory::TransferId transfer) {
  memory::Command command;
  {
    const LockGuard lock(mutex_);
    const auto found = running_.find(transfer);
    if (found == running_.end()) return;
    found->second.urgent = true;
    command = found->second.transfer;
  }
  for (const NodeId node : {command.from, command.to}) {
    if (node != memory::kHost) accelerator(node).hurry(transfer.value());
  }
}

TransferReport AcceleratorSet::transfers() const {
  TransferReport report;
  for (std::size_t i = 1; i < nodes(); ++i) {
    const platform::Accelerator& accelerator = *setup_.accelerators[i - 1];
    const platform::CopyTraffic in = accelerator.traffic(CopyDirection::to_device);
    const platform::CopyTraffic out = accelerator.traffic(CopyDirection::to_host);
    report.host_to_device += in.bytes;
    report.device_to_host += out.bytes;
    report.device_to_device += accelerator.peer_traffic().bytes;
    add_pair(kHostNode, i, in, "host to " + accelerator.name(), accelerator.speed(CopyDirection::to_device), report);
    add_pair(i, kHostNode, out, accelerator.name() + " to host", accelerator.speed(CopyDirection::to_host), report);
    add_pair(i, i, accelerator.peer_traffic(), "other GPUs to " + accelerator.name(), accelerator.peer_speed(), report);
  }
  return report;
}

std::vector<TraceTransfer> AcceleratorSet::take_copies() {
  const LockGuard lock(mutex_);
  return std::exchange(copies_, {});
}

}  // namespace troupe::actors
