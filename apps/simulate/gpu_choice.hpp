/// Chooses the GPUs of a described machine that a simulation uses.
#pragma once

#include <string_view>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Parses numbers of GPUs such as "1-8", "0,2,4", "1-4,8". Returns the numbers in their order in the text, each once.
/// Fails with `invalid_argument` for any other text, and if a number is more than `most`. `where` is used in messages,
/// such as "machine 'idgraf'".
[[nodiscard]] Result<std::vector<int>> parse_gpu_counts(std::string_view text, int most, std::string_view where);
[[nodiscard]] Result<std::vector<int>> parse_gpu_counts(std::string_view text, const platform::MachineDescription& on);

/// Returns the order in which a simulation takes GPUs: the first k of the list make a machine with k GPUs.
///
/// - "near": each next GPU shares as many links to host memory as possible with the GPUs before it;
/// - "spread": each next GPU shares as few links as possible, so that the first GPUs have a switch to themselves;
/// - "0,4,2": exactly these GPUs, in this order.
///
/// If GPUs are equal, the lowest number comes first. Fails with `invalid_argument`.
[[nodiscard]] Result<std::vector<int>> gpu_order(std::string_view text, const platform::MachineDescription& on);

/// Returns the given GPUs in an order that follows from their times, memories and links; GPUs that share links are next
/// to one another. The GPUs' numbers decide only between GPUs that are equal in times, memories and links. Policies may
/// decide between equal workers by the worker's number. With this order, such decisions do not depend on how a
/// description numbers its GPUs, or on the order of `gpus`.
[[nodiscard]] std::vector<int> regardless_of_numbers(const std::vector<int>& gpus,
                                                     const platform::MachineDescription& on);

}  // namespace troupe::apps
