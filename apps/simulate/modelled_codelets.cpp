#include "apps/simulate/modelled_codelets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/tile_kernels.hpp"
#include "proto/tokens.hpp"

namespace troupe::apps {

namespace {

template <class T>
struct Named {
  Codelet kernels::TileCodelets<T>::*codelet;
  /// The kernel's possible names in description files. The first name that the machine has is used.
  std::vector<std::string> kernels;
};

template <class T>
std::vector<Codelet kernels::TileCodelets<T>::*> codelets_of(linalg::Application application,
                                                             linalg::Pivoting pivoting) {
  using C = kernels::TileCodelets<T>;
  switch (application) {
    case linalg::Application::cholesky: return {&C::potrf, &C::trsm_cholesky, &C::syrk, &C::gemm_nt};
    case linalg::Application::lu:
      if (pivoting == linalg::Pivoting::incremental) return {&C::getrf_incpiv, &C::gessm, &C::tstrf, &C::ssssm};
      if (pivoting == linalg::Pivoting::partial) {
        return {&C::getrf_panel, &C::swap_and_solve, &C::gemm_nn, &C::swap_rows};
      }
      return {&C::getrf_without_pivoting, &C::trsm_right_upper, &C::solve_unit_lower, &C::gemm_nn};
    case linalg::Application::qr: return {&C::geqrt, &C::gemqrt_transposed, &C::tpqrt, &C::tpmqrt_transposed};
  }
  return {};
}

template <class T>
std::vector<Named<T>> submitted_by(linalg::Application application, linalg::Pivoting pivoting) {
  std::vector<Named<T>> result;
  for (const auto codelet : codelets_of<T>(application, pivoting)) {
    Named<T> named{codelet, {}};
    std::string_view rest = kernels::tile_kernel(codelet).timed_as;
    for (std::string_view name = next_token(rest); !name.empty(); name = next_token(rest)) {
      named.kernels.emplace_back(name);
    }
    result.push_back(std::move(named));
  }
  return result;
}

Codelet timed(const Codelet& codelet, const platform::KernelTimes& times) {
  Codelet result = codelet.copy();
  result.timed_as(times.application() + "/" + times.kernel() + "/" + times.precision());
  const Kernel kernel = codelet.definition().kernels[static_cast<std::size_t>(DeviceKind::cpu_core)];
  result.implement(DeviceKind::cpu_core, times.on_cpu() ? kernel : nullptr);
  result.implement(DeviceKind::cuda, times.on_gpus() ? kernel : nullptr);
  return result;
}

const platform::KernelTimes* first_of(const std::vector<std::string>& kernels, linalg::Application application,
                                      const platform::MachineDescription& machine, const std::string& precision) {
  for (const std::string& name : kernels) {
    if (const auto* times = machine.find_kernel(to_string(application), name, precision)) return times;
  }
  return nullptr;
}

/// Returns a message that names the missing kernel. The message suggests the other precision only if the machine has
/// all of the application's kernels in that precision.
std::string what_is_missing(linalg::Application application, linalg::Pivoting pivoting, const std::string& precision,
                            const platform::MachineDescription& machine, const std::vector<std::string>& kernels) {
  const std::string other = precision == precision_name<float>() ? precision_name<double>() : precision_name<float>();
  const auto needed = submitted_by<double>(application, pivoting);
  const bool in_other = std::all_of(needed.begin(), needed.end(), [&](const Named<double>& named) {
    return first_of(named.kernels, application, machine, other) != nullptr;
  });
  if (in_other) {
    return fmt::format(
        "machine '{}' has times for application '{}' in {} precision only, not in {}: take --precision "
        "{}, add kernel '{}' and the others to its description, or choose another machine",
        machine.name, to_string(application), other, precision, other == precision_name<float>() ? "float" : "double",
        fmt::join(kernels, "' or '"));
  }
  std::set<std::string> applications;
  std::set<std::string> there;
  for (const platform::KernelTimes& times : machine.kernels) {
    applications.insert(times.application());
    if (times.application() == to_string(application)) there.insert(times.kernel() + " (" + times.precision() + ")");
  }
  const bool derivable = application == linalg::Application::lu && pivoting == linalg::Pivoting::incremental;
  const std::string advice = fmt::format("add them to its description{}, or choose another machine",
                                         derivable ? ", or those of 'qr', from which they are derived" : "");
  if (there.empty()) {
    std::vector<std::string> names;
    for (const Named<double>& named : needed) names.push_back(fmt::format("{}", fmt::join(named.kernels, " or ")));
    return fmt::format("machine '{}' has times for {}, none for application '{}', which needs {}: {}", machine.name,
                       fmt::join(applications, ", "), to_string(application), fmt::join(names, ", "), advice);
  }
  return fmt::format("machine '{}' has no times for kernel '{}' of application '{}', of which it has {}: {}",
                     machine.name, fmt::join(kernels, "' or '"), to_string(application), fmt::join(there, ", "),
                     advice);
}

template <class T>
Result<const platform::KernelTimes*> find_times(linalg::Application application,
                                                const platform::MachineDescription& machine,
                                                const std::vector<std::string>& kernels, linalg::Pivoting pivoting) {
  if (const auto* times = first_of(kernels, application, machine, precision_name<T>())) return times;
  return Failure{ErrorCode::bad_input, what_is_missing(application, pivoting, precision_name<T>(), machine, kernels)};
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
std::vector<NeededKernel> needed_kernels(linalg::Application application, linalg::Pivoting pivoting) {
  const kernels::TileCodelets<T>& codelets = kernels::codelets<T>();
  std::vector<NeededKernel> needed;
  for (const Named<T>& named : submitted_by<T>(application, pivoting)) {
    needed.push_back({codelets.*named.codelet, named.kernels.front()});
  }
  return needed;
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
template std::vector<NeededKernel> needed_kernels<float>(linalg::Application, linalg::Pivoting);
template std::vector<NeededKernel> needed_kernels<double>(linalg::Application, linalg::Pivoting);
template Result<std::vector<ModelledKernel>> modelled_kernels<float>(linalg::Application,
                                                                     const platform::MachineDescription&,
                                                                     linalg::Pivoting);
template Result<std::vector<ModelledKernel>> modelled_kernels<double>(linalg::Application,
                                                                      const platform::MachineDescription&,
                                                                      linalg::Pivoting);

}  // namespace troupe::apps
