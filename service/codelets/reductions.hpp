/// Reductions that clients name.
#pragma once

#include <string>

#include "graph/codelets/handle.hpp"
#include "graph/codelets/layout.hpp"
#include "proto/errors.hpp"
#include "service/codelets/codelet_source.hpp"

namespace troupe::service {

/// "sum" of float, double, their complex numbers, and integers of 32 and 64 bits, and what `source` knows. Fails with
/// `invalid_argument`, also where the elements of the layout have another size than their type: the client made it up.
[[nodiscard]] Result<ReductionMethods> find_reduction(const std::string& name, const Layout& layout,
                                                      const CodeletSource& source);

}  // namespace troupe::service
