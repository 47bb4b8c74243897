/// Tests of a memory core with random requests on tiny nodes. Transfers end in any order. A checker checks all
/// commands.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "actors/memory/memory_core.hpp"
#include "proto/random.hpp"
#include "tests/actors/memory/memory_checker.hpp"
#include "tests/support/tries.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(random_memory)

namespace {

struct Machine {
  MemoryOptions options;
  std::vector<Bytes> sizes;
  bool with_faults = false;
  bool with_losses = false;
};

Machine random_machine(Random& random) {
  Machine machine;
  machine.options.nodes.push_back({});
  const std::uint32_t devices = 1 + random.below(4);
  for (std::uint32_t i = 0; i < devices; ++i) {
    const bool limited = random.below(8) > 0;
    machine.options.nodes.push_back({limited, {limited ? 256 * (3 + random.below(14)) : 0}});
  }
  const std::size_t pairs = machine.options.nodes.size() * machine.options.nodes.size();
  for (std::size_t i = 0; i < pairs; ++i) {
    machine.options.costs.push_back({Duration(random.below(1000)), 1e-9 * static_cast<double>(random.below(5))});
  }
  machine.options.write_back_finished = random.below(2) == 0;
  const bool all_alike = random.below(3) == 0;
  const std::uint32_t handles = 2 + random.below(14);
  for (std::uint32_t i = 0; i < handles; ++i) machine.sizes.push_back({all_alike ? 512 : random.below(1500)});
  machine.with_faults = random.below(4) == 0;
  machine.with_losses = random.below(4) == 0;
  return machine;
}

/// One random run. It records its actions as text, so that two runs can be compared.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed)
      : random_(seed),
        machine_(random_machine(random_)),
        core_(machine_.options, make_eviction_policy(policy_name(seed), upcoming_).value_or_throw()),
        checker_(core_, machine_.options.nodes, machine_.sizes) {}

  void run(int events) {
    for (int i = 0; i < events; ++i) {
      random_event();
      look();
    }
    while (!checker_.requests().empty() || !checker_.copies().empty()) {
      if (!end_something()) throw BrokenRule("every request is answered in the end");
      look();
    }
    if (!core_.waiting().empty()) throw BrokenRule("nobody waits at the end");
    for (std::uint32_t h = 0; h < machine_.sizes.size(); ++h) read_on_host(HandleId(h));
  }

  [[nodiscard]] const std::string& log() const { return log_; }
  [[nodiscard]] const MemoryStatistics& statistics() const { return core_.statistics(); }
  [[nodiscard]] std::uint64_t at_once() const { return at_once_; }
  [[nodiscard]] std::uint64_t losses() const { return losses_; }
  /// Returns the number of requests that were refused because their content was lost.
  [[nodiscard]] std::uint64_t content_lost() const { return content_lost_; }

 private:
  void random_event() {
    const std::uint32_t die = random_.below(100);
    if (die < 35 && checker_.requests().size() < 14) {
      acquire();
    } else if (die < 45) {
      core_.prefetch(random_node(), random_uses(), commands_, TaskId(next_ - std::min<std::uint64_t>(next_, 5)));
    } else if (die < 47) {
      forget(HandleId(random_.below(static_cast<std::uint32_t>(machine_.sizes.size()))));
    } else if (die < 49) {
      give_up();
    } else if (die < 53) {
      hint(HandleId(random_.below(static_cast<std::uint32_t>(machine_.sizes.size()))));
    } else if (die < 58) {
      bring_home();
    } else if (die < 60 && machine_.with_losses) {
      lose(random_node());
    } else {
      end_something();
    }
  }

  NodeId random_node() { return NodeId(random_.below(static_cast<std::uint32_t>(machine_.options.nodes.size()))); }

  std::vector<Use> random_uses() {
    std::vector<Use> uses;
    for (std::uint32_t count = 1 + random_.below(4); count > 0; --count) {
      const HandleId handle(random_.below(static_cast<std::uint32_t>(machine_.sizes.size())));
      if (std::ranges::find(uses, handle, &Use::handle) != uses.end()) continue;
      const auto mode = static_cast<AccessMode>(random_.below(2) == 0 ? 0 : random_.below(5));
      uses.push_back({handle, mode, machine_.sizes[handle.index()], random_.below(2) == 0});
    }
    return uses;
  }

