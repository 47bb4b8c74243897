// Typical mistakes of beginners that a compiler finds. For each mistake, compiler_messages_test.cmake searches the
// compiler's messages for the text of the comment after the mistake. If RIGHT is defined, correct code is compiled
// instead.
#include <array>
#include <vector>

#include "troupe/troupe.hpp"

using namespace troupe;

void register_data(Runtime& runtime) {
  std::vector<double> numbers(4);
  const std::vector<double> fixed(4);
  (void)runtime.vector(numbers);
  (void)runtime.vector(fixed);
  (void)runtime.matrix(fixed.data(), 2, 2, 2);
  const auto cube = runtime.volume(numbers.data(), {2, 1, 2});
  runtime.submit([](VolumeView<const double>) {}, cube);
  runtime.submit([](VectorView<const double>) {}, cube);
#ifndef RIGHT
  std::vector<bool> bits(4);
  (void)runtime.vector(bits);                       // only elements that lie one after the other can be registered
  runtime.submit([](MatrixView<double>) {}, cube);  // a volume is no matrix: take VolumeView
#endif
}

void make_kernels() {
  int calls = 0;
  (void)Codelet("span", {AccessMode::read}).cpu([](VectorView<const double>) {});
  (void)Codelet("context", {AccessMode::read}).cpu([&calls](const KernelContext&) { ++calls; });
  (void)Codelet("function", {AccessMode::read}).cpu(Kernel([](const KernelContext&) {}));
  (void)Codelet("array", {AccessMode::write}).cpu([](std::array<double, 4>&) {});
#ifndef RIGHT
  (void)Codelet("vector", {AccessMode::write}).cpu([](std::vector<double>&) {});  // in place of std::vector<T>& take
  (void)Codelet("value", {}).cpu([](std::vector<double>) {});  // parameters by value are trivially copyable
  (void)Codelet("mutable", {AccessMode::write}).cpu([calls](double&) mutable { ++calls; });  // take the `mutable` off
  (void)Codelet("again", {}).cpu([calls](const KernelContext&) mutable { ++calls; });        // take the `mutable` off
  (void)Codelet("generic", {AccessMode::read}).cpu([](auto c) { (void)c; });                 // in place of auto write
  (void)Codelet("pieces", {})
      .pieces([](auto) { return 1; }, [](std::size_t, const KernelContext&) {});  // in place of auto
#endif
}

struct MayThrow {
  [[nodiscard]] bool stop_requested() const { return false; }
};

struct NeverThrows {
  [[nodiscard]] bool stop_requested() const noexcept { return false; }
};

void submit_lambdas(Runtime& runtime, const Vector<double>& x, const Vector<const double>& fixed, const Data& untyped,
                    const Scalar<double>& one) {
  (void)StopToken(NeverThrows{});
  double raw = 0;
  runtime.submit([](VectorView<double>, double) {}, x, raw);
  runtime.submit([](VectorView<const double>, double&) {}, fixed, commute(one));
  runtime.submit([](VectorView<float>) {}, untyped);
  const Collection halves(runtime, x, {2, 1}, 1);
  const Part<double> part = halves(0);
  const HaloPart<double> halo = halves.halo(0);
  const Collection blocks(runtime, fixed, {2, 1});
  runtime.submit([](const KernelContext&, VectorView<const double>, VectorView<double>) {}, halo, write(part));
#ifndef RIGHT
  runtime.submit([](VectorView<float>) {}, part);                  // elements of another type
  runtime.submit([](VectorView<double>) {}, halo);                 // a halo part may only be read
  runtime.submit([](VectorView<double>) {}, blocks(1));            // the data are read only
  runtime.submit([](double&, const KernelContext&) {}, one, one);  // a kernel that asks its context takes it first
  runtime.submit([](KernelContext, double&) {}, one);              // a kernel that asks its context takes it first
  runtime.submit([](VectorView<float>) {}, x);           // elements of another type than the kernel's parameter
  runtime.submit([](const VectorView<double>&) {}, x);   // a kernel takes views by value: VectorView<T> without &
  runtime.submit([](double*) {}, x);                     // a pointer is no parameter for data: take VectorView<T>
  runtime.submit([](int) {}, 3.7);                       // would lose the fraction of the value that was given
  runtime.submit([](double& s) { return s; }, one);      // a kernel's result would be lost: write it to data
  runtime.submit([](VectorView<double>) {}, fixed);      // the data are read only
  runtime.submit([](double&) {}, x);                     // a parameter for data of one element
  runtime.submit([](double&) {}, raw);                   // is a parameter for data: give a handle for it
  runtime.submit([](VectorView<double>) {}, x, one);     // another number of parameters than were given
  runtime.submit([](auto y) { (void)y; }, x);            // the parameters of an inline kernel have to be named
  runtime.submit([](const double&) {}, write(one));      // the mode changes the data
  runtime.submit([](double&) {}, read(one));             // the mode is read
  runtime.submit([](double&) {}, Access(one.handle()));  // an Access has a mode that is known only at run time
  (void)StopToken(MayThrow{});                           // stop_requested() of a stop token must be noexcept
  runtime.submit([](const char*) {}, 5.0);               // does not convert to the kernel's parameter
#endif
}
