#include "kernels/element_codelets.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "kernels/tile_kernels.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

namespace {

constexpr AccessMode element_r = AccessMode::read;
constexpr AccessMode element_w = AccessMode::write;
constexpr AccessMode element_rw = AccessMode::read_write;

template <class T>
using ElementsIn = MatrixView<const T>;
template <class T>
using ElementsOut = MatrixView<T>;

template <class A, class B>
void check_equal_shapes(const A& x, const B& y) {
  if (x.rows == y.rows && x.cols == y.cols) return;
  throw Error(ErrorCode::invalid_argument, "the two have different shapes: " + std::to_string(x.rows) + " x " +
                                               std::to_string(x.cols) + " and " + std::to_string(y.rows) + " x " +
                                               std::to_string(y.cols));
}

double elements(const KernelContext& context) { return static_cast<double>(context.data(0).layout.elements()); }
double none(const KernelContext&) { return 0; }
double once(const KernelContext& context) { return elements(context); }
double twice(const KernelContext& context) { return 2 * elements(context); }

template <class T>
void copy(ElementsIn<T> x, ElementsOut<T> y) {
  check_equal_shapes(x, y);
  for (std::int64_t j = 0; j < x.cols; ++j) std::copy_n(x.data + j * x.ld, x.rows, y.data + j * y.ld);
}

template <class T>
void fill_elements(ElementsOut<T> x, T value) {
  for (std::int64_t j = 0; j < x.cols; ++j) std::fill_n(x.data + j * x.ld, x.rows, value);
}

template <class T>
void axpy(ElementsIn<T> x, ElementsOut<T> y, T alpha) {
  check_equal_shapes(x, y);
  for (std::int64_t j = 0; j < x.cols; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) y(i, j) += alpha * x(i, j);
  }
}

template <class T>
void scale(ElementsOut<T> x, T alpha) {
  for (std::int64_t j = 0; j < x.cols; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) x(i, j) *= alpha;
  }
}

template <class T>
void dot(ElementsIn<T> x, ElementsIn<T> y, T& sum) {
  check_equal_shapes(x, y);
  double total = 0;
  for (std::int64_t j = 0; j < x.cols; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) total += static_cast<double>(x(i, j)) * static_cast<double>(y(i, j));
  }
  sum += static_cast<T>(total);
}

template <class T, class F>
Codelet make(const char* name, std::vector<AccessMode> modes, F kernel, FlopCount flops) {
  return Codelet(name, std::move(modes)).cpu(kernel).flops(std::move(flops)).known_as(precise_name<T>(name));
}

void sleep_for(std::int64_t ns) {
  if (ns < 0 || ns > kLongestSleep_ns) {
    throw Error(ErrorCode::invalid_argument,
                "sleep: " + std::to_string(ns) + " ns are not from 0 to " + std::to_string(kLongestSleep_ns));
  }
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

}  // namespace

template <class T>
const ElementCodelets<T>& element_codelets() {
  static const ElementCodelets<T> all{
      .copy = make<T>("copy", {element_r, element_w}, &copy<T>, none),
      .fill = make<T>("fill", {element_w}, &fill_elements<T>, none),
      .axpy = make<T>("axpy", {element_r, element_rw}, &axpy<T>, twice),
      .scale = make<T>("scale", {element_rw}, &scale<T>, once),
      .dot = make<T>("dot", {element_r, element_r, AccessMode::reduce}, &dot<T>, twice),
  };
  return all;
}

template const ElementCodelets<float>& element_codelets();
template const ElementCodelets<double>& element_codelets();

const TrialCodelets& trial_codelets() {
  static const TrialCodelets all{
      .nothing = Codelet("nothing", {}).cpu([] {}),
      .sleep = Codelet("sleep", {}).cpu(&sleep_for),
  };
  return all;
}

}  // namespace troupe::kernels
