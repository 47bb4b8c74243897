/// Where a service finds the codelets that its clients name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// A codelet that clients may use.
struct ServiceCodelet {
  Codelet codelet;
  /// Refuses a task whose shapes or arguments would make the kernel read or write outside of its data. Called for every
  /// task, with the layouts of its data in the order of its accesses and the arguments of the codelet; their number,
  /// types and element types have been compared before. Called by several threads at once; must be short. Empty: the
  /// kernel accepts whatever its types allow.
  std::function<Result<void>(std::span<const Layout> layouts, const Arguments& arguments)> check = nullptr;
  /// Returns how long a task takes, from arguments that `check` has accepted. Null where the arguments do not say it.
  Duration (*takes)(const Arguments& arguments) = nullptr;
  /// True if the number of operations is about what loops over the data make, so that a task with few elements is
  /// short.
  bool short_on_few_elements = false;
};

/// A reduction that clients may use on elements of one type.
struct ServiceReduction {
  std::uint64_t element_tag = 0;
  std::uint32_t element_size = 0;
  ReductionMethods methods;
};

/// Thread-safe.
class CodeletSource {
 public:
  virtual ~CodeletSource() = default;
  /// Returns null where the service knows no codelet of this name. The result lives as long as the source.
  [[nodiscard]] virtual const ServiceCodelet* find(std::string_view name) const = 0;
  /// Returns the reduction of this name for elements with this tag; null where there is none. Does not list the
  /// reductions that every service knows ("sum"). The result lives as long as the source.
  [[nodiscard]] virtual const ServiceReduction* find_reduction([[maybe_unused]] std::string_view name,
                                                               [[maybe_unused]] std::uint64_t element_tag) const {
    return nullptr;
  }
};

}  // namespace troupe::service
