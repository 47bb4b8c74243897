#include "actors/scheduler/submitted_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/data/working_set.hpp"

namespace troupe::scheduler {

namespace {

/// For one piece of data: the longest chains, in seconds, that begin with a later task that uses the data. Tasks are
/// visited from the last to the first.
struct Behind {
  /// The chain that begins with the next task that writes the data.
  double writer_s = 0;
  /// The longest chain that begins with a task that reads the data before that writer.
  double readers_s = 0;
};

/// For one piece of data: the lowest levels that later tasks which use the data can have. `after_writer` is one level
/// after the last task that wrote the data; `after_readers` is one level after all tasks that have read the data since
/// then. Tasks are visited from the first to the last.
struct Before {
  std::size_t after_writer = 0;
  std::size_t after_readers = 0;
};

void count_task(TaskLevel& level, SizeClassId size_class) {
  const auto same = std::ranges::find(level, size_class, &ClassCount::size_class);
  if (same == level.end()) {
    level.push_back({size_class, 1});
  } else {
    ++same->tasks;
  }
}

/// Ranks are kept while no cost has changed by more than this fraction.
constexpr double kCostTolerance = 0.1;

/// Each call of `rank` allows this many records to be ranked again because costs have changed. So the ranks of n tasks
/// in flight are computed again at most once in n / 8 calls.
constexpr std::size_t kRankedAgain = 8;

/// Returns the cost of a class, in seconds; 0 for classes that came after the costs were looked up.
double cost_s(std::span<const double> costs_s, SizeClassId size_class) {
  return size_class.index() < costs_s.size() ? costs_s[size_class.index()] : 0;
}

}  // namespace

SubmittedTasks::Record* SubmittedTasks::find(TaskId task) {
  const auto found = std::ranges::lower_bound(records_, task, {}, &Record::id);
  return found == records_.end() || found->id != task ? nullptr : &*found;
}

void SubmittedTasks::count(std::span<const memory::Use> uses, int change) {
  for (const memory::Use& use : uses) {
    Uses& left = uses_left_.make(use.handle);
    if (left.all == 0) data_left_ += use.bytes;
    left.all += static_cast<std::uint32_t>(change);
    if (writes(use.mode)) left.writes += static_cast<std::uint32_t>(change);
    if (left.all > 0) continue;
    data_left_.count -= use.bytes.count;
    uses_left_.remove(use.handle);
  }
}

void SubmittedTasks::submitted(const graph::Task& task) noexcept {
  const LockGuard lock(mutex_);
  Record record{task.task_id(), classes_.classify(task), static_cast<std::uint32_t>(uses_.size()), 0, 0, false};
  graph::append_working_set(task, uses_);
  record.uses_end = static_cast<std::uint32_t>(uses_.size());
  count({uses_.data() + record.uses_begin, record.uses_end - record.uses_begin}, 1);
  records_.push_back(record);
  left_.resize(classes_.size());
  ++left_[record.size_class.index()];
}

void SubmittedTasks::restricted(const graph::Task& task) noexcept {
  const LockGuard lock(mutex_);
  Record* const record = find(task.task_id());
  if (record == nullptr) return;
  --left_[record->size_class.index()];
  record->size_class = classes_.classify(task);
  left_.resize(classes_.size());
  ++left_[record->size_class.index()];
}

void SubmittedTasks::ended(TaskId task) {
  const LockGuard lock(mutex_);
  Record* record = find(task);
  if (record == nullptr || record->ended) return;
  record->ended = true;
  --left_[record->size_class.index()];
  count({uses_.data() + record->uses_begin, record->uses_end - record->uses_begin}, -1);
  while (first_live_ < records_.size() && records_[first_live_].ended) ++first_live_;
  if (first_live_ > 4096 && first_live_ > records_.size() / 2) shrink();
}

void SubmittedTasks::shrink() {
  const std::size_t gone = first_live_;
  const std::uint32_t uses_gone =
      gone < records_.size() ? records_[gone].uses_begin : static_cast<std::uint32_t>(uses_.size());
  records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(gone));
  uses_.erase(uses_.begin(), uses_.begin() + uses_gone);
  for (Record& record : records_) {
    record.uses_begin -= uses_gone;
    record.uses_end -= uses_gone;
  }
  first_live_ = 0;
  ranked_ -= std::min(ranked_, gone);
}

void SubmittedTasks::set_reuse(HandleId handle, std::int64_t index) {
  const LockGuard lock(mutex_);
  if (index == 0) {
    reuse_.remove(handle);
  } else {
    reuse_.make(handle) = index;
  }
}

std::int64_t SubmittedTasks::reuse_of(std::span<const memory::Use> uses) const {
  const LockGuard lock(mutex_);
  const bool any_written = std::ranges::any_of(uses, [](const memory::Use& use) { return writes(use.mode); });
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const memory::Use& use : uses) {
    if (any_written && !writes(use.mode)) continue;
    const std::int64_t* const set = reuse_.find(use.handle);
    const Uses* const left = uses_left_.find(use.handle);
    most = std::max(most, set != nullptr ? *set : left != nullptr ? std::int64_t{left->all} : 0);
  }
  return uses.empty() ? 0 : most;
}

