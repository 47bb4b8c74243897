#include "actors/memory/transfer_table.hpp"

#include <cassert>
#include <utility>

namespace troupe::memory {

TransferTable::TransferTable(std::size_t nodes, std::vector<LinkCost> costs)
    : nodes_(nodes), costs_(std::move(costs)), queued_(nodes) {
  assert(costs_.size() == nodes_ * nodes_ && "each pair of nodes has a cost");
}

TransferId TransferTable::add(Transfer transfer) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Place>(entries_.size()));
    entries_.emplace_back();
  }
  const Place place = unused_.back();
  unused_.pop_back();
  transfer.cost = alone(transfer.from, transfer.to, transfer.bytes);
  queued_[transfer.from.index()] += transfer.cost;
  entries_[place].transfer = std::move(transfer);
  entries_[place].under_way = true;
  return id(place);
}

Transfer TransferTable::take(TransferId id) {
  const Place at = place(id);
  assert(at < entries_.size() && entries_[at].under_way && this->id(at) == id && "a transfer ends once");
  Entry& entry = entries_[at];
  queued_[entry.transfer.from.index()] -= entry.transfer.cost;
  entry.under_way = false;
  ++entry.generation;
  unused_.push_back(at);
  return std::move(entry.transfer);
}

TransferId TransferTable::id(Place place) const {
  return TransferId((static_cast<std::uint64_t>(entries_[place].generation) << 32U) | place);
}

Duration TransferTable::alone(NodeId from, NodeId to, Bytes bytes) const {
  const LinkCost& cost = costs_[from.index() * nodes_ + to.index()];
  const double copying_ns = static_cast<double>(bytes.count) * cost.seconds_per_byte * 1e9;
  return cost.latency + Duration(static_cast<Duration::rep>(copying_ns));
}

Duration TransferTable::expected(NodeId from, NodeId to, Bytes bytes) const {
  return queued_[from.index()] + alone(from, to, bytes);
}

}  // namespace troupe::memory
