/// Tests of a memory core with random tasks on tiny nodes that read halo parts. Tasks are ordered as a graph orders
/// them, transfers end in any order, and releases come late.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "actors/memory/memory_core.hpp"
#include "proto/random.hpp"
#include "tests/support/tries.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(random_halos)

namespace {

constexpr std::uint32_t kBlocks = 6;
constexpr std::uint32_t kHalos = 4;
/// The first handle of a halo part.
constexpr std::uint64_t kFirstHalo = 100;

/// A rule of the memory manager that a run has broken.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void require(bool holds, const char* rule) {
  if (!holds) throw Broken(rule);
}

/// Counts over many runs, which show that they covered the cases for which they were written.
struct Counts {
  std::uint64_t acquired = 0;
  std::uint64_t at_once_with_halo = 0;
  std::uint64_t inside = 0;
  std::uint64_t between = 0;
  std::uint64_t refused = 0;
  std::uint64_t evictions = 0;
};

/// One random run. Numbers stand for contents: each task that writes a block gives it the next number.
class HaloRun {
 public:
  explicit HaloRun(std::uint64_t seed, Counts& counts)
      : random_(seed),
        counts_(counts),
        faulty_(random_.below(3) == 0),
        loses_(random_.below(4) == 0),
        options_(machine()),
        core_(options_, least_recently_used()) {
    for (std::uint32_t h = 0; h < kHalos; ++h) {
      for (std::uint32_t b = 0; b < kBlocks; ++b) {
        if (random_.below(3) == 0) overlaps_[h].push_back(b);
      }
    }
  }

  void run(int events) {
    for (int i = 0; i < events; ++i) event();
    // In the end all tasks get their data, or are refused.
    while (!tasks_.empty() || !copies_.empty() || !releases_.empty()) {
      require(end_something(), "every request is answered in the end");
      if (tasks_.empty() && copies_.empty()) release_all();
    }
    for (std::uint32_t n = 1; n < nodes(); ++n) {
      for (std::uint32_t h = 0; h < kHalos; ++h) core_.forget(HandleId(kFirstHalo + h), commands_);
      for (std::uint32_t b = 0; b < kBlocks; ++b) core_.forget(HandleId(b), commands_);
      look();
      require(core_.used(NodeId(n)) == Bytes{}, "nothing is allocated for nobody");
    }
    counts_.evictions += core_.statistics().evictions;
  }

 private:
  struct Task {
    NodeId node;
    std::vector<Use> uses;
    bool acquired = false;
  };
  struct Copy {
    Command command;
    std::int64_t content = 0;
  };
  using Place = std::pair<std::uint64_t, std::uint64_t>;