SizeClassId SubmittedTasks::classify(const graph::Task& task) {
  const LockGuard lock(mutex_);
  if (const Record* record = find(task.task_id())) return record->size_class;
  return classes_.classify(task);
}

const graph::SizeClass& SubmittedTasks::size_class(SizeClassId id) const {
  const LockGuard lock(mutex_);
  return classes_[id];
}

std::size_t SubmittedTasks::size_classes() const {
  const LockGuard lock(mutex_);
  return classes_.size();
}

void SubmittedTasks::mark_last_writes(std::span<memory::Use> uses) const {
  const LockGuard lock(mutex_);
  for (memory::Use& use : uses) {
    const Uses* const left = writes(use.mode) ? uses_left_.find(use.handle) : nullptr;
    use.last_write = left != nullptr && left->writes == 1;
  }
}

void SubmittedTasks::left(std::vector<std::uint32_t>& out) const {
  const LockGuard lock(mutex_);
  out = left_;
}

Bytes SubmittedTasks::data_left() const {
  const LockGuard lock(mutex_);
  return data_left_;
}

std::vector<TaskLevel> SubmittedTasks::levels(std::size_t most) const {
  const LockGuard lock(mutex_);
  std::vector<TaskLevel> levels;
  HandleTable<Before> before;
  for (std::size_t i = first_live_; i < records_.size() && most > 0; ++i) {
    const Record& record = records_[i];
    if (record.ended) continue;
    --most;
    const std::span<const memory::Use> uses(uses_.data() + record.uses_begin, record.uses_end - record.uses_begin);
    std::size_t level = 0;
    for (const memory::Use& use : uses) {
      const Before& data = before.make(use.handle);
      level = std::max(level, data.after_writer);
      if (writes(use.mode)) level = std::max(level, data.after_readers);
    }
    for (const memory::Use& use : uses) {
      Before& data = before[use.handle];
      if (writes(use.mode)) {
        data = {level + 1, 0};
      } else {
        data.after_readers = std::max(data.after_readers, level + 1);
      }
    }
    if (levels.size() <= level) levels.resize(level + 1);
    count_task(levels[level], record.size_class);
  }
  return levels;
}

std::uint32_t SubmittedTasks::uses_left(HandleId handle) const {
  const LockGuard lock(mutex_);
  const Uses* const left = uses_left_.find(handle);
  return left != nullptr ? left->all : 0;
}

double SubmittedTasks::rank(TaskId task, std::span<const double> costs_s) {
  const LockGuard lock(mutex_);
  const Record* record = find(task);
  if (record == nullptr) return 0;
  const auto position = static_cast<std::size_t>(record - records_.data());
  const std::size_t waiting = records_.size() - ranked_;
  const std::size_t live = records_.size() - first_live_;
  const bool many = position >= ranked_ && waiting >= std::max<std::size_t>(1, live / 8);
  may_rank_again_ = std::min(may_rank_again_ + kRankedAgain, std::max(live, kRankedAtOnce));
  if (many) {
    compute_ranks(costs_s);
  } else if (may_rank_again_ >= live && costs_have_moved(costs_s)) {
    may_rank_again_ -= live;
    compute_ranks(costs_s);
  }
  return position < ranked_ ? record->rank_s : cost_s(costs_s, record->size_class);
}

bool SubmittedTasks::costs_have_moved(std::span<const double> costs_s) const {
  for (std::size_t i = 0; i < std::min(costs_s.size(), ranked_costs_s_.size()); ++i) {
    const double before = ranked_costs_s_[i];
    if (std::abs(costs_s[i] - before) > kCostTolerance * std::max(costs_s[i], before)) return true;
  }
  return false;
}

void SubmittedTasks::compute_ranks(std::span<const double> costs_s) {
  HandleTable<Behind> behind;
  for (std::size_t i = records_.size(); i-- > first_live_;) {
    Record& record = records_[i];
    if (record.ended) continue;
    double longest = 0;
    for (std::uint32_t u = record.uses_begin; u < record.uses_end; ++u) {
      const memory::Use& use = uses_[u];
      const Behind& data = behind.make(use.handle);
      longest = std::max(longest, data.writer_s);
      if (writes(use.mode)) longest = std::max(longest, data.readers_s);
    }
    record.rank_s = longest + cost_s(costs_s, record.size_class);
    for (std::uint32_t u = record.uses_begin; u < record.uses_end; ++u) {
      const memory::Use& use = uses_[u];
      Behind& data = behind[use.handle];
      if (writes(use.mode)) {
        data = {record.rank_s, 0};
      } else {
        data.readers_s = std::max(data.readers_s, record.rank_s);
      }
    }
  }
  ranked_ = records_.size();
  ranked_costs_s_.assign(costs_s.begin(), costs_s.end());
  ranked_costs_s_.resize(classes_.size());
}

}  // namespace troupe::scheduler
