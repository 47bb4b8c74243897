#include "tests/support/random/planned_run.hpp"

#include <stdexcept>
#include <vector>

#include "tests/support/random/random_program_check.hpp"

namespace troupe::tests {

namespace {

void spin_for(std::uint32_t duration) {
  volatile std::uint32_t spin = 0;
  while (spin < duration) spin = spin + 1;
}

std::vector<DataView> views_of(const KernelContext& context) {
  std::vector<DataView> views;
  for (std::size_t i = 0; i < context.size(); ++i) views.push_back(context.data(i));
  return views;
}

[[noreturn]] void fail_as_planned(int index) {
  if (index % 2 == 0) throw std::runtime_error("planned fault");
  throw index;
}

/// Sets `log.end` to `at` unless it is higher already. Several pieces may end at once.
void end_at(TaskLog& log, std::uint64_t at) {
  const std::atomic_ref<std::uint64_t> end(log.end);
  std::uint64_t before = end.load();
  while (before < at && !end.compare_exchange_weak(before, at)) {
  }
}

}  // namespace

void PlannedRun::begin() const {
  log.runs.fetch_add(1);
  log.start = clock.fetch_add(1);
}

void PlannedRun::run_whole() const {
  spin_for(task.duration);
  const std::vector<DataView> views = views_of(context);
  log.input = compute(task, views);
  log.end = clock.fetch_add(1);
  if (!task.faulty) return;
  // A task that is to fail computes twice first. The runtime must not use anything that the task has written.
  compute(task, views);
  log.end = clock.fetch_add(1);
  fail_as_planned(index);
}

std::int64_t PlannedRun::begin_pieces() const {
  const std::uint32_t pieces = planned_pieces(task);
  log.input = read_all(task, views_of(context));
  log.end = clock.fetch_add(1);
  if (task.faulty && pieces == 0) fail_as_planned(index);
  return pieces;
}

void PlannedRun::run_piece(std::size_t piece) const {
  const std::uint32_t pieces = planned_pieces(task);
  spin_for(task.duration / pieces);
  change_some(task, views_of(context), log.input, piece, pieces);
  log.pieces.fetch_add(1);
  end_at(log, clock.fetch_add(1));
  if (task.faulty && piece == task.salt % pieces) fail_as_planned(index);
}

bool ran_all_pieces(const PlannedTask& task, const TaskLog& log, TaskStatus status) {
  // A GPU runs the task as a whole, so no pieces are counted.
  return log.pieces == 0 || status != TaskStatus::succeeded || log.pieces == planned_pieces(task);
}

}  // namespace troupe::tests
