// The functions that python/troupe/linalg.py calls after it has checked the program's arguments.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "platform/memory/host_buffer.hpp"
#include "python/module/linalg/dense_factorizations.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"

namespace py = pybind11;

namespace troupe::python {

namespace {

/// Returns the array as a matrix. python/troupe/linalg.py has already checked that the array has this type, two
/// dimensions, aligned elements, and strides of whole elements.
template <class T>
StridedMatrix<T> strided(const py::array& array) {
  const auto stride = [&](py::ssize_t i) { return array.strides(i) / static_cast<py::ssize_t>(sizeof(T)); };
  const void* const data = array.data();
  return {static_cast<T*>(const_cast<void*>(data)), array.shape(0), array.shape(1), stride(0), stride(1)};
}

using Array = std::optional<py::array>;

/// The runtime in which one call factorizes and overwrites an array. If the array is registered as a bare array, the
/// registration ends first. After the call no task runs, and the program's own number of BLAS threads is restored.
class Place {
 public:
  Place(py::handle runtime, const py::array& overwritten) : runtime_(runtime_in(runtime).runtime()) {
    runtime_in(runtime).forget_bare(overwritten);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { kernels::lend_blas_threads(); }

  [[nodiscard]] Runtime& operator*() const { return *runtime_; }

 private:
  std::shared_ptr<Runtime> runtime_;
};

template <class T>
Operand<T> operand(const py::array& work, const Array& source, const Array& target) {
  const StridedMatrix<T> whole = strided<T>(work);
  Operand<T> result{whole.data, whole.rows, whole.cols};
  if (source) {
    const StridedMatrix<T> from = strided<T>(*source);
    result.from = {from.data, from.rows, from.cols, from.row_stride, from.col_stride};
  }
  if (target) result.to = strided<T>(*target);
  return result;
}

/// Calls `function(T{})`, where T is the type of the array's elements, float or double. Other Python threads can run
/// during the call.
template <class Function>
auto with_type_of(const py::array& array, const Function& function) {
  if (py::isinstance<py::array_t<float>>(array)) return function(float{});
  if (py::isinstance<py::array_t<double>>(array)) return function(double{});
  throw py::type_error("a matrix of neither float32 nor float64");
}

/// Returns an uninitialized matrix in Fortran order, in huge pages if it is large. The first touch of small pages costs
/// more than copying a matrix into them; the first touch of huge pages costs a tenth as much.
py::array allocate_matrix(py::ssize_t rows, py::ssize_t cols, const py::dtype& type) {
  const py::ssize_t element = type.itemsize();
  const auto size = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols * element);
  auto buffer = std::make_unique<platform::HostBuffer>(
      platform::HostBuffer::allocate(Bytes{std::max<std::uint64_t>(size, 1)}).value_or_throw());
  void* const data = buffer->data();
  const py::capsule owner(buffer.release(), [](void* held) { delete static_cast<platform::HostBuffer*>(held); });
  return py::array(type, {rows, cols}, {element, rows * element}, data, owner);
}

void cholesky(py::handle runtime, const py::array& work, const Array& source, const Array& target, TileWidth tile) {
  const Place place(runtime, work);
  with_type_of(work, [&](auto type) {
    const auto a = operand<decltype(type)>(work, source, target);
    RuntimeState::wait_without_lock([&] { factorize_cholesky(*place, a, tile); });
  });
}

py::array_t<int> lu(py::handle runtime, const py::array& work, const Array& source, const Array& target,
                    const Array& lower, TileWidth tile) {
  const Place place(runtime, work);
  std::vector<int> rows;
  with_type_of(work, [&](auto type) {
    using T = decltype(type);
    const auto a = operand<T>(work, source, target);
    T* const l = lower ? strided<T>(*lower).data : nullptr;
    RuntimeState::wait_without_lock([&] { rows = factorize_lu(*place, a, l, tile); });
  });
  return py::array_t<int>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

void qr(py::handle runtime, const py::array& work, const Array& source, const Array& q, const Array& rest,
        TileWidth tile) {
  const Place place(runtime, work);
  with_type_of(work, [&](auto type) {
    using T = decltype(type);
    const auto a = operand<T>(work, source, std::nullopt);
    std::optional<Operand<T>> orthogonal;
    std::optional<Operand<T>> other;
    if (q) orthogonal = operand<T>(*q, std::nullopt, std::nullopt);
    if (rest) other = operand<T>(*rest, std::nullopt, std::nullopt);
    RuntimeState::wait_without_lock(
        [&] { factorize_qr(*place, a, orthogonal ? &*orthogonal : nullptr, other ? &*other : nullptr, tile); });
  });
}

void solve(py::handle runtime, bool definite, const py::array& work, const Array& source, const py::array& x,
           const Array& x_source, const Array& x_target, TileWidth tile) {
  const Place place(runtime, work);
  runtime_in(runtime).forget_bare(x);
  with_type_of(work, [&](auto type) {
    using T = decltype(type);
    const auto a = operand<T>(work, source, std::nullopt);
    const auto b = operand<T>(x, x_source, x_target);
    const auto application = definite ? linalg::Application::cholesky : linalg::Application::lu;
    RuntimeState::wait_without_lock([&] { solve_system(*place, application, a, b, tile); });
  });
}

}  // namespace

void bind_linalg(py::module_& whole) {
  py::module_ module = whole.def_submodule("_linalg", "The factorizations behind troupe.linalg.");
  module.def("allocate", &allocate_matrix, "A matrix in Fortran order, uninitialized.", py::arg("rows"),
             py::arg("cols"), py::arg("dtype"));
  module.def("cholesky", &cholesky, "Overwrites `work` by the lower factor of `source`, or of what it holds.",
             py::arg("runtime"), py::arg("work"), py::arg("source"), py::arg("target"), py::arg("tile"));
  module.def("lu", &lu, "Overwrites `work` by L and U, or U with L in `lower`; returns the exchanges of rows.",
             py::arg("runtime"), py::arg("work"), py::arg("source"), py::arg("target"), py::arg("lower"),
             py::arg("tile"));
  module.def("qr", &qr, "Overwrites `work` by R, `q` by its product with Q from the left, `rest` by that with Q^T.",
             py::arg("runtime"), py::arg("work"), py::arg("source"), py::arg("q"), py::arg("rest"), py::arg("tile"));
  module.def("solve", &solve, "Overwrites `x` by the solution for `x_source`, or for what it holds.",
             py::arg("runtime"), py::arg("definite"), py::arg("work"), py::arg("source"), py::arg("x"),
             py::arg("x_source"), py::arg("x_target"), py::arg("tile"));
}

}  // namespace troupe::python
