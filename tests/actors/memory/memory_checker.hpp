/// Checks the commands of a memory core from outside. Keeps a version number for the content of every replica.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

/// Says that a command of the memory core broke a rule. The message names the rule.
class BrokenRule : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A model of the machine's memory. A version number stands for the content that kernels write and transfers copy. The
/// checker does not know how the core makes decisions. The checker only checks that every command is allowed.
class MemoryChecker {
 public:
  struct Asked {
    NodeId node;
    std::vector<Use> uses;
    bool acquired = false;
    /// True if `bring_home` made the request.
    bool home = false;
  };
  struct Copy {
    HandleId handle;
    NodeId from;
    NodeId to;
    std::int64_t version = 0;
    std::uint64_t from_offset = 0;
    std::uint64_t to_offset = 0;
  };

  MemoryChecker(const MemoryCore& core, std::vector<NodeDescription> nodes, std::vector<Bytes> sizes)
      : core_(core), nodes_(std::move(nodes)), sizes_(std::move(sizes)), newest_(sizes_.size(), 0) {
    replicas_.resize(sizes_.size() * nodes_.size());
    for (std::uint32_t h = 0; h < sizes_.size(); ++h) at(HandleId(h), kHost) = {ReplicaState::shared, 0};
  }

  void asked(RequestId request, NodeId node, std::vector<Use> uses);
  void asked_home(RequestId request, const Use& use) { requests_[request] = {kHost, {use}, false, true}; }
  /// This function and the next four functions must be called before the core handles the same event.
  void released(RequestId request);
  void transfer_done(TransferId transfer);
  void transfer_failed(TransferId transfer);
  void forgotten(HandleId handle);
  void lost(NodeId node) { lost_.insert(node); }
  /// Checks the commands of one event, after the core has handled it.
  void look_at(const std::vector<Command>& commands);

  [[nodiscard]] const std::map<RequestId, Asked>& requests() const { return requests_; }
  [[nodiscard]] const std::map<TransferId, Copy>& copies() const { return copies_; }
  [[nodiscard]] bool faults_seen() const { return faults_seen_; }
  [[nodiscard]] bool is_lost(NodeId node) const { return lost_.contains(node); }
  /// Returns true if no node has the content of the handle, and no transfer is copying the content to a node.
  [[nodiscard]] bool content_lost(HandleId handle) const;

 private:
  struct Replica {
    ReplicaState state = ReplicaState::invalid;
    /// The version of the content; -1 for undefined content.
    std::int64_t version = -1;
  };

  static void require(bool holds, const std::string& rule);
  void look_at(const Command& command);
  void ended(TransferId transfer);
  void started(const Command& command);
  void acquired(const Command& command);
  [[nodiscard]] bool is_home(const Use& use) const;
  void changed(const Command& command);
  void refused(const Command& command);
  void write(const Asked& asked);
  void check_states() const;
  void check_memory() const;
  void check_copies() const;
  [[nodiscard]] bool in_flight(HandleId handle) const;
  [[nodiscard]] Replica& at(HandleId handle, NodeId node) {
    return replicas_[handle.index() * nodes_.size() + node.index()];
  }
  [[nodiscard]] const Replica& at(HandleId handle, NodeId node) const {
    return replicas_[handle.index() * nodes_.size() + node.index()];
  }

  const MemoryCore& core_;
  std::vector<NodeDescription> nodes_;
  std::vector<Bytes> sizes_;
  std::vector<std::int64_t> newest_;
  std::vector<Replica> replicas_;
  std::map<RequestId, Asked> requests_;
  std::map<TransferId, Copy> copies_;
  /// Handles that the program has forgotten while a transfer used them. They are removed when their transfers end.
  std::set<HandleId> leaving_;
  /// Handles that were forgotten in this event. The content on the host is now new content of the program.
  std::set<HandleId> new_content_;
  std::set<NodeId> lost_;
  bool faults_seen_ = false;
};

inline void MemoryChecker::require(bool holds, const std::string& rule) {
  if (!holds) throw BrokenRule(rule);
}

inline void MemoryChecker::asked(RequestId request, NodeId node, std::vector<Use> uses) {
  requests_[request] = {node, std::move(uses)};
}

inline void MemoryChecker::released(RequestId request) {
  const Asked& asked = requests_.at(request);
  if (asked.acquired && !is_lost(asked.node)) write(asked);  // A kernel may write until it ends.
  requests_.erase(request);
}

