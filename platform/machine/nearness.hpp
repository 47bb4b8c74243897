/// The nearness of cores to one another, and choices that depend on it alone. Plain functions of plain values.
#pragma once

#include <vector>

#include "platform/machine/machine.hpp"

namespace troupe::platform {

/// Returns all other cores in rings around `cores[centre]`, as indices into `cores`: first the cores in the smallest
/// domain that it shares with any other core (with hyperthreads the physical core, otherwise mostly a cache), then
/// those in the next larger one, and at last those with which it shares only the machine. No ring is empty. Within a
/// ring the cores are in cyclic order from the centre on, so that not every core begins with the same neighbour.
/// Deterministic; takes time proportional to the number of cores.
[[nodiscard]] std::vector<std::vector<int>> rings_around(const std::vector<Core>& cores, int centre);

/// Returns the first PU of every physical core, in the same order.
[[nodiscard]] std::vector<Core> one_pu_per_core(const std::vector<Core>& pus);

/// Returns `count` of `cores` that are near to one another, in their order. `cores` are in logical order; `count` is
/// between 1 and their number.
///
/// It compares, for every core, the set of this core and its count - 1 nearest others, and takes the set whose sum of
/// distances is least, where the distance of two cores is the number of cores in the smallest domain that they share;
/// the first such core wins a tie. Hyperthreads of one physical core are taken only when every core has one thread
/// already. Takes time quadratic in the number of cores.
[[nodiscard]] std::vector<Core> compact_choice(const std::vector<Core>& cores, int count);

}  // namespace troupe::platform
