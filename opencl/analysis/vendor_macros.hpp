/// Whether a program's text may mean something else at another vendor.
#pragma once

#include <string>
#include <vector>

namespace troupe::opencl {

/// `texts`: the source and all files that it includes. `defined`: macros that the options define. True where a
/// conditional of the preprocessor tests a macro that vendors may define or not, and decides on more than extensions
/// and errors; and where code names such a macro, which may stand for anything then. In code only reserved names count:
/// those that begin as `__` or `CL_` do, and are neither the language's nor the program's own.
[[nodiscard]] bool depends_on_vendor(const std::vector<std::string>& texts, const std::vector<std::string>& defined);

}  // namespace troupe::opencl
