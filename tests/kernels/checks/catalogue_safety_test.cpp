// Tests that a task never accesses memory outside its data if the catalogue's checks accept the task. The content of
// the data is random.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/checks/catalogue.hpp"
#include "kernels/codelets.hpp"
#include "proto/random.hpp"
#include "tests/kernels/guarded_memory.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(catalogue_safety)

namespace {

using tests::GuardedMemory;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_.next() % end; }
  std::int64_t size() {
    constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 7, 15, 16, 17, 33, 48, 49, 70, 100};
    return kSizes[below(std::size(kSizes))];
  }

 private:
  Random random_;
};

/// A random task of a codelet. Its sizes come from a small set, so that they often fit together.
struct Drawn {
  std::vector<Layout> layouts;
  Arguments arguments;
};

std::uint32_t element_size(std::uint64_t tag) { return tag == type_tag<double>() ? 8 : 4; }

Drawn draw(const CodeletDefinition& definition, Draw& source) {
  const std::int64_t pool[] = {source.size(), source.size(), source.size()};
  const auto any = [&] { return pool[source.below(3)]; };
  Drawn result;
  std::vector<DataParameter> parameters = definition.parameters;
  for (const HandleGroup& group : definition.groups) {
    const std::size_t count = group.repeated ? 1 + source.below(3) : 1;
    parameters.insert(parameters.end(), count, group.parameter);
  }
  for (const DataParameter& parameter : parameters) {
    Layout layout{any(), any(), 1, element_size(parameter.element_tag), parameter.element_tag};
    if (parameter.shape == ViewShape::vector) layout.cols = 1;
    if (parameter.shape == ViewShape::scalar) layout.rows = layout.cols = 1;
    layout.ld = std::max<std::int64_t>(layout.rows, 1);
    if (parameter.shape == ViewShape::matrix && source.below(3) == 0) layout.ld += 5;
    result.layouts.push_back(layout);
  }
  for (const ArgumentType& type : definition.argument_types) {
    if (type.tag == type_tag<std::int64_t>()) {
      const bool small = source.below(4) != 0;
      result.arguments.append(small ? static_cast<std::int64_t>(source.below(20)) : any() - any());
    } else if (type.tag == type_tag<std::uint64_t>()) {
      result.arguments.append(std::uint64_t{source.below(100)});
    } else if (type.tag == type_tag<double>()) {
      result.arguments.append(2.5);
    } else {
      BOOST_REQUIRE((type.tag == type_tag<float>()));
      result.arguments.append(2.5F);
    }
  }
  return result;
}

std::size_t bytes_of(const Layout& layout) {
  if (layout.rows == 0 || layout.cols == 0) return 0;
  return static_cast<std::size_t>((layout.cols - 1) * layout.ld + layout.rows) * layout.element_size;
}

template <class T>
void fill_with(std::byte* data, std::size_t bytes, std::uint64_t kind, Draw& source) {
  auto* const values = reinterpret_cast<T*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
    values[i] = static_cast<T>(source.below(2000)) / T{1000} - T{1};
    if (kind == 1) values[i] = 0;
    if (kind == 2 && source.below(5) == 0) values[i] = std::numeric_limits<T>::quiet_NaN();
    if (kind == 3) values[i] = std::numeric_limits<T>::quiet_NaN();
    if (kind == 4 && source.below(5) == 0) values[i] = -std::numeric_limits<T>::infinity();
  }
}

void fill_memory(const Layout& layout, std::byte* data, Draw& source) {
  const std::uint64_t kind = source.below(6);
  const std::size_t bytes = bytes_of(layout);
  if (layout.element_tag == type_tag<double>()) return fill_with<double>(data, bytes, kind, source);
  if (layout.element_tag == type_tag<float>()) return fill_with<float>(data, bytes, kind, source);
  auto* const values = reinterpret_cast<int*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(int); ++i) {
    values[i] = static_cast<int>(source.below(40));
    if (kind == 3) values[i] = static_cast<int>(source.below(std::uint64_t{1} << 32U));
  }
}

/// Runs the kernel on guarded memory, because nobody might notice that a library accesses memory after the end of a
/// heap block.
void run(const CodeletDefinition& definition, const Drawn& drawn, Draw& source) {
  std::vector<GuardedMemory> memories;
  std::vector<DataView> views;
  for (const Layout& layout : drawn.layouts) {
    memories.emplace_back(bytes_of(layout), source.below(2) == 0, layout.element_size);
    fill_memory(layout, memories.back().data(), source);
    views.push_back({memories.back().data(), layout});
  }
  std::vector<const DataView*> pointers;
  for (const DataView& view : views) pointers.push_back(&view);
  const KernelContext context(pointers, drawn.arguments.view());
  try {
    definition.kernel_for(DeviceKind::cpu_core)(context);
  } catch (const Error&) {
    // A valid task may fail with these errors: the matrix is singular or not positive definite, or pivots are no valid
    // rows.
  }
}

