/// Chooses the GPUs of a described machine that a simulation uses.
#pragma once

#include <string_view>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Parses numbers of GPUs such as "1-8", "0,2,4", "1-4,8". Returns them in the order as written, each number once.
/// Fails with `invalid_argument` for anything else, and if a number is more than `most`. `where` is used in messages,
/// such as "machine 'idgraf'".
[[nodiscard]] Result<std::vector<int>> parse_gpu_counts(std::string_view text, int most, std::string_view where);
[[nodiscard]] Result<std::vector<int>> parse_gpu_counts(std::string_view text, const platform::MachineDescription& on);

/// Returns the order in which GPUs are taken: the first k of it make a machine with k GPUs.
///
/// - "near": each next GPU shares as many links on its way to host memory as possible with those that are taken;
/// - "spread": each next GPU shares as few as possible, so that the first ones have a switch to themselves;
/// - "0,4,2": exactly these, in this order.
///
/// Ties go to the lowest number. Fails with `invalid_argument`.
[[nodiscard]] Result<std::vector<int>> gpu_order(std::string_view text, const platform::MachineDescription& on);

/// Returns the given GPUs, near ones together, in an order that follows from their times, memories and links. Numbers
/// decide only between GPUs that are equal in these. So decisions by a worker's number, which policies make between
/// equals, do not depend on how a description numbers its GPUs, or on the order in which they were named.
[[nodiscard]] std::vector<int> regardless_of_numbers(const std::vector<int>& gpus,
                                                     const platform::MachineDescription& on);

}  // namespace troupe::apps