inline void MemoryChecker::write(const Asked& asked) {
  for (const Use& use : asked.uses) {
    if (writes(use.mode)) at(use.handle, asked.node).version = ++newest_[use.handle.index()];
  }
}

inline void MemoryChecker::transfer_done(TransferId transfer) {
  const Copy copy = copies_.at(transfer);
  at(copy.handle, copy.to).version = copy.version;
  ended(transfer);
}

inline void MemoryChecker::transfer_failed(TransferId transfer) {
  ended(transfer);
  faults_seen_ = true;
}

inline void MemoryChecker::ended(TransferId transfer) {
  const HandleId handle = copies_.at(transfer).handle;
  copies_.erase(transfer);
  if (leaving_.contains(handle)) forgotten(handle);
}

inline void MemoryChecker::forgotten(HandleId handle) {
  if (in_flight(handle)) {
    leaving_.insert(handle);
    return;
  }
  leaving_.erase(handle);
  new_content_.insert(handle);
}

inline void MemoryChecker::look_at(const std::vector<Command>& commands) {
  for (const Command& command : commands) look_at(command);
  new_content_.clear();
  check_states();
  check_memory();
  check_copies();
}

inline void MemoryChecker::look_at(const Command& command) {
  switch (command.kind) {
    case Command::Kind::start_transfer: return started(command);
    case Command::Kind::acquired: return acquired(command);
    case Command::Kind::replica_changed: return changed(command);
    case Command::Kind::cannot_fit:
    case Command::Kind::failed:
    case Command::Kind::node_lost:
    case Command::Kind::content_lost: return refused(command);
    case Command::Kind::urgent:
      return require(copies_.contains(command.transfer), "only transfers under way become urgent");
  }
}

inline void MemoryChecker::started(const Command& command) {
  require(command.from != command.to, "a transfer has two ends");
  require(is_valid(at(command.handle, command.from).state), "the source is valid");
  require(!is_lost(command.from) && !is_lost(command.to), "nothing is copied from or to a lost node");
  require(command.bytes == sizes_[command.handle.index()], "all of the handle is copied");
  for (const auto& [id, copy] : copies_) {
    require(copy.handle != command.handle || copy.to != command.to, "a handle is copied to a node once at a time");
  }
  for (const auto& [id, asked] : requests_) {
    for (const Use& use : asked.uses) {
      require(!asked.acquired || use.handle != command.handle || !writes(use.mode), "nobody copies what is written");
    }
  }
  require(copies_
              .emplace(command.transfer,
                       Copy{command.handle, command.from, command.to, at(command.handle, command.from).version,
                            command.from_offset, command.to_offset})
              .second,
          "transfers have ids of their own");
}

inline void MemoryChecker::acquired(const Command& command) {
  Asked& asked = requests_.at(command.request);
  require(!asked.acquired && asked.node == command.node, "a request is answered once, for its node");
  if (asked.home) {
    require(is_home(asked.uses[0]), "what was brought home is there, or nobody can say what it is");
    requests_.erase(command.request);
    return;
  }
  asked.acquired = true;
  for (const Use& use : asked.uses) {
    const Replica& replica = at(use.handle, asked.node);
    require(is_valid(replica.state), "what is acquired is valid");
    require(!reads(use.mode) || replica.version == newest_[use.handle.index()], "a reader sees the newest version");
    if (!writes(use.mode)) continue;
    require(replica.state == ReplicaState::modified, "what is written is modified");
    require(!in_flight(use.handle), "nothing copies what a kernel writes");
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      require(NodeId(i) == asked.node || at(use.handle, NodeId(i)).state == ReplicaState::invalid, "a writer is alone");
    }
  }
  write(asked);
}

inline bool MemoryChecker::is_home(const Use& use) const {
  const Replica& host = at(use.handle, kHost);
  if (is_valid(host.state) && host.version == newest_[use.handle.index()]) return true;
  if (leaving_.contains(use.handle) || new_content_.contains(use.handle) || content_lost(use.handle)) return true;
  return std::ranges::any_of(requests_, [&](const auto& each) {
    return std::ranges::any_of(each.second.uses,
                               [&](const Use& other) { return other.handle == use.handle && writes(other.mode); });
  });
}

inline void MemoryChecker::changed(const Command& command) {
  Replica& replica = at(command.handle, command.node);
  require(replica.state != command.state, "only changes are told");
  replica.state = command.state;
  if (command.state == ReplicaState::invalid) replica.version = -1;
  if (command.state == ReplicaState::shared && command.node == kHost && new_content_.contains(command.handle)) {
    replica.version = newest_[command.handle.index()];
  }
}