BOOST_AUTO_TEST_CASE(accepted_tasks_stay_inside_of_their_data) {
  constexpr int kWanted = 60;
  constexpr int kTries = 200'000;
  const std::shared_ptr<void> environment = codelets<double>().potrf.definition().environment();
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.name == "sleep") continue;
    const CodeletDefinition& definition = entry.codelet.definition();
    Draw source(std::hash<std::string>{}(entry.name));
    int accepted = 0;
    for (int i = 0; i < kTries && accepted < kWanted; ++i) {
      const Drawn drawn = draw(definition, source);
      if (!entry.check(drawn.layouts, drawn.arguments)) continue;
      ++accepted;
      run(definition, drawn, source);
    }
    BOOST_TEST(accepted == kWanted, entry.name << ": only " << accepted << " drawn tasks were accepted");
  }
}

BOOST_AUTO_TEST_CASE(pivots_that_change_meanwhile_lead_nowhere) {
  constexpr std::int64_t kRows = 64;
  GuardedMemory pivots(kRows * sizeof(int), true, sizeof(int));
  GuardedMemory matrix(kRows * 3 * sizeof(double), false, sizeof(double));
  auto* const rows = reinterpret_cast<int*>(pivots.data());
  std::fill_n(reinterpret_cast<double*>(matrix.data()), kRows * 3, 1.0);
  std::atomic<bool> stop = false;
  std::jthread writer([&] {
    Draw source(7);
    while (!stop) {
      std::atomic_ref<int>(rows[source.below(kRows)])
          .store(source.below(20) == 0 ? static_cast<int>(source.below(std::uint64_t{1} << 32U))
                                       : static_cast<int>(source.below(kRows)));
    }
  });
  const DataView a{pivots.data(), layout_of<int>(kRows, 1, kRows)};
  const DataView b{matrix.data(), layout_of<double>(kRows, 3, kRows)};
  const std::vector<const DataView*> data{&a, &b};
  const Arguments arguments = args(std::int64_t{0}, std::int64_t{0});
  const KernelContext context(data, arguments.view());
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    try {
      codelets<double>().swap_rows.definition().kernel_for(DeviceKind::cpu_core)(context);
    } catch (const Error& error) {
      BOOST_REQUIRE((error.code() == ErrorCode::bad_input));
      ++refused;
    }
  }
  stop = true;
  BOOST_TEST_MESSAGE(refused << " of 20000 were refused");
}

BOOST_AUTO_TEST_CASE(panels_whose_memory_changes_meanwhile_stay_inside) {
  constexpr std::int64_t kRows = 60;
  constexpr std::int64_t kCols = 40;
  GuardedMemory pivots(kCols * sizeof(int), true, sizeof(int));
  GuardedMemory matrix(kRows * kCols * sizeof(double), false, sizeof(double));
  auto* const rows = reinterpret_cast<int*>(pivots.data());
  auto* const values = reinterpret_cast<double*>(matrix.data());
  std::fill_n(values, kRows * kCols, 1.0);
  std::atomic<bool> stop = false;
  std::jthread writer([&] {
    Draw source(8);
    while (!stop) {
      std::atomic_ref<int>(rows[source.below(kCols)]).store(static_cast<int>(source.below(std::uint64_t{1} << 32U)));
      const double value =
          source.below(3) == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(source.below(1000));
      std::atomic_ref<double>(values[source.below(kRows * kCols)]).store(value);
    }
  });
  const DataView a{matrix.data(), layout_of<double>(kRows, kCols, kRows)};
  const DataView b{pivots.data(), layout_of<int>(kCols, 1, kCols)};
  const std::vector<const DataView*> data{&b, &a};
  const Arguments arguments = args(std::int64_t{3}, std::int64_t{3});
  const KernelContext context(data, arguments.view());
  for (int i = 0; i < 3000; ++i) {
    try {
      codelets<double>().getrf_panel.definition().kernel_for(DeviceKind::cpu_core)(context);
    } catch (const Error& error) {
      BOOST_REQUIRE((error.code() == ErrorCode::numerical));
    }
  }
  stop = true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