  MemoryOptions machine() {
    MemoryOptions options;
    options.nodes.push_back({});
    for (std::uint32_t i = 1 + random_.below(3); i > 0; --i) {
      options.nodes.push_back({true, {256 * (3 + random_.below(8))}});
    }
    for (std::size_t i = options.nodes.size() * options.nodes.size(); i > 0; --i) {
      options.costs.push_back({Duration(random_.below(1000)), 1e-9});
    }
    options.write_back_finished = random_.below(2) == 0;
    return options;
  }
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(options_.nodes.size()); }

  void event() {
    const std::uint32_t die = random_.below(100);
    if (die < 35 && tasks_.size() < 8) {
      submit();
    } else if (die < 45) {
      core_.prefetch(node(), random_uses(), commands_);
    } else if (die < 50) {
      give_up();
    } else if (die < 52 && loses_) {
      lose();
    } else if (die < 60) {
      release_one();
    } else {
      end_something();
    }
    look();
  }

  NodeId node() { return NodeId(random_.below(nodes())); }

  std::vector<Use> random_uses() {
    std::vector<Use> uses;
    std::vector<std::uint32_t> seen;
    if (random_.below(4) > 0) {
      const std::uint32_t h = random_.below(kHalos);
      const HandleId halo(kFirstHalo + h);
      uses.push_back({halo, AccessMode::read, {300}, false, halo, {}});
      for (const std::uint32_t b : overlaps_[h]) {
        uses.push_back({HandleId(b), AccessMode::read, {256}, false, halo, {40}});
        seen.push_back(b);
      }
    }
    for (std::uint32_t left = random_.below(3); left > 0; --left) {
      const std::uint32_t b = random_.below(kBlocks);
      const AccessMode mode = static_cast<AccessMode>(random_.below(3));
      const bool overlapped = std::ranges::find(seen, b) != seen.end();
      // Tasks that write what their halo part overlaps run on the host.
      if (overlapped && writes(mode)) continue;
      if (std::ranges::any_of(uses, [b](const Use& use) { return use.handle == HandleId(b) && !use.halo.valid(); }))
        continue;
      uses.push_back({HandleId(b), mode, {256}, random_.below(2) == 0});
    }
    return uses;
  }

  /// Returns true if a graph would let the task wait for one that has not ended.
  bool waits(const std::vector<Use>& uses) {
    for (const auto& [id, task] : tasks_) {
      for (const Use& theirs : task.uses) {
        for (const Use& own : uses) {
          if (own.handle == theirs.handle && (writes(own.mode) || writes(theirs.mode))) return true;
        }
      }
    }
    return false;
  }

  void submit() {
    const std::vector<Use> uses = random_uses();
    if (uses.empty() || waits(uses)) return;
    const RequestId id(next_++);
    const NodeId where = node();
    tasks_[id] = {where, uses, false};
    if (random_.below(2) == 0 && core_.acquire_at_once(id, where, uses, commands_)) {
      if (where != kHost && uses[0].is_buffer()) ++counts_.at_once_with_halo;
      const std::vector<Command> others = std::exchange(commands_, {});
      for (const Command& command : others) look_at(command);
      acquired(id);
      return;
    }
    core_.acquire(id, where, uses, commands_);
  }

  void give_up() {
    for (const auto& [id, task] : tasks_) {
      if (task.acquired || random_.below(2) == 0) continue;
      core_.release(id, commands_);
      tasks_.erase(id);
      return;
    }
  }

  void lose() {
    const NodeId lost = node();
    if (lost == kHost) return;
    core_.node_lost(lost, commands_);
  }

  void release_one() {
    if (releases_.empty()) return;
    core_.release(releases_.front(), commands_);
    releases_.erase(releases_.begin());
  }
  void release_all() {
    while (!releases_.empty()) {
      release_one();
      look();
    }
  }

  bool end_something() {
    std::vector<RequestId> running;
    for (const auto& [id, task] : tasks_) {
      if (task.acquired) running.push_back(id);
    }
    const auto choices = static_cast<std::uint32_t>(running.size() + copies_.size());
    if (choices == 0) {
      if (releases_.empty()) return false;
      release_one();
      look();
      return true;
    }
    const std::uint32_t which = random_.below(choices);
    if (which < running.size()) {
      // The task has ended, and others may follow. The memory manager hears of it later.
      releases_.push_back(running[which]);
      tasks_.erase(running[which]);
      return true;
    }
    const auto at = std::next(copies_.begin(), static_cast<std::ptrdiff_t>(which - running.size()));
    const Copy copy = at->second;
    copies_.erase(at);
    const bool gone = core_.is_lost(copy.command.from) || core_.is_lost(copy.command.to);
    if ((faulty_ && random_.below(5) == 0) || (gone && random_.below(2) == 0)) {
      core_.transfer_failed(copy.command.transfer, commands_);
    } else {
      arrive(copy);
      core_.transfer_done(copy.command.transfer, commands_);
    }
    look();
    return true;
  }

  void arrive(const Copy& copy) {
    const Command& command = copy.command;
    if (command.halo.valid()) {
      buffers_[{{command.halo.value(), command.to.value()}, command.handle.value()}] = copy.content;
    } else {
      replicas_[{command.handle.value(), command.to.value()}] = copy.content;
    }
  }

  void look() {
    // Commands are looked at one by one, as some cause others.
    const std::vector<Command> commands = std::exchange(commands_, {});
    for (const Command& command : commands) look_at(command);
    const std::string_view broken = core_.check();
    if (!broken.empty()) throw Broken(std::string(broken));
    if (core_.awaits_release() && !releases_.empty() && random_.below(2) == 0) {
      release_one();
      look();
    }
  }

  void look_at(const Command& command) {
    switch (command.kind) {
      case Command::Kind::start_transfer: return started(command);
      case Command::Kind::acquired: return acquired(command.request);
      case Command::Kind::cannot_fit:
      case Command::Kind::failed:
      case Command::Kind::node_lost:
      case Command::Kind::content_lost:
        require(tasks_.erase(command.request) == 1, "who is refused has asked");
        ++counts_.refused;
        return;
      default: return;
    }
  }

  void started(const Command& command) {
    require(command.halo.valid() || command.from != command.to, "only what a halo part overlaps stays on its node");
    require(!command.halo.valid() || (command.bytes == Bytes{40} && command.to != kHost), "it is the common part");
    for (const auto& [id, copy] : copies_) {
      require(
          copy.command.handle != command.handle || copy.command.to != command.to || copy.command.halo != command.halo,
          "data are copied to a place once at a time");
    }
    for (const auto& [id, task] : tasks_) {
      for (const Use& use : task.uses) {
        require(!task.acquired || use.handle != command.handle || !writes(use.mode), "nobody copies what is written");
      }
    }
    if (command.halo.valid()) ++(command.from == command.to ? counts_.inside : counts_.between);
    copies_[command.transfer] = {command, replicas_[{command.handle.value(), command.from.value()}]};
  }

  void acquired(RequestId id) {
    const auto found = tasks_.find(id);
    require(found != tasks_.end() && !found->second.acquired, "a request is answered once");
    Task& task = found->second;
    task.acquired = true;
    ++counts_.acquired;
    const std::uint64_t where = task.node.value();
    for (const Use& use : task.uses) {
      if (use.is_buffer()) continue;
      std::int64_t& newest = newest_[use.handle.value()];
      const bool buffered = use.is_overlap() && task.node != kHost;
      const std::int64_t seen =
          buffered ? buffers_[{{use.halo.value(), where}, use.handle.value()}] : replicas_[{use.handle.value(), where}];
      if (reads(use.mode)) require(seen == newest, buffered ? "a buffer has the newest content" : "so has a replica");
    }
    for (const Use& use : task.uses) {
      if (writes(use.mode)) replicas_[{use.handle.value(), where}] = ++newest_[use.handle.value()];
    }
  }

  Random random_;
  Counts& counts_;
  bool faulty_;
  bool loses_;
  MemoryOptions options_;
  MemoryCore core_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> overlaps_;
  std::map<RequestId, Task> tasks_;
  std::map<TransferId, Copy> copies_;
  std::vector<RequestId> releases_;
  std::map<std::uint64_t, std::int64_t> newest_;
  std::map<Place, std::int64_t> replicas_;
  std::map<std::pair<Place, std::uint64_t>, std::int64_t> buffers_;
  std::vector<Command> commands_;
  std::uint64_t next_ = 0;
};

BOOST_AUTO_TEST_CASE(readers_of_halo_parts_see_the_newest_content_whatever_happens) {
  Counts counts;
  const std::uint64_t seeds = tests::tries(1500);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    try {
      HaloRun(seed, counts).run(250);
    } catch (const Broken& rule) {
      BOOST_ERROR("seed " << seed << ": broken: " << rule.what());
      return;
    }
  }
  BOOST_TEST(counts.acquired > tests::tries(20000));
  BOOST_TEST(counts.at_once_with_halo > tests::tries(500));
  BOOST_TEST(counts.inside > tests::tries(1000));
  BOOST_TEST(counts.between > tests::tries(10000));
  BOOST_TEST(counts.refused > tests::tries(500));
  BOOST_TEST(counts.evictions > tests::tries(2000));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
