#include "platform/machine/nearness.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <set>

namespace troupe::platform {
namespace {

/// Returns the position in `a.domains` of the smallest domain that contains both cores; the number of domains if there
/// is no such domain.
std::size_t smallest_shared(const Core& a, const Core& b) {
  const auto shared = std::find_first_of(a.domains.begin(), a.domains.end(), b.domains.begin(), b.domains.end());
  return static_cast<std::size_t>(shared - a.domains.begin());
}

struct Neighbourhood {
  /// Indices of the chosen cores, the centre first.
  std::vector<int> members;
  std::uint64_t sum_of_distances = 0;
};

Neighbourhood nearest(const std::vector<Core>& cores, int centre, int count) {
  Neighbourhood result{{centre}, 0};
  std::uint64_t width = 1;
  for (auto& ring : rings_around(cores, centre)) {
    width += ring.size();
    std::sort(ring.begin(), ring.end());
    for (const int member : ring) {
      if (static_cast<int>(result.members.size()) == count) return result;
      result.members.push_back(member);
      result.sum_of_distances += width;
    }
  }
  return result;
}

/// Returns the first hyperthread of every core, and further hyperthreads until there are `count` in total, in logical
/// order.
std::vector<Core> first_threads_and_some_more(const std::vector<Core>& pus, std::size_t count) {
  std::set<int> seen;
  std::vector<bool> is_first(pus.size());
  for (std::size_t i = 0; i < pus.size(); ++i) is_first[i] = seen.insert(pus[i].core).second;
  std::size_t more = count - seen.size();
  std::vector<Core> chosen;
  for (std::size_t i = 0; i < pus.size(); ++i) {
    if (!is_first[i] && more == 0) continue;
    if (!is_first[i]) --more;
    chosen.push_back(pus[i]);
  }
  return chosen;
}

}  // namespace

std::vector<std::vector<int>> rings_around(const std::vector<Core>& cores, int centre) {
  const auto count = static_cast<int>(cores.size());
  assert(centre >= 0 && centre < count && "no such core");
  const Core& own = cores[static_cast<std::size_t>(centre)];
  std::vector<std::vector<int>> rings(own.domains.size() + 1);
  for (int step = 1; step < count; ++step) {
    const int other = (centre + step) % count;
    rings[smallest_shared(own, cores[static_cast<std::size_t>(other)])].push_back(other);
  }
  std::erase_if(rings, [](const std::vector<int>& ring) { return ring.empty(); });
  return rings;
}

std::vector<Core> one_pu_per_core(const std::vector<Core>& pus) {
  std::set<int> seen;
  std::vector<Core> firsts;
  for (const Core& pu : pus) {
    if (seen.insert(pu.core).second) firsts.push_back(pu);
  }
  return firsts;
}

std::vector<Core> compact_choice(const std::vector<Core>& cores, int count) {
  const auto wanted = static_cast<std::size_t>(count);
  assert(count >= 1 && wanted <= cores.size() && "cannot choose more cores than there are");
  if (wanted == cores.size()) return cores;
  const auto candidates = one_pu_per_core(cores);
  if (wanted >= candidates.size()) return first_threads_and_some_more(cores, wanted);

  Neighbourhood best{{}, std::numeric_limits<std::uint64_t>::max()};
  for (int centre = 0; centre < static_cast<int>(candidates.size()); ++centre) {
    auto around = nearest(candidates, centre, count);
    if (around.sum_of_distances < best.sum_of_distances) best = std::move(around);
  }
  std::sort(best.members.begin(), best.members.end());
  std::vector<Core> chosen;
  for (const int member : best.members) chosen.push_back(candidates[static_cast<std::size_t>(member)]);
  return chosen;
}

}  // namespace troupe::platform
