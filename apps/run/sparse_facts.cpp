#include "apps/run/sparse_facts.hpp"

#include <fmt/format.h>

#include "platform/machine/host_memory.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"

namespace troupe::apps {

namespace {

double stored_elements(const SparseFacts& facts) {
  return static_cast<double>(facts.blocks) * static_cast<double>(facts.cut.block) *
         static_cast<double>(facts.cut.block);
}

std::string fill_in_text(const SparseFacts& facts) {
  std::string text =
      fmt::format("{} blocks of {} x {} are stored, {} before fill-in: {}", facts.blocks, facts.cut.block,
                  facts.cut.block, facts.blocks_before, traces::human_bytes(facts.bytes));
  if (facts.nonzeros > 0) {
    text += fmt::format(", {:.1f} elements for each of the {} that are not zero",
                        stored_elements(facts) / static_cast<double>(facts.nonzeros), facts.nonzeros);
  }
  return text;
}

}  // namespace

template <class T>
SparseFacts facts_of(const linalg::BlockMatrix<T>& a) {
  SparseFacts facts;
  facts.cut = a.cut();
  facts.blocks = facts.blocks_before = a.stored_blocks();
  facts.bytes = a.bytes();
  facts.flops = linalg::work_of(a.pattern()).flops(a.cut().block);
  return facts;
}

template SparseFacts facts_of(const linalg::BlockMatrix<float>&);
template SparseFacts facts_of(const linalg::BlockMatrix<double>&);

std::string sparse_text(const SparseFacts& facts) {
  std::string text;
  if (!facts.ordering.empty())
    text += fmt::format("  ordering  {}, rows matched to a large diagonal\n", facts.ordering);
  text += fmt::format("  fill-in   {}\n", fill_in_text(facts));
  text += facts.cut.side == 1
              ? std::string("  grain     a handle and a task for each block\n")
              : fmt::format("  grain     a handle and a task for up to {0} x {0} blocks{1}\n", facts.cut.side,
                            facts.in_pieces ? ", in pieces that other cores help with" : "");
  if (facts.steps == linalg::BlockSteps::products) text += "  steps     products alone; the panels are taken as done\n";
  if (facts.replaced.count > 0) {
    text += fmt::format("  pivots    {} too small and replaced, the first in row {}\n", facts.replaced.count,
                        facts.replaced.first + 1);
  }
  if (facts.difference) {
    text += *facts.difference == 0 ? std::string("  factors   equal to those of the sequential order, bit by bit\n")
                                   : fmt::format(
                                         "  factors   differ from those of the sequential order by {:.2g} of their "
                                         "largest element\n",
                                         *facts.difference);
  }
  return text;
}

void add_json(const SparseFacts& facts, Json& json) {
  json["block"] = facts.cut.block;
  json["super"] = facts.cut.side;
  json["grain"] = facts.cut.side == 1 ? "fine" : facts.in_pieces ? "multi" : "coarse";
  json["steps"] = to_string(facts.steps);
  json["stored_blocks"] = facts.blocks;
  json["blocks_before_fill_in"] = facts.blocks_before;
  json["stored_bytes"] = facts.bytes.count;
  json["flops"] = facts.flops;
  json["replaced_pivots"] = facts.replaced.count;
  if (facts.replaced.count > 0) json["first_replaced_row"] = facts.replaced.first + 1;
  if (!facts.ordering.empty()) json["ordering"] = facts.ordering;
  if (facts.nonzeros > 0) {
    json["nonzeros"] = facts.nonzeros;
    json["fill_in"] = stored_elements(facts) / static_cast<double>(facts.nonzeros);
  }
  if (facts.difference) json["difference_from_sequential"] = *facts.difference;
}

double most_tasks(const linalg::BlockPattern& pattern, int side, linalg::BlockSteps steps) {
  linalg::BlockWork work = linalg::work_of(linalg::pattern_of_supers(pattern, side));
  if (steps == linalg::BlockSteps::products) work.solves = work.diagonals = 0;
  return static_cast<double>(work.products + work.solves + work.diagonals);
}

void require_block_memory(Bytes blocks, double tasks) {
  // The memory of a task, as measured: the record of its step, and the ranks that give its priority.
  constexpr double kBytesPerTask = 100;
  const platform::HostMemory memory = platform::read_host_memory();
  const double needed = static_cast<double>(blocks.count) + tasks * kBytesPerTask;
  if (needed <= static_cast<double>(memory.available.count)) return;
  const std::string available =
      fmt::format("only {} are available ({})", traces::human_bytes(memory.available), memory.limited_by);
  if (blocks.count <= memory.available.count) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("up to {:.3g} tasks need {:.3g} GiB of memory, but {}: give larger blocks (--block), or more "
                    "of them in a task (--super)",
                    tasks, tasks * kBytesPerTask / 0x1p30, available));
  }
  throw Error(ErrorCode::bad_input, fmt::format("the blocks need {} of memory, but {}: try another --ordering, smaller "
                                                "blocks, --precision float, or a larger machine",
                                                traces::human_bytes(blocks), available));
}

std::string small_tasks_warning(double tasks, double flops) {
  // Up to a million tasks cause no warning, because managing them takes only seconds. A task with fewer operations than
  // `kSmallTask` is small: a core needs only a few microseconds for them.
  constexpr double kManyTasks = 1e6;
  constexpr double kSmallTask = 2e4;
  if (tasks <= kManyTasks || flops >= tasks * kSmallTask) return "";
  return fmt::format(
      "troupe: warning: up to {:.2g} tasks of {:.0f} operations each on average: to keep them takes longer than what "
      "they compute; larger blocks (--block), or more of them in a task (--super), are faster\n",
      tasks, flops / tasks);
}

}  // namespace troupe::apps
