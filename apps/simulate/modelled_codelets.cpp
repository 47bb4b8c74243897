#include "apps/simulate/modelled_codelets.hpp"

#include <fmt/format.h>

#include <vector>

namespace troupe::apps {

namespace {

template <class T>
struct Named {
  Codelet kernels::TileCodelets<T>::*codelet;
  /// What files call it; the first that is there counts.
  std::vector<std::string> kernels;
};

template <class T>
std::vector<Named<T>> submitted_by(linalg::Application application, linalg::Pivoting pivoting) {
  using C = kernels::TileCodelets<T>;
  switch (application) {
    case linalg::Application::cholesky:
      return {{&C::potrf, {"potrf"}}, {&C::trsm_cholesky, {"trsm"}}, {&C::syrk, {"syrk"}}, {&C::gemm_nt, {"gemm"}}};
    case linalg::Application::lu:
      if (pivoting == linalg::Pivoting::incremental) {
        return {{&C::getrf_incpiv, {"getrf_incpiv"}},
                {&C::gessm, {"gessm"}},
                {&C::tstrf, {"tstrf"}},
                {&C::ssssm, {"ssssm"}}};
      }
      return {{&C::getrf_without_pivoting, {"getrf_nopiv", "getrf"}},
              {&C::trsm_right_upper, {"trsm_right_upper"}},
              {&C::solve_unit_lower, {"trsm_left_lower"}},
              {&C::gemm_nn, {"gemm"}}};
    case linalg::Application::qr:
      return {{&C::geqrt, {"geqrt"}},
              {&C::gemqrt_transposed, {"unmqr"}},
              {&C::tpqrt, {"tsqrt"}},
              {&C::tpmqrt_transposed, {"tsmqr"}}};
  }
  return {};
}

Codelet timed(const Codelet& codelet, const platform::KernelTimes& times) {
  Codelet result = codelet.copy();
  result.timed_as(times.application() + "/" + times.kernel() + "/" + times.precision());
  const Kernel kernel = codelet.definition().kernels[static_cast<std::size_t>(DeviceKind::cpu_core)];
  result.implement(DeviceKind::cpu_core, times.on_cpu() ? kernel : nullptr);
  result.implement(DeviceKind::cuda, times.on_gpus() ? kernel : nullptr);
  return result;
}

template <class T>
Result<const platform::KernelTimes*> find_times(linalg::Application application,
                                                const platform::MachineDescription& machine,
                                                const std::vector<std::string>& kernels, linalg::Pivoting pivoting) {
  for (const std::string& name : kernels) {
    const auto* times = machine.find_kernel(to_string(application), name, precision_name<T>());
    if (times != nullptr) return times;
  }
  const bool pairs = application == linalg::Application::lu && pivoting == linalg::Pivoting::incremental;
  return Failure{
      ErrorCode::bad_input,
      fmt::format("machine '{}' has no times for kernel '{}' of application '{}' in {} precision{}: add them "
                  "to its description, or choose another machine",
                  machine.name, fmt::join(kernels, "' or '"), to_string(application), precision_name<T>(),
                  pairs ? ", nor for all of 'qr', from which they could be derived" : "")};
}

}  // namespace

template <class T>
Result<kernels::TileCodelets<T>> modelled_codelets(linalg::Application application,
                                                   const platform::MachineDescription& machine,
                                                   linalg::Pivoting pivoting) {
  kernels::TileCodelets<T> codelets = kernels::codelets<T>();
  for (const Named<T>& named : submitted_by<T>(application, pivoting)) {
    const auto times = find_times<T>(application, machine, named.kernels, pivoting);
    if (!times) return times.failure();
    codelets.*named.codelet = timed(codelets.*named.codelet, *times.value());
  }
  return codelets;
}

template <class T>
Result<std::vector<ModelledKernel>> modelled_kernels(linalg::Application application,
                                                     const platform::MachineDescription& machine,
                                                     linalg::Pivoting pivoting) {
  const kernels::TileCodelets<T>& codelets = kernels::codelets<T>();
  std::vector<ModelledKernel> kernels;
  for (const Named<T>& named : submitted_by<T>(application, pivoting)) {
    const auto times = find_times<T>(application, machine, named.kernels, pivoting);
    if (!times) return times.failure();
    kernels.push_back({(codelets.*named.codelet).definition().name, times.value()});
  }
  return kernels;
}

template Result<kernels::TileCodelets<float>> modelled_codelets(linalg::Application,
                                                                const platform::MachineDescription&, linalg::Pivoting);
template Result<kernels::TileCodelets<double>> modelled_codelets(linalg::Application,
                                                                 const platform::MachineDescription&, linalg::Pivoting);
template Result<std::vector<ModelledKernel>> modelled_kernels<float>(linalg::Application,
                                                                     const platform::MachineDescription&,
                                                                     linalg::Pivoting);
template Result<std::vector<ModelledKernel>> modelled_kernels<double>(linalg::Application,
                                                                      const platform::MachineDescription&,
                                                                      linalg::Pivoting);

}  // namespace troupe::apps
