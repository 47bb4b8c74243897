/// The interface through which a service finds the codelets that its clients name.
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
  /// Refuses a task whose shapes or arguments would make the kernel read or write outside of its data. The check gets
  /// the layouts of the task's data in the order of its accesses, and the arguments of the codelet. The caller has
  /// already checked the numbers and types of data and arguments. Several threads call the check at once; it must be
  /// short. Null if the kernel accepts all data and arguments of the right types.
  std::function<Result<void>(std::span<const Layout> layouts, const Arguments& arguments)> check = nullptr;
  /// Returns how long a task takes, from arguments that `check` has accepted. Null if the arguments do not determine
  /// the time.
  Duration (*takes)(const Arguments& arguments) = nullptr;
  /// True if a task with few elements is always short, because the time depends on the number of elements.
  bool short_on_few_elements = false;
};

/// A reduction that clients may use on elements of one type.
struct ServiceReduction {
  std::uint64_t element_tag = 0;
  std::uint32_t element_size = 0;
  ReductionMethods methods;
};

/// Finds codelets and reductions by their names. Thread-safe.
class CodeletSource {
 public:
  virtual ~CodeletSource() = default;
  /// Returns the codelet of this name; null if there is none. The result lives as long as the source.
  [[nodiscard]] virtual const ServiceCodelet* find(std::string_view name) const = 0;
  /// Returns the reduction of this name for elements with this tag; null if there is none. Does not know the built-in
  /// reductions ("sum"). The result lives as long as the source.
  [[nodiscard]] virtual const ServiceReduction* find_reduction([[maybe_unused]] std::string_view name,
                                                               [[maybe_unused]] std::uint64_t element_tag) const {
    return nullptr;
  }
};

}  // namespace troupe::service