  void acquire() {
    const RequestId request(next_++);
    const NodeId node = random_node();
    const auto uses = random_uses();
    checker_.asked(request, node, uses);
    const bool tried = random_.below(2) == 0;
    const TaskId task = task_of(request.value());
    if (tried && core_.acquire_at_once(request, node, uses, commands_, task)) {
      ++at_once_;
      told_acquired(request, node);
      return;
    }
    if (!commands_.empty()) throw BrokenRule("who is not acquired at once changes nothing");
    core_.acquire(request, node, uses, commands_, task);
    if (tried && acquired_without_effort(request, node)) throw BrokenRule("it could have been acquired at once");
  }

  /// Inserts the command `acquired` where `acquire` would put it: after the changes of replicas that belong to the
  /// request, and before commands for other requests.
  void told_acquired(RequestId request, NodeId node) {
    const auto others = std::ranges::find_if(commands_, [&](const Command& each) {
      return each.kind != Command::Kind::replica_changed || (each.node != node && each.state != ReplicaState::invalid);
    });
    commands_.insert(others, {.kind = Command::Kind::acquired, .node = node, .request = request});
  }

  [[nodiscard]] bool acquired_without_effort(RequestId request, NodeId node) const {
    for (const Command& each : commands_) {
      if (each.kind == Command::Kind::acquired && each.request == request) return true;
      if (each.kind != Command::Kind::replica_changed) return false;
      if (each.node == node && each.state == ReplicaState::invalid) return false;
    }
    return false;
  }

  void bring_home() {
    std::vector<Use> uses = random_uses();
    for (Use& use : uses) use.mode = AccessMode::read;
    const RequestId first(next_);
    for (const Use& use : uses) checker_.asked_home(RequestId(next_++), use);
    core_.bring_home(first, uses, commands_);
  }

  void hint(HandleId handle) {
    const std::uint32_t die = random_.below(3);
    if (die == 0) core_.lock(handle);
    if (die == 1) core_.unlock(handle);
    if (die == 2) core_.set_reuse(handle, random_.below(5));
  }

  /// Returns a task that was submitted a while ago. Some of the submitted tasks never request their data.
  TaskId task_of(std::uint64_t request) {
    upcoming_->add(TaskId(request), random_uses());
    return TaskId(request - std::min<std::uint64_t>(request, random_.below(20)));
  }

  void lose(NodeId node) {
    if (node == kHost) return;
    checker_.lost(node);
    core_.node_lost(node, commands_);
    ++losses_;
  }

  /// Releases a random request, whether it was acquired or not, as if its task no longer needed the data.
  void give_up() {
    if (checker_.requests().empty()) return;
    const auto which = random_.below(static_cast<std::uint32_t>(checker_.requests().size()));
    release(std::next(checker_.requests().begin(), static_cast<std::ptrdiff_t>(which))->first);
  }

  void release(RequestId request) {
    checker_.released(request);
    core_.release(request, commands_);
  }

  void forget(HandleId handle) {
    for (const auto& [id, asked] : checker_.requests()) {
      if (!asked.home && std::ranges::find(asked.uses, handle, &Use::handle) != asked.uses.end()) return;
    }
    // Content that nobody uses may be discarded as well as forgotten.
    if (random_.below(2) == 0) return discard(handle);
    checker_.forgotten(handle);
    core_.forget(handle, commands_);
  }

  void discard(HandleId handle) {
    const bool asked = std::ranges::any_of(checker_.requests(), [&](const auto& request) {
      return std::ranges::find(request.second.uses, handle, &Use::handle) != request.second.uses.end();
    });
    const bool copied =
        std::ranges::any_of(checker_.copies(), [&](const auto& copy) { return copy.second.handle == handle; });
    // Where a request or a copy uses the handle, the core leaves the content as it is.
    if (!asked && !copied) checker_.forgotten(handle);
    core_.discard(handle, commands_);
  }

  /// Ends a random transfer or task. Returns false if no transfer and no task is running.
  bool end_something() {
    std::vector<RequestId> running;
    for (const auto& [id, asked] : checker_.requests()) {
      if (asked.acquired) running.push_back(id);
    }
    const auto copies = static_cast<std::uint32_t>(checker_.copies().size());
    const auto tasks = static_cast<std::uint32_t>(running.size());
    if (copies + tasks == 0) return false;
    const std::uint32_t which = random_.below(copies + tasks);
    if (which >= copies) {
      release(running[which - copies]);
      return true;
    }
    const TransferId transfer = std::next(checker_.copies().begin(), which)->first;
    if (machine_.with_faults && random_.below(4) == 0) {
      checker_.transfer_failed(transfer);
      core_.transfer_failed(transfer, commands_);
    } else {
      checker_.transfer_done(transfer);
      core_.transfer_done(transfer, commands_);
    }
    return true;
  }

