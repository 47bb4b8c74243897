#include "apps/simulate/simulation_point.hpp"
#include "troupe/devices.hpp"

#include <algorithm>

namespace troupe::apps {

namespace {

/// Estimates the mean of `get` over the outcomes.
template <class Get>
Estimate estimate_of(const std::vector<FactorizationOutcome>& outcomes, const Get& get) {
  std::vector<double> values;
  values.reserve(outcomes.size());
  for (const FactorizationOutcome& outcome : outcomes) values.push_back(static_cast<double>(get(outcome)));
  return estimate(values);
}

/// Returns the traffic over a link; zero if the run did not use it.
LinkTraffic traffic_of(const FactorizationOutcome& outcome, const std::string& link) {
  for (const LinkTraffic& traffic : outcome.report.transfers.links) {
    if (traffic.name == link) return traffic;
  }
  return {link, 0, {}, {}};
}

/// Returns all links that at least one of the runs has used.
std::vector<LinkUse> links_of(const std::vector<FactorizationOutcome>& outcomes) {
  std::vector<LinkUse> links;
  for (const FactorizationOutcome& outcome : outcomes) {
    for (const LinkTraffic& traffic : outcome.report.transfers.links) {
      const auto known = [&](const LinkUse& link) { return link.name == traffic.name; };
      if (std::any_of(links.begin(), links.end(), known)) continue;
      links.push_back({traffic.name, traffic.bandwidth_mb_per_s, {}, {}});
    }
  }
  for (LinkUse& link : links) {
    link.bytes = estimate_of(outcomes, [&](const auto& outcome) { return traffic_of(outcome, link.name).bytes.count; });
    link.busy = estimate_of(
        outcomes, [&](const auto& outcome) { return seconds(traffic_of(outcome, link.name).busy) / outcome.seconds; });
  }
  return links;
}

std::vector<WorkerUse> workers_of(const std::vector<FactorizationOutcome>& outcomes) {
  std::vector<WorkerUse> workers;
  const std::vector<WorkerReport>& first = outcomes.front().report.workers;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto busy = [i](const FactorizationOutcome& outcome) { return seconds(outcome.report.workers[i].time.busy); };
    workers.push_back(
        {first[i].device, is_accelerator(first[i].kind), is_accelerator(first[i].kind) ? 0 : first[i].cores,
         estimate_of(outcomes, [i](const auto& outcome) { return outcome.report.workers[i].counts.tasks; }),
         estimate_of(outcomes, busy),
         estimate_of(outcomes, [&](const auto& outcome) { return busy(outcome) / outcome.seconds; })});
  }
  return workers;
}

}  // namespace

std::optional<double> SimulationPoint::utilization(bool of_accelerators) const {
  if (regrouped && !of_accelerators) return std::nullopt;
  double sum = 0;
  int count = 0;
  for (const WorkerUse& worker : workers) {
    if (worker.accelerator != of_accelerators) continue;
    sum += worker.utilization.mean;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::vector<int> SimulationPoint::core_workers() const {
  std::vector<int> cores;
  for (const WorkerUse& worker : workers) {
    if (!worker.accelerator) cores.push_back(worker.cores);
  }
  return cores;
}

int SimulationPoint::cores() const {
  int count = 0;
  for (const WorkerUse& worker : workers) count += worker.cores;
  return count;
}

std::optional<double> SimulationPoint::bound_seconds() const {
  if (run_bounds_s.empty()) return std::nullopt;
  return estimate(run_bounds_s).mean;
}

std::optional<double> SimulationPoint::fraction_of_bound() const {
  const auto bound = bound_seconds();
  return bound ? std::optional(*bound / seconds.mean) : std::nullopt;
}

std::optional<double> SimulationPoint::bytes_fraction_of_bound() const {
  if (!bound_bytes || bytes.mean <= 0) return std::nullopt;
  return static_cast<double>(bound_bytes->count) / bytes.mean;
}

SimulationPoint point_of(SimulationPlace place, const std::vector<FactorizationOutcome>& outcomes) {
  const auto of_transfers = [&](const auto& get) {
    return estimate_of(outcomes, [&](const FactorizationOutcome& outcome) { return get(outcome.report.transfers); });
  };
  SimulationPoint point;
  point.place = std::move(place);
  point.tasks = outcomes.front().tasks;
  point.regrouped = outcomes.front().report.regroupings > 0;
  point.seconds = estimate_of(outcomes, [](const auto& outcome) { return outcome.seconds; });
  point.gflops = estimate_of(outcomes, [](const auto& outcome) { return outcome.gflops; });
  point.bytes_host_to_device = of_transfers([](const TransferReport& report) { return report.host_to_device.count; });
  point.bytes_device_to_host = of_transfers([](const TransferReport& report) { return report.device_to_host.count; });
  point.bytes_device_to_device =
      of_transfers([](const TransferReport& report) { return report.device_to_device.count; });
  point.bytes = of_transfers([](const TransferReport& report) { return report.total().count; });
  point.evictions = of_transfers([](const TransferReport& report) { return report.manager.evictions; });
  point.write_backs = of_transfers([](const TransferReport& report) { return report.manager.write_backs; });
  point.links = links_of(outcomes);
  point.workers = workers_of(outcomes);
  return point;
}

}  // namespace troupe::apps
