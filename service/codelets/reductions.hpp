/// Reductions that clients name.
#pragma once

#include <string>

#include "service/codelets/codelet_source.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/layout.hpp"

namespace troupe::service {

/// Returns the reduction with this name: "sum" of float, double, their complex numbers, and integers of 32 and 64 bits,
/// or a reduction that `source` has. Fails with `invalid_argument` if there is none, or if the layout's element size is
/// not the size of the type.
[[nodiscard]] Result<ReductionMethods> find_reduction(const std::string& name, const Layout& layout,
                                                      const CodeletSource& source);

}  // namespace troupe::service