  /// Reads the data on the host, like a program that wants its results. The content must be the newest version.
  void read_on_host(HandleId handle) {
    const RequestId request(next_++);
    const std::vector<Use> uses{{handle, AccessMode::read, machine_.sizes[handle.index()], false}};
    checker_.asked(request, kHost, uses);
    core_.acquire(request, kHost, uses, commands_);
    look();
    while (!checker_.requests().empty()) {
      if (!end_something()) throw BrokenRule("the host can read everything in the end");
      look();
    }
  }

  void look() {
    for (const Command& each : commands_) {
      log_ += std::to_string(static_cast<int>(each.kind)) + ' ' + std::to_string(each.handle.value()) + ' ' +
              std::to_string(each.request.value()) + ' ' + std::to_string(each.transfer.value()) + ' ' +
              std::to_string(each.from.value()) + ' ' + std::to_string(each.to.value()) + ' ' +
              std::to_string(each.to_offset) + '\n';
    }
    for (const Command& each : commands_) content_lost_ += each.kind == Command::Kind::content_lost ? 1 : 0;
    if (const std::string_view broken = core_.check(); !broken.empty()) throw BrokenRule(std::string(broken));
    checker_.look_at(commands_);
    commands_.clear();
    for (const WaitingRequest& each : core_.waiting()) {
      if (!checker_.requests().contains(each.request)) throw BrokenRule("who waits has asked");
      const bool transfer = each.reason == WaitingRequest::Reason::transfer;
      if (transfer && !checker_.copies().contains(each.transfer)) throw BrokenRule("the transfer is under way");
    }
  }

  static std::string_view policy_name(std::uint64_t seed) {
    const auto names = eviction_policy_names();
    return names[seed % names.size()];
  }

  std::shared_ptr<UpcomingTasks> upcoming_ = std::make_shared<UpcomingTasks>();
  Random random_;
  Machine machine_;
  MemoryCore core_;
  MemoryChecker checker_;
  std::vector<Command> commands_;
  std::uint64_t next_ = 0;
  std::uint64_t at_once_ = 0;
  std::uint64_t losses_ = 0;
  std::uint64_t content_lost_ = 0;
  std::string log_;
};

BOOST_AUTO_TEST_CASE(no_rule_is_broken_whatever_happens) {
  const std::uint64_t seeds = tests::tries(1000);
  MemoryStatistics sum;
  std::uint64_t at_once = 0;
  std::uint64_t losses = 0;
  std::uint64_t content_lost = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RandomRun run(seed);
    try {
      run.run(250);
    } catch (const BrokenRule& rule) {
      BOOST_ERROR("seed " << seed << ": broken: " << rule.what());
      return;
    }
    sum.evictions += run.statistics().evictions;
    sum.write_backs += run.statistics().write_backs;
    sum.prefetches_used += run.statistics().prefetches_used;
    sum.prefetches_wasted += run.statistics().prefetches_wasted;
    sum.failed_transfers += run.statistics().failed_transfers;
    at_once += run.at_once();
    losses += run.losses();
    content_lost += run.content_lost();
  }
  // These counts show that the random runs covered the cases for which they were written.
  BOOST_TEST(sum.evictions > tests::tries(2000));
  BOOST_TEST(sum.write_backs > tests::tries(2000));
  BOOST_TEST(sum.prefetches_used > tests::tries(1000));
  BOOST_TEST(sum.prefetches_wasted > tests::tries(200));
  BOOST_TEST(sum.failed_transfers > tests::tries(200));
  BOOST_TEST(at_once > tests::tries(2000));
  BOOST_TEST(losses > tests::tries(200));
  BOOST_TEST(content_lost > tests::tries(200));
}

BOOST_AUTO_TEST_CASE(equal_events_give_equal_commands) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomRun once(seed);
    RandomRun again(seed);
    once.run(250);
    again.run(250);
    BOOST_TEST(!once.log().empty());
    BOOST_TEST((once.log() == again.log()), "seed " << seed);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
