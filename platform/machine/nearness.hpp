/// The nearness of cores to one another, and choices that depend on it alone. All functions are pure.
#pragma once

#include <vector>

#include "platform/machine/machine.hpp"

namespace troupe::platform {

/// Returns all other cores in rings around `cores[centre]`, as indices into `cores`: first the cores in the smallest
/// domain that the centre shares with any other core (with hyperthreads the physical core, otherwise mostly a cache),
/// then the cores in the next larger domain, and at last the cores that share only the machine with the centre. No ring
/// is empty. Within a ring the cores are in cyclic order from the centre on, so that not every core begins with the
/// same neighbour. Deterministic; takes time proportional to the number of cores.
[[nodiscard]] std::vector<std::vector<int>> rings_around(const std::vector<Core>& cores, int centre);

/// Returns the first processing unit of every physical core, in the order of `pus`.
[[nodiscard]] std::vector<Core> one_pu_per_core(const std::vector<Core>& pus);

/// Returns `count` of `cores` that are near to one another, in the order of `cores`. `cores` must be in logical order,
/// and `count` between 1 and their number.
///
/// The function compares one set per core: this core and the count - 1 cores nearest to it. It takes the set with the
/// smallest sum of distances; the set of the first core wins a tie. The distance of two cores is the number of cores in
/// the smallest domain that they share. Further hyperthreads of a physical core are taken only if every core already
/// has one thread. Takes time quadratic in the number of cores.
[[nodiscard]] std::vector<Core> compact_choice(const std::vector<Core>& cores, int count);

}  // namespace troupe::platform
