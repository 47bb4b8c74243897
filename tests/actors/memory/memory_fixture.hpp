/// A memory core, and short functions that call it in tests.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <vector>

#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

inline constexpr std::uint64_t kTile = 1024;

/// Returns options for nodes with these capacities; nullopt means no limit. Adds the host as node 0. All links are
/// equal.
inline MemoryOptions options_with(const std::vector<std::optional<Bytes>>& capacities) {
  MemoryOptions options;
  options.nodes.push_back({});
  for (const auto& capacity : capacities) options.nodes.push_back({capacity.has_value(), capacity.value_or(Bytes{})});
  options.costs.assign(options.nodes.size() * options.nodes.size(), {Duration(1000), 1e-9});
  return options;
}

/// Returns options for nodes whose capacities are given in tiles.
inline MemoryOptions tiles(const std::vector<std::uint64_t>& capacities) {
  std::vector<std::optional<Bytes>> bytes;
  bytes.reserve(capacities.size());
  for (const std::uint64_t capacity : capacities) bytes.emplace_back(Bytes{capacity * kTile});
  return options_with(bytes);
}

inline Use use(std::uint64_t handle, AccessMode mode, std::uint64_t bytes = kTile) {
  return {HandleId(handle), mode, {bytes}, false};
}
inline Use read(std::uint64_t handle, std::uint64_t bytes = kTile) { return use(handle, AccessMode::read, bytes); }
inline Use write(std::uint64_t handle, std::uint64_t bytes = kTile) { return use(handle, AccessMode::write, bytes); }
inline Use read_write(std::uint64_t handle) { return use(handle, AccessMode::read_write); }

class Driven {
 public:
  explicit Driven(MemoryOptions options) : core(std::move(options)) {}

  void acquire(std::uint64_t request, std::uint32_t node, const std::vector<Use>& uses) {
    core.acquire(RequestId(request), NodeId(node), uses, fresh());
    check();
  }
  bool acquire_at_once(std::uint64_t request, std::uint32_t node, const std::vector<Use>& uses) {
    const bool acquired = core.acquire_at_once(RequestId(request), NodeId(node), uses, fresh());
    check();
    return acquired;
  }
  void release(std::uint64_t request) {
    core.release(RequestId(request), fresh());
    check();
  }
  void prefetch(std::uint32_t node, const std::vector<Use>& uses) {
    core.prefetch(NodeId(node), uses, fresh());
    check();
  }
  void done(TransferId transfer) {
    core.transfer_done(transfer, fresh());
    check();
  }
  void fail(TransferId transfer) {
    core.transfer_failed(transfer, fresh());
    check();
  }
  void forget(std::uint64_t handle) {
    core.forget(HandleId(handle), fresh());
    check();
  }
  void discard(std::uint64_t handle) {
    core.discard(HandleId(handle), fresh());
    check();
  }
  void lose(std::uint32_t node) {
    core.node_lost(NodeId(node), fresh());
    check();
  }

  /// Acquires the data, ends all transfers, and releases the data.
  void run(std::uint64_t request, std::uint32_t node, const std::vector<Use>& uses) {
    acquire(request, node, uses);
    BOOST_REQUIRE(end_all(transfers(), request));
    release(request);
  }

  /// Ends these transfers and the transfers that follow from them, the oldest first. Returns true if the request has
  /// been acquired.
  bool end_all(std::vector<Command> under_way, std::uint64_t request) {
    bool was_acquired = acquired(request);
    for (std::size_t i = 0; i < under_way.size(); ++i) {
      BOOST_REQUIRE(i < 100);
      done(under_way[i].transfer);
      was_acquired = was_acquired || acquired(request);
      const auto more = transfers();
      under_way.insert(under_way.end(), more.begin(), more.end());
    }
    return was_acquired;
  }

  /// Returns the commands of this kind that the last event caused.
  [[nodiscard]] std::vector<Command> all(Command::Kind kind) const {
    std::vector<Command> found;
    std::ranges::copy_if(commands, std::back_inserter(found), [&](const Command& each) { return each.kind == kind; });
    return found;
  }
  [[nodiscard]] std::vector<Command> transfers() const { return all(Command::Kind::start_transfer); }
  [[nodiscard]] const Command* find(Command::Kind kind) const {
    const auto found = std::ranges::find(commands, kind, &Command::kind);
    return found == commands.end() ? nullptr : &*found;
  }
  /// Returns the transfer that the last event started. Fails if the event did not start exactly one.
  [[nodiscard]] Command transfer() const {
    const auto started = transfers();
    BOOST_REQUIRE_EQUAL(started.size(), 1U);
    return started[0];
  }
  [[nodiscard]] bool acquired(std::uint64_t request) const {
    return std::ranges::any_of(commands, [&](const Command& each) {
      return each.kind == Command::Kind::acquired && each.request == RequestId(request);
    });
  }
  [[nodiscard]] ReplicaState state(std::uint64_t handle, std::uint32_t node) const {
    return core.state(HandleId(handle), NodeId(node));
  }

  MemoryCore core;
  std::vector<Command> commands;

 private:
  void check() const { BOOST_REQUIRE_EQUAL(core.check(), ""); }
  std::vector<Command>& fresh() {
    commands.clear();
    return commands;
  }
};

}  // namespace troupe::memory
