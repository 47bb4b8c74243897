#include "graph/data/size_classes.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/data_record.hpp"
#include "troupe/codelet.hpp"

namespace troupe::graph {

namespace size_classes {

struct Fixture {
  SizeClasses classes;
  std::deque<DataRecord> records;
  std::deque<Task> tasks;

  DataRecord& record(const Layout& layout) {
    DataRecord& made = records.emplace_back();
    made.view.layout = layout;
    return made;
  }
  DataRecord& tile(std::int64_t rows, std::int64_t cols) { return record(layout_of<double>(rows, cols, rows)); }

  SizeClassId classify(const Codelet& codelet, const std::vector<std::pair<DataRecord*, AccessMode>>& accesses) {
    Task& task = tasks.emplace_back();
    task.codelet = &codelet.definition();
    task.access_count = static_cast<std::uint32_t>(accesses.size());
    task.accesses = new TaskAccess[accesses.size()];
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      task.accesses[i] = TaskAccess(accesses[i].first, accesses[i].second);
    }
    return classes.classify(task);
  }
};

constexpr AccessMode r = AccessMode::read;
constexpr AccessMode rw = AccessMode::read_write;

}  // namespace size_classes

BOOST_FIXTURE_TEST_SUITE(size_classes, Fixture)

BOOST_AUTO_TEST_CASE(shapes_make_classes) {
  const Codelet any = Codelet::variadic("any");
  const SizeClassId one = classify(any, {{&tile(10, 5), r}, {&tile(10, 5), rw}});
  BOOST_TEST((classify(any, {{&tile(10, 5), r}, {&tile(10, 5), rw}}) == one));
  BOOST_TEST((classify(any, {{&tile(11, 5), r}, {&tile(10, 5), rw}}) != one));
  BOOST_TEST((classify(any, {{&tile(10, 5), r}}) != one));
  BOOST_TEST((classify(Codelet::variadic("other"), {{&tile(10, 5), r}, {&tile(10, 5), rw}}) != one));
}

BOOST_AUTO_TEST_CASE(tasks_on_equal_data_are_told_apart_by_their_footprints) {
  std::uint64_t iterations = 3;
  const Codelet codelet =
      Codelet("iterate", {AccessMode::read_write}).footprint([&](const KernelContext&) { return iterations; });
  const SizeClassId one = classify(codelet, {{&tile(10, 5), rw}});
  iterations = 4;
  const SizeClassId other = classify(codelet, {{&tile(10, 5), rw}});
  BOOST_TEST((other != one));
  iterations = 3;
  BOOST_TEST((classify(codelet, {{&tile(10, 5), rw}}) == one));
  BOOST_TEST((classify(codelet, {{&tile(10, 6), rw}}) != one));
  const Codelet failing =
      Codelet("fail", {AccessMode::read_write}).footprint([](const KernelContext&) -> std::uint64_t {
        throw std::runtime_error("no");
      });
  BOOST_TEST((classify(failing, {{&tile(10, 5), rw}}) == classify(failing, {{&tile(10, 5), rw}})));
}

BOOST_AUTO_TEST_CASE(tasks_of_pieces_are_told_apart_by_their_operations) {
  double flops = 1000;
  const auto nothing = [](std::size_t, const KernelContext&) {};
  const auto none = [](const KernelContext&) { return 0; };
  Codelet whole = Codelet::variadic("whole").cpu([](const KernelContext&) {});
  Codelet split = Codelet::variadic("split").pieces(none, nothing);
  const Codelet silent = Codelet::variadic("silent").pieces(none, nothing);
  for (Codelet* const codelet : {&whole, &split}) codelet->flops([&](const KernelContext&) { return flops; });
  const auto class_of = [&](const Codelet& codelet, double operations) {
    flops = operations;
    return classify(codelet, {{&tile(10, 5), rw}});
  };
  const SizeClassId one = class_of(split, 1000);
  BOOST_TEST((class_of(split, 1001) == one));
  BOOST_TEST((class_of(split, 1100) != one));
  BOOST_TEST((class_of(split, 500) != one));
  BOOST_TEST((class_of(split, 0) != one));
  // For codelets without pieces or without `flops`, the number of operations makes no difference.
  BOOST_TEST((class_of(whole, 1000) == class_of(whole, 5000)));
  BOOST_TEST((class_of(silent, 1000) == class_of(silent, 5000)));
}

BOOST_AUTO_TEST_CASE(tasks_with_arguments_that_a_description_times_are_told_apart_by_any_operation) {
  double flops = 1000;
  const auto count = [&](const KernelContext&) { return flops; };
  const auto kernel = [](MatrixView<double>, int) {};
  const Codelet real = Codelet("real", {rw}).cpu(kernel).flops(count);
  const Codelet described = Codelet("described", {rw}).cpu(kernel).flops(count).timed_as("a/b/c");
  const auto class_of = [&](const Codelet& codelet, double operations) {
    flops = operations;
    return classify(codelet, {{&tile(10, 5), rw}});
  };
  BOOST_TEST((class_of(real, 1000) == class_of(real, 5000)));
  BOOST_TEST((class_of(described, 1000) == class_of(described, 1000)));
  BOOST_TEST((class_of(described, 1000) != class_of(described, 1001)));
}

BOOST_AUTO_TEST_CASE(columns_of_tiles_share_a_class_with_those_about_as_high) {
  const Codelet panel = Codelet::variadic("panel", {HandleGroup::of<std::span<const int>>(r),
                                                    HandleGroup::of<MatrixView<double>>(rw, HandleGroup::any_number)});
  const auto column = [&](std::size_t tiles, std::int64_t rows, std::int64_t cols, std::int64_t pivots) {
    std::vector<std::pair<DataRecord*, AccessMode>> accesses{{&record(layout_of<int>(pivots, 1, pivots)), r}};
    for (std::size_t i = 0; i < tiles; ++i) accesses.emplace_back(&tile(rows, cols), rw);
    return classify(panel, accesses);
  };
  const SizeClassId fifty = column(50, 8, 8, 8);
  BOOST_TEST((column(49, 8, 8, 8) == fifty));
  BOOST_TEST((column(25, 16, 8, 8) == fifty));
  BOOST_TEST((column(30, 8, 8, 8) != fifty));
  BOOST_TEST((column(50, 8, 4, 8) != fifty));
  BOOST_TEST((column(50, 8, 8, 4) != fifty));
  // The fifty columns have fifty different heights, but belong to only a few classes.
  for (std::size_t tiles = 1; tiles <= 50; ++tiles) (void)column(tiles, 8, 8, 8);
  BOOST_TEST(classes.size() <= 3U + 13U);
  BOOST_TEST(classes.size() >= 3U + 9U);
}

BOOST_AUTO_TEST_CASE(a_whole_with_parts_is_a_class_of_its_own) {
  const Codelet panel = Codelet::variadic("panel", {HandleGroup::of<MatrixView<double>>(rw, HandleGroup::any_number)});
  DataRecord& divided = tile(20, 5);
  divided.children.push_back(&tile(10, 5));
  const SizeClassId whole = classify(panel, {{&tile(20, 5), rw}, {&divided, rw}});
  BOOST_TEST((classify(panel, {{&tile(20, 5), rw}, {&tile(20, 5), rw}}) != whole));
  BOOST_TEST(classes[whole].data_kinds == kOnHostMemory);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
