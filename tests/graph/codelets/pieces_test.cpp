// Tests codelets whose tasks are made of pieces.
#include "graph/codelets/pieces.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(codelets_of_pieces)

namespace {

/// Returns a predicate. It accepts an `Error` with this code whose message contains `what`.
auto says(ErrorCode code, const std::string& what) {
  return [=](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == code && std::string(error.what()).find(what) != std::string::npos;
  };
}

const auto kNone = [](const KernelContext&) { return 0; };
const auto kNothing = [](std::size_t, const KernelContext&) {};

/// The context of a kernel call with a vector and a factor.
struct Call {
  std::vector<double> values = std::vector<double>(5, 1.0);
  DataView view{reinterpret_cast<std::byte*>(values.data()), layout_of<double>(5, 1, 5)};
  const DataView* views = &view;
  Arguments factor = args(3.0);
  KernelContext context{{&views, 1}, factor.view()};
};

Codelet scale() {
  return Codelet("scale", {AccessMode::read_write})
      .pieces([](VectorView<const double> x, double) { return x.size(); },
              [](std::size_t i, VectorView<double> x, double factor) { x[i] *= factor; }, 2);
}

BOOST_AUTO_TEST_CASE(typed_pieces_get_their_number_the_views_and_the_arguments) {
  Call call;
  const Codelet codelet = scale();
  BOOST_TEST(codelet.definition().typed);
  BOOST_TEST(codelet.definition().parameters.size() == 1U);
  BOOST_TEST(codelet.definition().argument_types.size() == 1U);
  const Pieces& pieces = *codelet.definition().pieces;
  BOOST_TEST(pieces.grain == 2U);
  BOOST_TEST(pieces.count_of(call.context) == 5U);
  pieces.run(1, 2, 5, call.context);
  BOOST_TEST(call.values == (std::vector<double>{1, 3, 3, 1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_kernel_for_a_core_runs_all_of_them) {
  Call call;
  const Codelet codelet = scale();
  BOOST_TEST((codelet.definition().kinds() & kOnHostMemory) != 0);
  codelet.definition().kernel_for(DeviceKind::cpu_core)(call.context);
  BOOST_TEST(call.values == std::vector<double>(5, 3.0), boost::test_tools::per_element());
  // The emulated device runs all pieces in one call.
  codelet.definition().kernel_for(DeviceKind::emulated)(call.context);
  BOOST_TEST(call.values == std::vector<double>(5, 9.0), boost::test_tools::per_element());
  BOOST_TEST(codelet.definition().cores_used({DeviceKind::cpu_core, 7}) == 7);
}

BOOST_AUTO_TEST_CASE(a_failure_names_the_piece_and_keeps_its_code) {
  const Call call;
  const auto run = [&](const PieceKernel& piece) { Pieces{kNone, piece, 1}.run(2, 3, 9, call.context); };
  int ran = 0;
  BOOST_CHECK_EXCEPTION(run([&](std::size_t i, const KernelContext&) {
                          ++ran;
                          if (i == 3) throw Error(ErrorCode::device_lost, "gone");
                        }),
                        Error, says(ErrorCode::device_lost, "piece 3 of 9: gone"));
  BOOST_TEST(ran == 2);
  BOOST_CHECK_EXCEPTION(run([](std::size_t, const KernelContext&) { throw std::runtime_error("broken"); }), Error,
                        says(ErrorCode::kernel_failed, "piece 2 of 9: broken"));
  BOOST_CHECK_EXCEPTION(run([](std::size_t, const KernelContext&) { throw 7; }), Error,
                        says(ErrorCode::kernel_failed, "piece 2 of 9: the kernel threw something"));
}

BOOST_AUTO_TEST_CASE(counts_that_make_no_sense_are_refused) {
  const Call call;
  std::int64_t number = 0;
  const Pieces pieces{[&](const KernelContext&) { return number; }, kNothing, 1};
  BOOST_TEST(pieces.count_of(call.context) == 0U);
  number = Pieces::kMost;
  BOOST_TEST(pieces.count_of(call.context) == 0xffff'ffffU);
  for (const std::int64_t bad : {std::int64_t{-1}, Pieces::kMost + 1}) {
    number = bad;
    BOOST_CHECK_EXCEPTION((void)pieces.count_of(call.context), Error,
                          says(ErrorCode::invalid_argument, "its count says " + std::to_string(bad) + " pieces"));
  }
}

BOOST_AUTO_TEST_CASE(pieces_that_could_not_run_are_refused) {
  const auto refused = [](Codelet codelet, const std::string& why, std::size_t grain = 1) {
    BOOST_CHECK_EXCEPTION(codelet.pieces(kNone, kNothing, grain), Error, says(ErrorCode::invalid_argument, why));
    BOOST_TEST((codelet.definition().pieces == nullptr));
  };
  const Kernel nothing = [](const KernelContext&) {};
  refused(Codelet("both", {}).cpu(nothing), "codelet 'both': it has an implementation for cores already");
  refused(Codelet("team", {}).cpu_team(nothing), "codelet 'team': it has an implementation for cores already");
  refused(Codelet("grain", {}), "codelet 'grain': a core takes 0 of its pieces at a time: let it be 1 or more", 0);
  refused(Codelet("sum", {AccessMode::read, AccessMode::reduce}), "codelet 'sum': it reduces, which pieces cannot");
  refused(Codelet::variadic("sums", {HandleGroup::of<double&>(AccessMode::reduce)}), "it reduces");
}

BOOST_AUTO_TEST_CASE(what_would_never_be_called_beside_pieces_is_refused) {
  Codelet codelet = Codelet("pieces", {}).pieces(kNone, kNothing);
  const Kernel nothing = [](const KernelContext&) {};
  const auto is_refused = says(ErrorCode::invalid_argument, "codelet 'pieces': cores run its pieces");
  BOOST_CHECK_EXCEPTION(codelet.cpu(nothing), Error, is_refused);
  BOOST_CHECK_EXCEPTION(codelet.cpu_team(nothing), Error, is_refused);
  BOOST_TEST((codelet.definition().team.kernel == nullptr));
  // A GPU runs the task as a whole.
  codelet.cuda(nothing);
  BOOST_TEST(codelet.definition().runs_on(DeviceKind::cuda));
}

BOOST_AUTO_TEST_CASE(types_have_to_fit) {
  const auto piece = [](std::size_t, VectorView<double>, double) {};
  const Codelet codelet("typed", {AccessMode::read_write});
  const auto is_refused = says(ErrorCode::signature_mismatch, "codelet 'typed': what counts its pieces takes other");
  BOOST_CHECK_EXCEPTION(codelet.copy().pieces([](VectorView<double>) { return 1; }, piece), Error, is_refused);
  BOOST_CHECK_EXCEPTION(codelet.copy().pieces([](VectorView<float>, double) { return 1; }, piece), Error, is_refused);
  BOOST_CHECK_EXCEPTION(codelet.copy().pieces(kNone, [](std::size_t, VectorView<const double>) {}), Error,
                        says(ErrorCode::signature_mismatch, "handle 0 has mode read_write"));
  const auto whole = [](CUstream_st*, VectorView<double>, double) {};
  BOOST_TEST(codelet.copy().pieces(kNone, piece).cuda(whole).definition().runs_on(DeviceKind::cuda));
  BOOST_CHECK_EXCEPTION(codelet.copy().pieces(kNone, piece).cuda([](CUstream_st*, VectorView<double>) {}), Error,
                        says(ErrorCode::signature_mismatch, "its kernel for a CUDA GPU takes other handles"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
