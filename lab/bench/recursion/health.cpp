#include "lab/bench/recursion/health.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::bench {
namespace {

/// People in each of the smallest villages, and the people that a village has for each level above these.
constexpr std::int32_t kPeople = 30;
constexpr std::int32_t kMorePeople = 10;
/// Patients wait at most this long for a bed before they are sent up.
constexpr std::int32_t kLongestWait = 6;
constexpr std::int32_t kLongestTreatment = 12;
/// One of so many people falls ill in a step; one of so many patients is sent up at once.
constexpr std::uint64_t kOneFallsIll = 40;
constexpr std::uint64_t kOneIsSentUp = 5;

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t value = state;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
  return value ^ (value >> 31U);
}

bool one_of(std::uint64_t& state, std::uint64_t many) { return next_random(state) % many == 0; }

bool equal_patients(const std::vector<Patient>& a, const std::vector<Patient>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Patient& x, const Patient& y) { return x.home == y.home && x.steps == y.steps; });
}

/// Returns the villages level by level, the largest one first.
std::vector<Village> make_villages(std::int64_t levels) {
  std::vector<Village> villages;
  std::int32_t first = 0;
  std::int32_t count = 1;
  for (auto level = static_cast<std::int32_t>(levels); level > 0; --level, first += count, count *= Health::kBelow) {
    for (std::int32_t i = 0; i < count; ++i) {
      Village village;
      village.levels = level;
      if (level > 1) village.first_below = first + count + i * Health::kBelow;
      village.beds = level == 1 ? 3 : 3 * level;
      village.healthy = kPeople + kMorePeople * (level - 1);
      village.random = static_cast<std::uint64_t>(first + i) << 32U;
      villages.push_back(std::move(village));
    }
  }
  return villages;
}

std::int64_t count_people(const std::vector<Village>& villages) {
  std::int64_t people = 0;
  for (const Village& village : villages) {
    const std::size_t ill = village.waiting.size() + village.treated.size() + village.sent_up.size();
    people += village.healthy + static_cast<std::int64_t>(ill);
  }
  return people;
}

}  // namespace

bool Village::operator==(const Village& other) const {
  const auto numbers = [](const Village& village) {
    return std::tie(village.healthy, village.random, village.cured, village.steps_waited);
  };
  return numbers(*this) == numbers(other) && equal_patients(waiting, other.waiting) &&
         equal_patients(treated, other.treated) && equal_patients(sent_up, other.sent_up);
}

Health::Health(const RecursionCase& options) : cutoff_(options.cutoff) {
  if (options.n > kMostLevels) throw BadParameter("n: there are at most 10 levels of villages");
  original_ = make_villages(options.n);
  villages_ = original_;
  for (int step = 0; step < kSteps; ++step) simulate_without_tasks(villages_.front());
  expected_ = villages_;
}

std::span<Village> Health::below(const Village& village) {
  if (village.levels == 1) return {};
  return std::span(villages_).subspan(static_cast<std::size_t>(village.first_below), kBelow);
}

void Health::treat(Village& village) {
  for (Village& other : below(village)) {
    for (const Patient& patient : other.sent_up) village.waiting.push_back({patient.home, 0});
    other.sent_up.clear();
  }
  // The homes of patients are this village or below. These have ended their step, and no other village sees them.
  std::erase_if(village.treated, [&](Patient& patient) {
    if (--patient.steps > 0) return false;
    ++villages_[static_cast<std::size_t>(patient.home)].healthy;
    ++village.cured;
    return true;
  });
  const auto own = static_cast<std::int32_t>(&village - villages_.data());
  for (std::int32_t person = village.healthy; person > 0; --person) {
    if (!one_of(village.random, kOneFallsIll)) continue;
    --village.healthy;
    village.waiting.push_back({own, 0});
  }
  const bool is_largest = own == 0;
  std::erase_if(village.waiting, [&](Patient& patient) {
    const bool is_new = patient.steps++ == 0;
    if (!is_largest && (patient.steps > kLongestWait || (is_new && one_of(village.random, kOneIsSentUp)))) {
      village.sent_up.push_back(patient);
      return true;
    }
    if (static_cast<std::int64_t>(village.treated.size()) < village.beds) {
      const std::uint64_t more_steps = next_random(village.random) % kLongestTreatment;
      village.treated.push_back({patient.home, 1 + static_cast<std::int32_t>(more_steps)});
      return true;
    }
    ++village.steps_waited;
    return false;
  });
}

void Health::simulate_without_tasks(Village& village) {
  for (Village& other : below(village)) simulate_without_tasks(other);
  treat(village);
}

void Health::check() const {
  require_right(count_people(villages_) == count_people(original_), Recursion::health);
  require_right(villages_ == expected_, Recursion::health);
}

std::uint64_t Health::checksum() const {
  std::vector<double> numbers;
  for (const Village& village : villages_) {
    for (const std::int64_t number : {std::int64_t{village.healthy}, village.cured, village.steps_waited}) {
      numbers.push_back(static_cast<double>(number));
    }
  }
  return checksum_of(numbers);
}

}  // namespace troupe::bench
