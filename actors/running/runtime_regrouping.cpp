/// Regrouping: groups cores into other clusters while tasks run.
#include <algorithm>

#include "actors/running/runtime_implementation.hpp"
#include "platform/machine/cluster_plan.hpp"

namespace troupe::actors {

Result<workers::Grouping::Groups> groups_of(const std::string& clusters, const platform::Topology& topology) {
  // Cores are numbered by worker here, because several workers may have the same processing unit.
  std::vector<platform::Core> cores = topology.cores;
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i].pu = static_cast<int>(i);
  if (!clusters.empty()) {
    auto plan = platform::plan_clusters(clusters, cores, topology.machine);
    if (!plan) return plan.failure();
    cores = std::move(plan.value().cores);
  }
  workers::Grouping::Groups groups;
  for (const platform::Core& core : cores) {
    std::vector<WorkerId>& members = groups.emplace_back();
    for (const int number : core.all_pus()) members.emplace_back(static_cast<std::uint32_t>(number));
  }
  return groups;
}

void RuntimeSystem::Implementation::make_grouping() {
  workers::Grouping::Options grouping;
  std::vector<workers::Standing*> standings;
  for (std::size_t i = 0; i < plan_.topology.cores.size(); ++i) {
    grouping.pus.push_back(pus_of(plan_.places[i].pu));
    standings.push_back(&crew_->ports[i].standing);
  }
  if (mode_->has_threads()) {
    grouping.doorbell = [this](WorkerId worker) -> workers::Doorbell& { return peers_->doorbell(worker); };
  }
  grouping.spin = plan_.options.threads.spin;
  grouping.tell = [this](WorkerId worker, int cores) noexcept {
    mode_->set_cores(worker, std::max(cores, 1));
    crew_->tell({.kind = graph::TaskEvent::Kind::regrouped, .worker = worker, .cores = cores});
  };
  grouping.wake = [this](WorkerId worker) {
    crew_->idle.erase(worker);
    peers_->wake(worker);
  };
  crew_->grouping = std::make_unique<workers::Grouping>(std::move(grouping), std::move(standings));
  // The plan has checked that these clusters are possible.
  crew_->grouping->regroup(
      groups_of(plan_.stages.empty() ? "" : plan_.stages[0].clusters, plan_.topology).value_or_throw());
}

void RuntimeSystem::Implementation::let_scheduler_group() {
  if (plan_.candidates.size() < 2) return;
  scheduler::ClusterChooser::Options chooser;
  // If clients' graphs share the workers, the scheduler knows only the tasks that are ready.
  chooser.looks_ahead = !plan_.options.threads.shared;
  for (const platform::ClusterCandidate& candidate : plan_.candidates) {
    scheduling_->groupings.push_back(groups_of(candidate.specification, plan_.topology).value_or_throw());
    scheduler::CoreGrouping& grouping = chooser.groupings.emplace_back();
    for (const std::vector<WorkerId>& members : scheduling_->groupings.back()) {
      const int cores = static_cast<int>(members.size());
      const auto same = std::ranges::find(grouping, cores, &scheduler::ClusterCount::cores);
      if (same == grouping.end()) {
        grouping.push_back({cores, 1});
      } else {
        ++same->count;
      }
    }
  }
  scheduling_->state->choose_clusters_by(std::move(chooser));
}

void RuntimeSystem::Implementation::regroup(std::size_t grouping) {
  crew_->grouping->regroup(scheduling_->groupings[grouping]);
}

std::vector<int> RuntimeSystem::Implementation::members_of(std::size_t worker) const {
  if (!crew_->grouping) return plan_.places[worker].members();
  std::vector<int> members;
  for (const WorkerId member : crew_->grouping->members(WorkerId(static_cast<std::uint32_t>(worker)))) {
    const std::vector<int> own = plan_.places[member.index()].members();
    members.insert(members.end(), own.begin(), own.end());
  }
  return members;
}

Result<void> RuntimeSystem::Implementation::regroup(const std::string& clusters) {
  if (!crew_->grouping) {
    return Failure{
        ErrorCode::invalid_argument,
        "the clusters of this runtime stay as they are: set RuntimeOptions::threads.regroup before it starts"};
  }
  auto groups = groups_of(clusters, plan_.topology);
  if (!groups) return groups.failure();
  crew_->grouping->regroup(std::move(groups).value());
  return {};
}

}  // namespace troupe::actors
