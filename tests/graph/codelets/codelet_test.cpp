#include "troupe/codelet.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(codelets)

namespace {

auto with_code(ErrorCode code) {
  return [code](const Error& error) { return error.code() == code; };
}

BOOST_AUTO_TEST_CASE(copies_share_one_definition) {
  const Codelet codelet = Codelet("scale", {AccessMode::read_write}).cpu([](double& x, double a) { x *= a; });
  const Codelet copy = codelet;  // NOLINT(performance-unnecessary-copy-initialization)
  BOOST_TEST(&copy.definition() == &codelet.definition());
  BOOST_TEST(copy.name() == "scale");
  BOOST_TEST(codelet.definition().runs_on(DeviceKind::cpu_core));
  BOOST_TEST(!codelet.definition().runs_on(DeviceKind::cuda));
}

BOOST_AUTO_TEST_CASE(one_expression_says_all_of_a_codelet) {
  const std::vector<ArgumentType> types{{type_tag<double>(), 8, 8}};
  const Codelet codelet = Codelet("whole", {AccessMode::read})
                              .implement(DeviceKind::cpu_core, [](const KernelContext&) {})
                              .takes(types)
                              .known_as("whole/double");
  BOOST_TEST(codelet.definition().runs_on(DeviceKind::cpu_core));
  BOOST_TEST((codelet.definition().argument_types == types));
}

BOOST_AUTO_TEST_CASE(a_typed_kernel_describes_its_parameters) {
  const Codelet codelet = Codelet("mixed", {AccessMode::read, AccessMode::read_write, AccessMode::write})
                              .cpu([](MatrixView<const double>, VectorView<float>, int&, std::int64_t, double) {});
  const CodeletDefinition& definition = codelet.definition();
  BOOST_TEST(definition.typed);
  BOOST_TEST(definition.parameters.size() == 3U);
  BOOST_TEST((definition.parameters[0].shape == ViewShape::matrix));
  BOOST_TEST(!definition.parameters[0].writable);
  BOOST_TEST(definition.parameters[0].element_tag == type_tag<double>());
  BOOST_TEST((definition.parameters[1].shape == ViewShape::vector));
  BOOST_TEST(definition.parameters[1].writable);
  BOOST_TEST((definition.parameters[2].shape == ViewShape::scalar));
  const std::vector<ArgumentType> types{{type_tag<std::int64_t>(), 8, 8}, {type_tag<double>(), 8, 8}};
  BOOST_TEST((definition.argument_types == types));
}

BOOST_AUTO_TEST_CASE(a_typed_kernel_gets_its_views_and_arguments) {
  const Codelet codelet = Codelet("axpy", {AccessMode::read, AccessMode::read_write})
                              .cpu([](VectorView<const double> x, VectorView<double> y, double a) {
                                for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
                              });
  std::vector<double> x{1, 2, 3};
  std::vector<double> y{10, 20, 30};
  const DataView x_view{reinterpret_cast<std::byte*>(x.data()), layout_of<double>(3, 1, 3)};
  const DataView y_view{reinterpret_cast<std::byte*>(y.data()), layout_of<double>(3, 1, 3)};
  const std::vector<const DataView*> views{&x_view, &y_view};
  const Arguments arguments = args(2.0);
  codelet.definition().kernels[0](KernelContext(views, arguments.view()));
  const std::vector<double> expected{12, 24, 36};
  BOOST_TEST(y == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_kernel_that_does_not_fit_the_access_modes_is_refused) {
  BOOST_CHECK_EXCEPTION(Codelet("two", {AccessMode::read, AccessMode::read}).cpu([](const double&) {}), Error,
                        with_code(ErrorCode::signature_mismatch));
  BOOST_CHECK_EXCEPTION(Codelet("const", {AccessMode::read_write}).cpu([](const double&) {}), Error,
                        with_code(ErrorCode::signature_mismatch));
  BOOST_CHECK_EXCEPTION(Codelet("writable", {AccessMode::read}).cpu([](double&) {}), Error,
                        with_code(ErrorCode::signature_mismatch));
  try {
    Codelet("writable", {AccessMode::read}).cpu([](double&) {});
  } catch (const Error& error) {
    const std::string message = error.what();
    BOOST_TEST(message.find("'writable'") != std::string::npos);
    BOOST_TEST(message.find("handle 0 has mode read") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(an_untyped_kernel_fits_everything) {
  const Codelet codelet = Codelet("raw", {AccessMode::read, AccessMode::reduce}).cpu([](const KernelContext&) {});
  BOOST_TEST(!codelet.definition().typed);
  const Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  BOOST_TEST(any.definition().variadic);
}

BOOST_AUTO_TEST_CASE(groups_of_handles_end_where_another_type_begins) {
  const HandleGroup one = HandleGroup::of<MatrixView<double>>(AccessMode::read_write);
  const HandleGroup some = HandleGroup::of<std::span<const int>>(AccessMode::read, HandleGroup::any_number);
  BOOST_TEST(one.parameter.writable);
  BOOST_TEST((some.parameter.shape == ViewShape::vector));
  const std::vector<HandleGroup> groups{one, some, one};
  constexpr auto kInt = type_tag<int>();
  constexpr auto kDouble = type_tag<double>();
  const auto fits = [&](const std::vector<std::uint64_t>& types) {
    GroupWalk walk(groups);
    const bool found = std::ranges::all_of(types, [&](std::uint64_t type) { return walk.next(type) != nullptr; });
    return found && walk.complete();
  };
  BOOST_TEST(fits({kDouble, kInt, kDouble}));
  BOOST_TEST(fits({kDouble, kInt, kInt, kInt, kDouble}));
  BOOST_TEST(!fits({}));
  BOOST_TEST(!fits({kDouble}));
  BOOST_TEST(!fits({kDouble, kInt}));
  BOOST_TEST(!fits({kDouble, kDouble}));
  BOOST_TEST(!fits({kInt, kDouble}));
  BOOST_TEST(!fits({kDouble, kInt, kDouble, kDouble}));
  BOOST_TEST(!fits({kDouble, kInt, kDouble, kInt}));
  BOOST_TEST(!fits({kDouble, kInt, type_tag<float>()}));
  const HandleGroup more = HandleGroup::of<MatrixView<int>>(AccessMode::read_write);
  BOOST_CHECK_THROW(std::ignore = Codelet::variadic("unclear", {some, more}), Error);
}

BOOST_AUTO_TEST_CASE(plain_functions_and_functions_that_do_not_throw_are_kernels_too) {
  struct Kernels {
    static void negate(double& x) { x = -x; }
    static void forget(double& x) noexcept { x = 0; }
  };
  const Codelet plain = Codelet("negate", {AccessMode::read_write}).cpu(&Kernels::negate);
  const Codelet forget = Codelet("forget", {AccessMode::write}).cpu(&Kernels::forget);
  const Codelet set = Codelet("set", {AccessMode::write}).cpu([](double& x, double to) noexcept { x = to; });
  for (const Codelet& codelet : {plain, forget, set}) BOOST_TEST(codelet.definition().parameters.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_typed_kernel_for_cuda_gets_the_stream_first) {
  int place = 0;
  void* const stream = &place;
  ::CUstream_st* seen = nullptr;
  double* address = nullptr;
  const Codelet codelet =
      Codelet("scale", {AccessMode::read_write}).cuda([&](::CUstream_st* on, MatrixView<double> a, double by) {
        seen = on;
        address = a.data;
        BOOST_TEST(a.ld == 7);
        BOOST_TEST(by == 2.5);
      });
  double element = 0;
  const DataView view{reinterpret_cast<std::byte*>(&element), layout_of<double>(5, 3, 7)};
  const std::vector<const DataView*> views{&view};
  const Arguments arguments = args(2.5);
  KernelContext context(views, arguments.view());
  context.stream = stream;
  codelet.definition().kernel_for(DeviceKind::cuda)(context);
  BOOST_TEST((static_cast<void*>(seen) == stream));
  BOOST_TEST(address == &element);
  BOOST_TEST(codelet.definition().typed);
  BOOST_TEST(!codelet.definition().runs_on(DeviceKind::cpu_core));
}

BOOST_AUTO_TEST_CASE(a_kernel_for_a_team_stands_in_for_one_on_a_core) {
  int members = 0;
  double seen = 0;
  const auto together = [&](Team& team, MatrixView<double> a, double by) {
    team.run([&](int rank, int size) {
      BOOST_TEST(rank == 0);
      team.barrier();
      members = size;
    });
    team.for_each(3, [&](std::size_t i) { a(static_cast<std::int64_t>(i), 0) = by; });
    seen = a(2, 0);
  };
  const Codelet codelet = Codelet("fill", {AccessMode::write}).cpu_team(together, 4);
  BOOST_TEST(codelet.definition().team.most_cores == 4);
  std::vector<double> elements(3);
  const DataView view{reinterpret_cast<std::byte*>(elements.data()), layout_of<double>(3, 1, 3)};
  const std::vector<const DataView*> views{&view};
  const Arguments arguments = args(2.5);
  const KernelContext context(views, arguments.view());
  codelet.definition().kernel_for(DeviceKind::cpu_core)(context);
  BOOST_TEST(members == 1);
  BOOST_TEST(seen == 2.5);
}

BOOST_AUTO_TEST_CASE(a_codelet_may_have_one_kernel_for_a_core_and_one_for_a_team) {
  std::string ran;
  const Codelet codelet =
      Codelet("both", {}).cpu_team([&](const KernelContext&) { ran = "team"; }).cpu([&](const KernelContext&) {
        ran = "core";
      });
  const KernelContext context({}, kNoArguments.view());
  codelet.definition().kernel_for(DeviceKind::cpu_core)(context);
  BOOST_TEST(ran == "core");
  codelet.definition().team.kernel(context);
  BOOST_TEST(ran == "team");
}

BOOST_AUTO_TEST_CASE(a_later_kernel_for_a_team_replaces_the_earlier_one_on_cores_too) {
  std::string ran;
  const Codelet codelet =
      Codelet("both", {}).cpu_team([&](const KernelContext&) { ran = "first"; }).cpu_team([&](const KernelContext&) {
        ran = "second";
      });
  const KernelContext context({}, kNoArguments.view());
  codelet.definition().kernel_for(DeviceKind::cpu_core)(context);
  BOOST_TEST(ran == "second");
  // The second kernel replaces the first one, so both may have different argument types. All kernels of a codelet must
  // have the same types, but here only the second kernel is left.
  BOOST_CHECK_NO_THROW(Codelet("typed", {AccessMode::read_write})
                           .cpu_team([](Team&, MatrixView<double>) {})
                           .copy()
                           .cpu_team([](Team&, VectorView<double>) {}));
}

BOOST_AUTO_TEST_CASE(a_kernel_for_a_team_takes_what_the_others_take) {
  const Codelet codelet = Codelet("scale", {AccessMode::read_write}).cpu([](MatrixView<double>, double) {});
  BOOST_CHECK_EXCEPTION(codelet.copy().cpu_team([](Team&, MatrixView<double>, int) {}), Error, [](const Error& error) {
    return std::string(error.what()) ==
           "codelet 'scale': its kernel for a team of cores takes other handles or arguments than the one for a cpu "
           "core: let both take the same types";
  });
  BOOST_CHECK_EXCEPTION(codelet.copy().cpu_team([](Team&, MatrixView<double>, double) {}, 0), Error,
                        [](const Error& error) {
                          return std::string(error.what()) ==
                                 "codelet 'scale': its kernel for a team uses at most 0 cores: name 1 or more";
                        });
}

BOOST_AUTO_TEST_CASE(a_kernel_for_cuda_may_find_the_stream_in_its_context) {
  void* seen = nullptr;
  const Codelet codelet = Codelet("raw", {}).cuda([&](const KernelContext& context) { seen = context.stream; });
  KernelContext context({}, kNoArguments.view());
  int place = 0;
  context.stream = &place;
  codelet.definition().kernel_for(DeviceKind::cuda)(context);
  BOOST_TEST(seen == &place);
}

BOOST_AUTO_TEST_CASE(kernels_for_cores_and_for_cuda_take_the_same_types) {
  const auto cpu = [](MatrixView<double>, double) {};
  const auto same = [](::CUstream_st*, MatrixView<double>, double) {};
  const auto other_data = [](::CUstream_st*, MatrixView<float>, double) {};
  const auto other_argument = [](::CUstream_st*, MatrixView<double>, float) {};
  BOOST_CHECK_NO_THROW(Codelet("a", {AccessMode::read_write}).cpu(cpu).cuda(same));
  BOOST_CHECK_EXCEPTION(Codelet("b", {AccessMode::read_write}).cpu(cpu).cuda(other_data), Error,
                        with_code(ErrorCode::signature_mismatch));
  BOOST_CHECK_EXCEPTION(Codelet("c", {AccessMode::read_write}).cuda(other_argument).cpu(cpu), Error,
                        with_code(ErrorCode::signature_mismatch));
  BOOST_CHECK_EXCEPTION(Codelet("d", {AccessMode::read}).cuda(same), Error, with_code(ErrorCode::signature_mismatch));
}

BOOST_AUTO_TEST_CASE(a_codelet_runs_on_kinds_that_it_has_an_implementation_for_and_on_those_that_stand_in) {
  const KindSet on_cores = kind_set(DeviceKind::cpu_core);
  const Kernel nothing = [](const KernelContext&) {};
  BOOST_TEST(Codelet("none", {}).definition().kinds() == 0U);
  BOOST_TEST(Codelet("cores", {}).cpu(nothing).definition().kinds() == (on_cores | kind_set(DeviceKind::emulated)));
  BOOST_TEST(Codelet("gpus", {}).cuda(nothing).definition().kinds() == kind_set(DeviceKind::cuda));
  const KindSet opencl = kind_set(DeviceKind::opencl) | kind_set(DeviceKind::opencl_in_place);
  BOOST_TEST(Codelet("opencl", {}).opencl(nothing).definition().kinds() == opencl);
  // The kind `opencl` also includes OpenCL devices that work in place. Every other kind only includes itself.
  BOOST_TEST(DeviceSet(DeviceKind::opencl).kinds() == opencl);
  BOOST_TEST(DeviceSet(DeviceKind::opencl_in_place).kinds() == kind_set(DeviceKind::opencl_in_place));
  BOOST_TEST(DeviceSet(DeviceKind::cpu_core).kinds() == on_cores);
  Codelet internal = Codelet::internal("combine", {});
  internal.implement(DeviceKind::cpu_core, nothing);
  BOOST_TEST(internal.definition().kinds() == on_cores);
}

BOOST_AUTO_TEST_CASE(a_codelet_says_how_many_cores_of_a_cluster_it_uses) {
  const Kernel nothing = [](const KernelContext&) {};
  const auto used = [](const Codelet& codelet, int cores) {
    return codelet.definition().cores_used({DeviceKind::cpu_core, cores});
  };
  const Codelet alone = Codelet("alone", {}).cpu(nothing);
  const Codelet up_to_four = Codelet("four", {}).cpu_team(nothing, 4);
  for (const int cores : {1, 3, 20}) {
    BOOST_TEST(used(alone, cores) == 1);
    BOOST_TEST(used(up_to_four, cores) == std::min(cores, 4));
    BOOST_TEST(used(Codelet("all", {}).cpu_team(nothing), cores) == cores);
  }
}

BOOST_AUTO_TEST_CASE(kinds_of_device_are_found_by_their_names) {
  for (const DeviceTraits& row : kDeviceTraits) BOOST_TEST((device_kind_named(row.name) == row.kind));
  BOOST_TEST(!device_kind_named("abacus").has_value());
  BOOST_TEST(to_string(DeviceType(DeviceKind::cpu_core)) == "cpu core");
  BOOST_TEST(to_string(DeviceType(DeviceKind::cpu_core, 4)) == "4 x cpu core");
  BOOST_TEST(to_string(DeviceType(DeviceKind::cuda, 1, "H200")) == "CUDA GPU (H200)");
}

BOOST_AUTO_TEST_CASE(a_codelet_that_reduces_has_no_kernel_for_cuda) {
  BOOST_CHECK_EXCEPTION(Codelet("sum", {AccessMode::reduce}).cuda([](const KernelContext&) {}), Error,
                        with_code(ErrorCode::invalid_argument));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