inline void MemoryChecker::refused(const Command& command) {
  const Asked asked = requests_.at(command.request);
  require(!asked.acquired, "what was acquired is not refused");
  require((command.kind == Command::Kind::node_lost) == is_lost(asked.node), "a lost node takes nobody, others do");
  if (is_lost(asked.node)) {
    requests_.erase(command.request);
    return;
  }
  if (command.kind == Command::Kind::content_lost) {
    const auto use = std::ranges::find(asked.uses, command.handle, &Use::handle);
    require(use != asked.uses.end() && reads(use->mode), "only who reads what is lost is refused for it");
    require(content_lost(command.handle), "what somebody has or brings is not lost");
    requests_.erase(command.request);
    return;
  }
  Bytes needed;
  for (const Use& use : asked.uses) needed += OffsetAllocator::rounded(use.bytes);
  const bool fits = !nodes_[asked.node.index()].limited || needed <= core_.capacity(asked.node);
  require(fits == (command.kind == Command::Kind::failed), "what fits is not refused for its size");
  require(fits || (command.needed == needed && command.capacity == core_.capacity(asked.node)), "it says how much");
  require(!fits || faults_seen_, "nothing fails without a fault");
  requests_.erase(command.request);
}

inline bool MemoryChecker::in_flight(HandleId handle) const {
  for (const auto& [id, copy] : copies_) {
    if (copy.handle == handle) return true;
  }
  return false;
}

inline bool MemoryChecker::content_lost(HandleId handle) const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (is_valid(at(handle, NodeId(i)).state)) return false;
  }
  return !in_flight(handle);
}

inline void MemoryChecker::check_states() const {
  for (const auto& [id, asked] : requests_) {
    require(asked.acquired || !is_lost(asked.node), "nobody waits for a lost node");
  }
  for (std::uint32_t h = 0; h < sizes_.size(); ++h) {
    std::size_t valid = 0;
    bool modified = false;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      const Replica& replica = at(HandleId(h), NodeId(n));
      require(core_.state(HandleId(h), NodeId(n)) == replica.state, "every change is told");
      valid += is_valid(replica.state) ? 1 : 0;
      modified = modified || replica.state == ReplicaState::modified;
      require(!is_valid(replica.state) || replica.version == newest_[h], "what is valid is the newest");
    }
    require(valid > 0 || !lost_.empty(), "the last copy is lost with its node alone");
    require(core_.content_lost(HandleId(h)) == content_lost(HandleId(h)), "what is lost is known to be");
    require(!modified || valid == 1, "modified is alone");
    require(valid == 0 || modified || is_valid(at(HandleId(h), kHost).state) || valid > 1,
            "the only one outside the host is modified");
  }
}

inline void MemoryChecker::check_memory() const {
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    if (!nodes_[n].limited) continue;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    std::uint64_t sum = 0;
    for (std::uint32_t h = 0; h < sizes_.size(); ++h) {
      if (at(HandleId(h), NodeId(n)).state == ReplicaState::invalid) continue;
      const std::uint64_t begin = core_.offset(HandleId(h), NodeId(n));
      const std::uint64_t size = OffsetAllocator::rounded(sizes_[h]).count;
      taken.emplace_back(begin, begin + size);
      sum += size;
    }
    std::ranges::sort(taken);
    for (std::size_t i = 1; i < taken.size(); ++i) {
      require(taken[i - 1].second <= taken[i].first, "replicas do not overlap");
    }
    require(taken.empty() || taken.back().second <= nodes_[n].capacity.count, "nothing lies outside the arena");
    require(sum <= core_.used(NodeId(n)).count, "what lies there is allocated");
    require(core_.used(NodeId(n)) <= nodes_[n].capacity, "no node holds more than its capacity");
    require(!requests_.empty() || sum == core_.used(NodeId(n)).count, "nothing is allocated for nobody");
  }
}

inline void MemoryChecker::check_copies() const {
  for (const auto& [id, copy] : copies_) {
    const Replica& source = at(copy.handle, copy.from);
    require(is_lost(copy.from) || (is_valid(source.state) && source.version == copy.version),
            "the source stays as it is while it is copied");
    require(at(copy.handle, copy.to).state == ReplicaState::incoming, "the target is incoming while it is copied");
    require(is_lost(copy.from) || core_.offset(copy.handle, copy.from) == copy.from_offset,
            "nothing moves while it is copied from");
    require(core_.offset(copy.handle, copy.to) == copy.to_offset, "nothing moves while it is copied to");
  }
}

}  // namespace troupe::memory
