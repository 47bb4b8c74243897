/// Reductions that clients name.
#pragma once

#include <string>

#include "service/codelets/codelet_source.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/layout.hpp"

namespace troupe::service {

/// "sum" of float, double, their complex numbers, and integers of 32 and 64 bits, and what `source` knows. Fails with
/// `invalid_argument`, also where the elements of the layout have another size than their type: the client made it up.
[[nodiscard]] Result<ReductionMethods> find_reduction(const std::string& name, const Layout& layout,
                                                      const CodeletSource& source);

}  // namespace troupe::service
