#include "python/module/kernels/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "python/module/errors.hpp"
#include "python/module/gil.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

template <class T>
constexpr bool is_complex = !std::is_arithmetic_v<T>;

/// Calls `each` for each element of a block, or of two blocks of the same shape.
template <class T, class Each>
void for_each(const DataView& view, const Each& each) {
  const auto x = view.as_volume<T>();
  for (std::int64_t k = 0; k < x.planes; ++k) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) each(x(i, j, k));
    }
  }
}
template <class T, class Each>
void for_each(const DataView& a, const DataView& b, const Each& each) {
  const auto x = a.as_volume<T>();
  const auto y = b.as_volume<T>();
  for (std::int64_t k = 0; k < x.planes; ++k) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) each(x(i, j, k), y(i, j, k));
    }
  }
}

template <class T, class Combine>
ReductionMethods methods(T neutral, Combine combine, std::string name) {
  return {[neutral](const DataView& partial) { for_each<T>(partial, [neutral](T& x) { x = neutral; }); },
          [combine](const DataView& into, const DataView& from) {
            for_each<T>(into, from, [combine](T& x, const T& y) { x = combine(x, y); });
          },
          std::move(name)};
}

template <class T>
std::optional<ReductionMethods> named_reduction(const std::string& name) {
  if (name == "sum") {
    return methods<T>(
        T{}, [](const T& x, const T& y) { return static_cast<T>(x + y); }, name);
  }
  if (name == "prod") {
    return methods<T>(
        T{1}, [](const T& x, const T& y) { return static_cast<T>(x * y); }, "");
  }
  if constexpr (!is_complex<T>) {
    using Limits = std::numeric_limits<T>;
    // The result is NaN if x or y is NaN. If x is NaN, `x != x` selects x. If only y is NaN, both comparisons are
    // false, so y is the result.
    if (name == "min") {
      const T most = Limits::has_infinity ? Limits::infinity() : Limits::max();
      return methods<T>(
          most, [](const T& x, const T& y) { return x < y || x != x ? x : y; }, "");
    }
    if (name == "max") {
      const T least = Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
      return methods<T>(
          least, [](const T& x, const T& y) { return x > y || x != x ? x : y; }, "");
    }
  }
  return std::nullopt;
}

template <class... T>
std::optional<ReductionMethods> find_reduction(std::uint64_t tag, const std::string& name) {
  std::optional<ReductionMethods> found;
  ((tag == type_tag<T>() ? static_cast<void>(found = named_reduction<T>(name)) : static_cast<void>(0)), ...);
  return found;
}

/// A reduction by Python functions. The functions get copies of the runtime's memory, because they may keep their
/// arguments.
struct PythonReduction {
  KeptObject initialize;
  KeptObject combine;
  KeptObject dtype;
  ArrayForm form;

  [[nodiscard]] py::array array(const DataView& view) const {
    return copy_of(view, form, py::reinterpret_borrow<py::dtype>(dtype.get()));
  }
  /// Calls the function. The function writes its first argument, which is then copied back to the runtime's memory.
  template <class... View>
  void call(const KeptObject& function, const View&... views) const {
    const WithGil lock;
    try {
      const std::array<py::array, sizeof...(views)> arrays{array(views)...};
      std::apply([&](const auto&... all) { function.get()(all...); }, arrays);
      copy_back(arrays[0], std::get<0>(std::tie(views...)));
      for (const py::array& one : arrays) {
        if (one.ref_count() == 1) continue;
        throw Error(ErrorCode::kernel_failed,
                    "a function of a reduction kept an argument, a partial result that ends with the call: keep a copy "
                    "of it");
      }
    } catch (py::error_already_set& error) {
      throw Error(code_of(error.value()), "a function of a reduction raised " + text_of(error.value()));
    }
  }
};

}  // namespace

ReductionMethods reduction_of(py::handle method, const ArrayData& data) {
  const py::object dtype = data.array(false).attr("dtype");
  if (py::isinstance<py::str>(method)) {
    const auto name = method.cast<std::string>();
    const std::vector<std::string> names{"sum", "prod", "min", "max"};
    if (std::ranges::find(names, name) == names.end()) {
      throw py::value_error(fmt::format("'{}' is no reduction: use sum, prod, min, max, or a pair of functions{}", name,
                                        did_you_mean(name, names)));
    }
    auto found = find_reduction<float, double, std::complex<float>, std::complex<double>, std::int8_t, std::int16_t,
                                std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(
        data.form().layout.element_tag, name);
    if (found) return *found;
    throw py::type_error(
        fmt::format("there is no reduction '{}' of dtype {}: pass two functions, initialize(partial) and "
                    "combine(into, from)",
                    name, std::string(py::str(py::handle(dtype)))));
  }
  if (!py::isinstance<py::tuple>(method) || py::len(method) != 2) {
    throw py::type_error("a reduction is 'sum', 'prod', 'min', 'max', or (initialize, combine): two functions");
  }
  const auto pair = py::reinterpret_borrow<py::tuple>(method);
  for (const py::handle function : pair) {
    if (PyCallable_Check(function.ptr()) == 0) {
      throw py::type_error("a reduction's initialize(partial) and combine(into, from) are functions, not " +
                           std::string(py::repr(function)));
    }
  }
  const auto shared = std::make_shared<const PythonReduction>(
      PythonReduction{KeptObject(pair[0]), KeptObject(pair[1]), KeptObject(dtype), data.form()});
  return {[shared](const DataView& partial) { shared->call(shared->initialize, partial); },
          [shared](const DataView& into, const DataView& from) { shared->call(shared->combine, into, from); }, ""};
}

}  // namespace troupe::python
