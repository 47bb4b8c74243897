#include "service/codelets/reductions.hpp"

#include <fmt/format.h>

#include <complex>
#include <type_traits>

#include "troupe/layout.hpp"

namespace troupe::service {
namespace {

/// An integer whose sums wrap around. A client's sums may overflow, which is undefined in C++ for signed integers.
template <class T>
struct Wrapping {
  T value{};
  Wrapping& operator+=(const Wrapping& other) {
    using Unsigned = std::make_unsigned_t<T>;
    value = static_cast<T>(static_cast<Unsigned>(value) + static_cast<Unsigned>(other.value));
    return *this;
  }
};

template <class T>
ReductionMethods sum() {
  if constexpr (std::is_integral_v<T>) {
    ReductionMethods methods = sum_reduction<Wrapping<T>>();
    methods.element_tag = type_tag<T>();
    return methods;
  } else {
    return sum_reduction<T>();
  }
}

template <class... T>
ServiceReduction find_sum(std::uint64_t element_tag) {
  ServiceReduction found;
  ((type_tag<T>() == element_tag ? void(found = {element_tag, sizeof(T), sum<T>()}) : void()), ...);
  return found;
}

ServiceReduction find_built_in(std::string_view name, std::uint64_t element_tag) {
  if (name != "sum") return {};
  // The list has both long and long long: they have one size, but are different types.
  return find_sum<float, double, std::complex<float>, std::complex<double>, int, unsigned, long, unsigned long,
                  long long, unsigned long long>(element_tag);
}

}  // namespace

Result<ReductionMethods> find_reduction(const std::string& name, const Layout& layout, const CodeletSource& source) {
  const ServiceReduction* const other = source.find_reduction(name, layout.element_tag);
  const ServiceReduction found = other != nullptr ? *other : find_built_in(name, layout.element_tag);
  if (found.methods.combine && found.element_size == layout.element_size) return found.methods;
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("the service knows no reduction '{}' of such elements: it knows 'sum' of float, double, "
                             "their complex numbers, and integers of 32 and 64 bits, and those of its plug-ins",
                             name)};
}

}  // namespace troupe::service
