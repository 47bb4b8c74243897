/// Whether a program's text may mean something else at another vendor.
#pragma once

#include <string>
#include <vector>

namespace troupe::opencl {

/// `texts`: the source and all files that it includes. `defined`: macros that the options define. True where a
/// conditional of the preprocessor tests a macro that vendors may define or not, and decides on more than extensions
/// and errors.
[[nodiscard]] bool depends_on_vendor(const std::vector<std::string>& texts, const std::vector<std::string>& defined);

/// The text has a directive of this name, as `include`.
[[nodiscard]] bool has_directive(const std::string& text, const std::string& name);

}  // namespace troupe::opencl
