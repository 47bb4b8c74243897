#include "opencl/splitting/kernel_speeds.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace troupe::opencl {

namespace {

/// The shortest time, in nanoseconds, of a launch that is split.
constexpr double kShortest = 1e6;
/// A split launch must be faster than a whole launch by at least these factors: the first applies to predictions, the
/// second to measurements.
constexpr double kPredictedGain = 1.2;
constexpr double kMeasuredGain = 1.1;
/// The smallest fraction of a launch that is given to a device.
constexpr double kLeastFraction = 1.0 / 64;
/// `kTrialTime` is the length of a trial slice, in nanoseconds, on a device that is as fast as the fastest measured
/// device. The other two constants limit the fraction of the launch that is a trial slice.
constexpr double kTrialTime = 5e5;
constexpr double kLeastTrial = 1.0 / 256;
constexpr double kLargestTrial = 1.0 / 16;
/// If slices would take longer than this, in nanoseconds, each device gets several slices, so that differences between
/// items even out.
constexpr double kLongEnough = 4e6;
constexpr std::size_t kMostRounds = 4;
/// The number of measured splits after which `did_not_pay` decides whether splitting pays.
constexpr std::size_t kJudgedSplits = 2;
/// After this many splits in a row, one launch runs whole, to measure how long a whole launch takes now.
constexpr std::size_t kSplitsInARow = 32;
constexpr std::size_t kLongestPause = 4096;

}  // namespace

void KernelSpeeds::Mean::add(double one, bool small) {
  if (!settled) {
    if (small && has_large) return;
    settled = !small && has_large;
    has_large = has_large || !small;
    value = one;
    count = 1;
    return;
  }
  if (small) return;
  ++count;
  // For the first values, the weight is 1 / `count`, so `value` is their plain mean.
  constexpr double kLeastWeight = 0.25;
  value += (one - value) * std::max(kLeastWeight, 1.0 / static_cast<double>(count));
}

KernelSpeeds::Known& KernelSpeeds::known(std::size_t items) { return by_size_[std::bit_width(items)]; }

KernelSpeeds::Choice KernelSpeeds::choose(std::size_t items, std::span<const int> devices, double merging) {
  const LockGuard lock(mutex_);
  Known& here = known(items);
  if (here.whole.empty() || devices.size() < 2 || whole_time_ < building_) return {};
  if (here.pause > 0) {
    --here.pause;
    return {};
  }
  double whole_item = here.whole.begin()->second.value;
  for (const auto& [device, mean] : here.whole) whole_item = std::min(whole_item, mean.value);
  const double whole = whole_item * static_cast<double>(items);
  if (whole < kShortest || did_not_pay(here, whole_item)) return {};
  if (here.splits == kSplitsInARow) {
    here.splits = 0;
    return {};
  }
  const bool all_known = std::ranges::all_of(
      devices, [&here](int device) { return here.slice.contains(device) || here.whole.contains(device); });
  if (!all_known) return {trial(here, devices, whole), true};
  std::vector<double> fractions = by_speed(here, devices);
  const auto used = std::ranges::count_if(fractions, [](double fraction) { return fraction > 0; });
  if (used < 2) return {};
  // All slices should end at the same time; the split launch takes as long as its longest slice.
  double split = 0;
  bool settled = true;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (fractions[i] == 0) continue;
    const auto slice = here.slice.find(devices[i]);
    const Mean& mean = slice != here.slice.end() ? slice->second : here.whole.at(devices[i]);
    settled = settled && mean.settled;
    split = std::max(split, fractions[i] * mean.value * static_cast<double>(items));
  }
  if (settled && whole < kPredictedGain * (split + merging)) return {};
  ++here.splits;
  return {std::move(fractions), false, split < kLongEnough ? std::size_t{1} : kMostRounds};
}

bool KernelSpeeds::did_not_pay(Known& known, double whole_item) {
  if (!known.split.settled || known.split.count < kJudgedSplits || whole_item > kMeasuredGain * known.split.value)
    return false;
  known.split = {};
  known.pause = known.next_pause;
  known.next_pause = std::min(2 * known.next_pause, kLongestPause);
  return true;
}

std::vector<double> KernelSpeeds::trial(const Known& known, std::span<const int> devices, double whole) {
  std::vector<double> fractions(devices.size(), std::clamp(kTrialTime / whole, kLeastTrial, kLargestTrial));
  std::size_t best = devices.size();
  double rest = 1;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto found = known.whole.find(devices[i]);
    if (found != known.whole.end() &&
        (best == devices.size() || found->second.value < known.whole.at(devices[best]).value)) {
      best = i;
    }
  }
  // In this case nothing has been measured on the devices that this launch may use.
  if (best == devices.size()) return {};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (i == best) continue;
    if (known.slice.contains(devices[i]) || known.whole.contains(devices[i])) fractions[i] = 0;
    rest -= fractions[i];
  }
  fractions[best] = rest;
  return fractions;
}

std::vector<double> KernelSpeeds::by_speed(const Known& known, std::span<const int> devices) {
  std::vector<double> fractions;
  for (const int device : devices) {
    const auto slice = known.slice.find(device);
    fractions.push_back(1 / (slice != known.slice.end() ? slice->second.value : known.whole.at(device).value));
  }
  const auto normalize = [&fractions] {
    const double sum = std::accumulate(fractions.begin(), fractions.end(), 0.0);
    for (double& fraction : fractions) fraction /= sum;
  };
  normalize();
  for (double& fraction : fractions) {
    if (fraction < kLeastFraction) fraction = 0;
  }
  normalize();
  return fractions;
}

void KernelSpeeds::took_whole(int device, std::size_t items, double time) {
  const LockGuard lock(mutex_);
  known(items).whole[device].add(time / static_cast<double>(items));
  whole_time_ += time;
}

void KernelSpeeds::took_slice(std::size_t all_items, int device, std::size_t items, double time) {
  const LockGuard lock(mutex_);
  const bool small = static_cast<double>(items) < kLargestTrial * static_cast<double>(all_items);
  known(all_items).slice[device].add(time / static_cast<double>(items), small);
}

void KernelSpeeds::took_split(std::size_t items, double time) {
  const LockGuard lock(mutex_);
  known(items).split.add(time / static_cast<double>(items));
}

}  // namespace troupe::opencl
