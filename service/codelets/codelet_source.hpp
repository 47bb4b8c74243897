/// Where a service finds the codelets that its clients name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "graph/codelets/arguments.hpp"
#include "graph/codelets/codelet.hpp"
#include "graph/codelets/handle.hpp"
#include "graph/codelets/layout.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"

namespace troupe::service {

/// A codelet that clients may use.
struct ServiceCodelet {
  Codelet codelet;
  /// Refuses a task whose shapes or arguments the kernel could not take, as it would then read or write outside of its
  /// data: asked for every task, with the layouts of its data in the order of its accesses and the arguments that the
  /// codelet takes (number, types and element types have been compared). Called by several threads at once; must be
  /// short. Empty: the kernel takes whatever its types allow.
  std::function<Result<void>(std::span<const Layout> layouts, const Arguments& arguments)> check = nullptr;
  /// How long a task takes, where the arguments that `check` has let pass say so; else empty.
  Duration (*takes)(const Arguments& arguments) = nullptr;
  /// Its operations are about as many as loops over its data make, so that a task with few elements is soon done.
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
  /// Null where the service knows no codelet of this name. What is returned lives as long as the source.
  [[nodiscard]] virtual const ServiceCodelet* find(std::string_view name) const = 0;
  /// The same of reductions, besides those that every service knows ("sum").
  [[nodiscard]] virtual const ServiceReduction* find_reduction([[maybe_unused]] std::string_view name,
                                                               [[maybe_unused]] std::uint64_t element_tag) const {
    return nullptr;
  }
};

}  // namespace troupe::service
