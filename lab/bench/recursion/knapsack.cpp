#include "lab/bench/recursion/knapsack.hpp"

#include <algorithm>
#include <random>

namespace troupe::bench {
namespace {

constexpr std::uint64_t kLightest = 501;
constexpr std::uint64_t kWeights = 500;
/// The value of an item is its weight and so much more. Searches are long because the items differ little, and because
/// no choice comes up to the bound; most of a search proves that the best value is the best one.
constexpr std::int64_t kGain = 100;

std::vector<KnapsackItem> random_items(std::int64_t n) {
  std::mt19937_64 random(2);
  std::vector<KnapsackItem> items(static_cast<std::size_t>(n));
  for (KnapsackItem& item : items) {
    item.weight = static_cast<std::int64_t>(kLightest + random() % kWeights);
    item.value = item.weight + kGain;
  }
  std::stable_sort(items.begin(), items.end(), [](const KnapsackItem& x, const KnapsackItem& y) {
    return x.value * y.weight > y.value * x.weight;
  });
  return items;
}

/// Returns the largest value by dynamic programming: the best of the first items for every capacity.
std::int64_t best_value(const std::vector<KnapsackItem>& items, std::int64_t capacity) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(capacity) + 1);
  for (const KnapsackItem& item : items) {
    for (std::int64_t room = capacity; room >= item.weight; --room) {
      const std::int64_t with = best[static_cast<std::size_t>(room - item.weight)] + item.value;
      best[static_cast<std::size_t>(room)] = std::max(best[static_cast<std::size_t>(room)], with);
    }
  }
  return best.back();
}

}  // namespace

KnapsackSearch::KnapsackSearch(const RecursionCase& options)
    : depth_(static_cast<std::size_t>(std::min(options.cutoff, options.n))) {
  if (options.n > kMostItems) throw BadParameter("n: at most 500 items are chosen from");
  items_ = random_items(options.n);
  for (const KnapsackItem& item : items_) capacity_ += item.weight;
  capacity_ /= 2;
  expected_ = best_value(items_, capacity_);
}

bool KnapsackSearch::is_promising(const Knapsack& chosen) {
  if (chosen.room < 0) return false;
  std::int64_t best = best_;
  while (chosen.value > best && !best_.compare_exchange_weak(best, chosen.value)) {
  }
  // The bound takes the next items while there is room, and a part of the first one for which there is not enough.
  std::int64_t bound = chosen.value;
  std::int64_t room = chosen.room;
  for (std::size_t i = chosen.next; i < items_.size(); ++i) {
    const KnapsackItem& item = items_[i];
    if (item.weight > room) {
      bound += item.value * room / item.weight;
      break;
    }
    bound += item.value;
    room -= item.weight;
  }
  return bound > best_;
}

void KnapsackSearch::search_without_tasks(const Knapsack& chosen) {
  if (!is_promising(chosen) || chosen.next == items_.size()) return;
  search_without_tasks(chosen.with(items_[chosen.next]));
  search_without_tasks(chosen.without());
}

}  // namespace troupe::bench
