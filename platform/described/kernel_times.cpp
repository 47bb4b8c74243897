#include "troupe/machine.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "proto/amdahl.hpp"

namespace troupe::platform {

void TimeCurve::add(double edge, KernelTime time) {
  assert(edge > 0 && time.mean_us > 0 && "an edge and a time are positive");
  const double rate = edge * edge * edge / time.mean_us;
  const Point point{edge, time, std::log(edge), std::log(rate), time.deviation_us / time.mean_us};
  const auto after = std::ranges::upper_bound(points_, edge, {}, &Point::edge);
  points_.insert(after, point);
}

KernelTime TimeCurve::at(double edge) const {
  assert(!points_.empty() && "this kernel has no times on this kind of device");
  assert(edge > 0 && "an edge is positive");
  const auto above = std::ranges::lower_bound(points_, edge, {}, &Point::edge);
  if (above != points_.end() && above->edge == edge) return above->time;
  double log_rate = 0;
  double relative_deviation = 0;
  if (above == points_.begin() || above == points_.end()) {
    const Point& nearest = above == points_.begin() ? points_.front() : points_.back();
    log_rate = nearest.log_rate;
    relative_deviation = nearest.relative_deviation;
  } else {
    const Point& low = *std::prev(above);
    const double part = (std::log(edge) - low.log_edge) / (above->log_edge - low.log_edge);
    log_rate = std::lerp(low.log_rate, above->log_rate, part);
    relative_deviation = std::lerp(low.relative_deviation, above->relative_deviation, part);
  }
  const double mean_us = edge * edge * edge / std::exp(log_rate);
  return {mean_us, relative_deviation * mean_us};
}

TimeCurve TimeCurve::scaled(double factor) const {
  TimeCurve result;
  for (const Point& point : points_) {
    result.add(point.edge, {factor * point.time.mean_us, factor * point.time.deviation_us});
  }
  return result;
}

KernelTimes::KernelTimes(std::string application, std::string kernel, std::string precision,
                         const std::vector<TileTimes>& tiles, std::size_t gpus)
    : application_(std::move(application)), kernel_(std::move(kernel)), precision_(std::move(precision)) {
  double largest_with_flops = 0;
  for (const TileTimes& tile : tiles) {
    edges_.push_back(tile.edge);
    assert((tile.cpu || tile.clusters.empty()) && "times on clusters are told from those on one core");
    if (tile.cpu) curve_on(1).add(tile.edge, *tile.cpu);
    for (const ClusterTime& cluster : tile.clusters) curve_on(cluster.cores).add(tile.edge, cluster.time);
    if (!tile.gpus.empty()) {
      assert(tile.gpus.size() == gpus && "a time for every GPU, or for none");
      gpus_.resize(gpus);
      for (std::size_t gpu = 0; gpu < gpus; ++gpu) gpus_[gpu].add(tile.edge, tile.gpus[gpu]);
    }
    if (tile.flops > 0 && tile.edge > largest_with_flops) {
      largest_with_flops = tile.edge;
      flops_per_cube_ = tile.flops / (tile.edge * tile.edge * tile.edge);
    }
  }
  std::ranges::sort(edges_);
}

KernelTimes KernelTimes::scaled(std::string application, std::string kernel, double factor) const {
  KernelTimes result = *this;
  result.application_ = std::move(application);
  result.kernel_ = std::move(kernel);
  for (auto& [cores, curve] : result.on_cores_) curve = curve.scaled(factor);
  for (TimeCurve& gpu : result.gpus_) gpu = gpu.scaled(factor);
  result.flops_per_cube_ *= factor;
  return result;
}

TimeCurve& KernelTimes::curve_on(int cores) {
  auto curve = std::ranges::lower_bound(on_cores_, cores, {}, &std::pair<int, TimeCurve>::first);
  if (curve == on_cores_.end() || curve->first != cores) curve = on_cores_.insert(curve, {cores, TimeCurve()});
  return curve->second;
}

double KernelTimes::edge_with(double flops) const {
  return flops > 0 && flops_per_cube_ > 0 ? std::cbrt(flops / flops_per_cube_) : edges_.back();
}

std::vector<int> KernelTimes::core_counts() const {
  std::vector<int> counts;
  for (const auto& [cores, curve] : on_cores_) counts.push_back(cores);
  return counts;
}

KernelTime KernelTimes::cpu(double edge) const { return cluster(1, edge); }

KernelTime KernelTimes::cluster(int cores, double edge) const {
  const auto measured = std::ranges::find(on_cores_, cores, &std::pair<int, TimeCurve>::first);
  if (measured != on_cores_.end()) return measured->second.at(edge);
  assert(cores > 1 && on_clusters() && "this kernel has no times for clusters");
  std::vector<TimeOnCores> times;
  double relative_deviation = 0;
  for (const auto& [count, curve] : on_cores_) {
    const KernelTime time = curve.at(edge);
    times.push_back({count, time.mean_us});
    if (count < cores) relative_deviation = time.deviation_us / time.mean_us;
  }
  const double mean_us = fit_amdahl(times)->at(cores);
  return {mean_us, relative_deviation * mean_us};
}

KernelTime KernelTimes::gpu(std::size_t gpu, double edge) const {
  assert(gpu < gpus_.size() && "no such GPU, or a kernel that runs on cores only");
  return gpus_[gpu].at(edge);
}

}  // namespace troupe::platform
