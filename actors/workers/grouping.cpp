#include "actors/workers/grouping.hpp"

#include <exception>
#include <utility>

namespace troupe::workers {

Grouping::Grouping(Options options, std::vector<Standing*> standings)
    : options_(std::move(options)), standings_(std::move(standings)), draining_(standings_.size()) {
  for (std::uint32_t i = 0; i < standings_.size(); ++i) places_.push_back({WorkerId(i), 0, 1, nullptr});
  coming_ = places_;
}

std::shared_ptr<CoreTeam> Grouping::make_team(const std::vector<WorkerId>& members) const {
  if (members.size() < 2 || !options_.doorbell) return nullptr;
  CoreTeam::Options team;
  team.spin = options_.spin;
  for (const WorkerId member : members) {
    if (member == members.front()) continue;
    team.helpers.push_back(options_.pus[member.index()]);
    team.doorbells.push_back(&options_.doorbell(member));
  }
  return std::make_shared<CoreTeam>(std::move(team));
}

bool Grouping::is_a_cluster(const std::vector<WorkerId>& members) const {
  const Place& first = places_[members.front().index()];
  if (first.leader != members.front() || first.cores != static_cast<int>(members.size())) return false;
  for (const WorkerId member : members) {
    if (places_[member.index()].leader != members.front()) return false;
  }
  return true;
}

void Grouping::regroup(Groups groups) {
  const LockGuard lock(mutex_);
  if (left_ > 0) {
    next_ = std::move(groups);
  } else {
    begin(groups);
  }
}

void Grouping::begin(const Groups& groups) {
  std::vector<WorkerId> changing;
  std::vector<Place> coming = places_;
  for (const std::vector<WorkerId>& members : groups) {
    if (is_a_cluster(members)) continue;
    const std::shared_ptr<CoreTeam> team = make_team(members);
    const int cores = static_cast<int>(members.size());
    for (int rank = 0; rank < cores; ++rank) {
      const WorkerId member = members[static_cast<std::size_t>(rank)];
      coming[member.index()] = {members.front(), rank, cores, team};
      changing.push_back(member);
    }
  }
  // No call below can throw.
  coming_.swap(coming);
  changing_.swap(changing);
  for (const WorkerId worker : changing_) {
    const bool will_help = coming_[worker.index()].rank > 0;
    Standing& standing = *standings_[worker.index()];
    if (standing.state() == RegroupingState::helps) {
      // Until the worker's old leader has drained, the worker still helps with that leader's kernels.
      if (!will_help) standing.set(RegroupingState::helps_to_lead);
      continue;
    }
    standing.set(will_help ? RegroupingState::drains_to_help : RegroupingState::drains_to_lead);
    draining_[worker.index()] = true;
    ++left_;
  }
  // The scheduler is notified after the workers are closed. So a task runs in the worker's old role exactly if the task
  // began before the notification.
  for (const WorkerId worker : changing_) {
    const Place& place = coming_[worker.index()];
    options_.tell(worker, place.rank == 0 ? place.cores : 0);
  }
  if (left_ == 0) return open();
  for (const WorkerId worker : changing_) {
    if (draining_[worker.index()]) options_.wake(worker);
  }
}

void Grouping::drained(WorkerId worker, RegroupingState as) {
  const LockGuard lock(mutex_);
  // The call has no effect if `as` is out of date: another regrouping may have begun after the worker read its state,
  // and may have changed the role for which the worker drains (finishes its tasks).
  if (!draining_[worker.index()] || standings_[worker.index()]->state() != as) return;
  draining_[worker.index()] = false;
  standings_[worker.index()]->set(coming_[worker.index()].rank > 0 ? RegroupingState::helps
                                                                   : RegroupingState::waits_to_lead);
  if (--left_ == 0) open();
}

void Grouping::open() {
  for (const WorkerId worker : changing_) {
    places_[worker.index()] = coming_[worker.index()];
    if (places_[worker.index()].rank == 0) standings_[worker.index()]->set(RegroupingState::opens);
  }
  // Publishes the new places to helpers, which load the number with acquire (`completed`).
  completed_.fetch_add(1, std::memory_order_seq_cst);
  for (const WorkerId worker : changing_) options_.wake(worker);
  if (!next_) return;
  const Groups groups = std::move(*next_);
  next_.reset();
  try {
    begin(groups);
  } catch (const std::exception&) {
    // The groups stay as they are. This does no harm, because a regrouping only makes the run faster.
  }
}

Grouping::Place Grouping::place(WorkerId worker) const {
  const LockGuard lock(mutex_);
  return worker.index() < places_.size() ? places_[worker.index()] : Place{worker, 0, 1, nullptr};
}

std::vector<WorkerId> Grouping::members(WorkerId leader) const {
  if (leader.index() >= standings_.size()) return {leader};
  const LockGuard lock(mutex_);
  std::vector<WorkerId> members;
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (places_[i].leader == leader) members.emplace_back(i);
  }
  return members;
}

bool Grouping::in_progress() const {
  const LockGuard lock(mutex_);
  return left_ > 0;
}

}  // namespace troupe::workers
