#include "opencl/analysis/kernel_facts.hpp"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <span>

#include "opencl/analysis/analysis_compiler.hpp"
#include "opencl/analysis/program_facts.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::tests {

using opencl::ByteRange;
using opencl::ItemBox;
using opencl::KernelFacts;
using opencl::LaunchValues;

/// Analyses a kernel `k` with any installed compiler.
struct KernelFactsFixture {
  KernelFactsFixture() : compiler(opencl::analysis_compiler(opencl::compiler_in_environment())) {}

  [[nodiscard]] bool has_compiler() const {
    if (!compiler) skip("there is no clang that compiles OpenCL: install clang-15");
    return compiler.has_value();
  }
  [[nodiscard]] KernelFacts facts(const std::string& source, const std::string& options = "") const {
    const auto all = opencl::facts_of(source, options, *compiler);
    const auto found = all->find("k");
    BOOST_TEST_REQUIRE((found != all->end()));
    return found->second;
  }
  /// Returns a launch of (8, 4, 1) work-items in groups of (4, 2, 1). Every argument has the value `number`.
  [[nodiscard]] LaunchValues launch(const KernelFacts& facts) const {
    LaunchValues values;
    values.arguments.assign(facts.arguments.size(), std::as_bytes(std::span(&number, 1)));
    values.global = {8, 4, 1};
    values.local = {4, 2, 1};
    return values;
  }
  [[nodiscard]] std::optional<ByteRange> stored(const KernelFacts& facts, const ItemBox& items) const {
    return stored_bytes(facts, 0, items, launch(facts));
  }

  std::optional<std::string> compiler;
  std::int64_t number = 8;
  const ItemBox all{{0, 0, 0}, {8, 4, 1}};
};

inline std::string words_for(const std::optional<ByteRange>& range) {
  return range ? fmt::format("[{}, {})", range->begin, range->end) : "unknown";
}

/// The body of `kernel void k(global T* x, global T* y, int n)`, and the bytes of x that all work-items together store.
struct StoreCase {
  const char* type;
  const char* body;
  std::optional<ByteRange> range;
  bool whole;
};

BOOST_FIXTURE_TEST_SUITE(kernel_facts, KernelFactsFixture)

BOOST_AUTO_TEST_CASE(what_is_stored_follows_from_the_items) {
  if (!has_compiler()) return;
  const std::vector<StoreCase> cases{
      {"float", "x[get_global_id(0)] = 1;", ByteRange{0, 32}, true},
      {"float", "x[get_global_id(1) * n + get_global_id(0)] = 1;", ByteRange{0, 128}, true},
      {"float", "x[2 * get_global_id(0) + 1] = 1;", ByteRange{4, 64}, false},
      {"float", "x[2 * get_global_id(0) + 1] = 1; x[2 * get_global_id(0)] = 2;", ByteRange{0, 64}, true},
      {"float", "if (y[0] > 0) x[get_global_id(0)] = 1;", ByteRange{0, 32}, false},
      {"float", "if (get_global_id(0) < n) x[get_global_id(0)] = 1;", ByteRange{0, 32}, true},
      {"float", "if (get_global_id(0) < n - 3) x[get_global_id(0)] = 1;", ByteRange{0, 20}, false},
      {"float", "int i = get_global_id(0); if (i < 2 || i >= n - 1) return; x[i - 2] = 1;", ByteRange{0, 20}, false},
      {"float", "uint i = get_global_id(0) - 1; if (i < n) x[i] = 1;", std::nullopt, false},
      {"float3", "x[get_global_id(0)] = 1;", ByteRange{0, 128}, false},
      {"float4", "x[get_global_id(0)].y = 1;", ByteRange{4, 120}, false},
      {"struct { char c; double d; int i; }", "x[get_global_id(0)].i = 1;", ByteRange{16, 188}, false},
      {"struct __attribute__((packed)) { char c; double d; }", "x[get_global_id(0)].d = 1;", ByteRange{1, 72}, false},
      {"float", "vstore3((float3)(1, 2, 3), get_global_id(0), x + 1);", ByteRange{4, 100}, true},
      {"short", "x[get_global_size(0) - 1 - get_global_id(0)] = 1;", ByteRange{0, 16}, true},
      {"short", "x[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1;", ByteRange{0, 16}, true},
      {"short", "x[get_group_id(0)] = 1;", ByteRange{0, 4}, false},
      {"int", "x[(int)(get_global_id(0) << 1 | 1)] = 1;", ByteRange{4, 64}, false},
      {"int", "x[(uchar)(get_global_id(0) * 40)] = 1;", std::nullopt, false},
      {"int", "x[get_global_id(0) ^ n] = 1;", std::nullopt, false},
      {"int", "for (int i = 0; i < n; ++i) x[i] = 1;", std::nullopt, false},
      {"int", "for (int i = 0; i < 4; ++i) x[4 * get_global_id(0) + i] = 1;", ByteRange{0, 128}, true},
      {"int", "global int* p = n ? x : y; p[0] = 1;", std::nullopt, false},
      {"int", "y[0] = x[get_global_id(0)];", ByteRange{}, true},
  };
  for (const StoreCase& each : cases) {
    BOOST_TEST_CONTEXT(each.type << ": " << each.body) {
      const KernelFacts kernel = facts("typedef " + std::string(each.type) +
                                       " T; kernel void k(global T* x, global T* y, int n) { " + each.body + " }");
      const auto range = stored(kernel, all);
      const bool same = range == each.range;
      BOOST_TEST(same, words_for(range) << " instead of " << words_for(each.range));
      if (range) BOOST_TEST(stores_all(kernel, 0, all, launch(kernel)) == each.whole);
    }
  }
}

BOOST_AUTO_TEST_CASE(chunks_store_their_parts) {
  if (!has_compiler()) return;
  const KernelFacts kernel =
      facts("kernel void k(global int* x, int n) { x[get_global_id(1) * n + get_global_id(0)] *= 3; }");
  BOOST_TEST((kernel.can_split == std::array<bool, 3>{true, true, false}));
  BOOST_TEST((stored(kernel, {{0, 2, 0}, {8, 2, 1}}) == ByteRange{64, 128}));
  // Parts along the other dimension store overlapping ranges.
  BOOST_TEST((stored(kernel, {{4, 0, 0}, {4, 4, 1}}) == ByteRange{16, 128}));
  BOOST_TEST((loaded_bytes(kernel, 0, {{0, 2, 0}, {8, 2, 1}}, launch(kernel)) == ByteRange{64, 128}));
  BOOST_TEST((stored(kernel, {{0, 0, 0}, {8, 0, 1}}) == ByteRange{}));
}

BOOST_AUTO_TEST_CASE(values_of_structures_and_vectors_count) {
  if (!has_compiler()) return;
  const KernelFacts kernel = facts(
      "typedef struct { short a; int b; } S;"
      "kernel void k(global int* x, S s, int4 v) { x[get_global_id(0) * s.b + v.y] = 1; }");
  struct {
    std::int16_t a = 9;
    std::int32_t b = 2;
  } structure;
  const std::array<std::int32_t, 4> vector{9, 5, 9, 9};
  LaunchValues values = launch(kernel);
  values.arguments[1] = std::as_bytes(std::span(&structure, 1));
  values.arguments[2] = std::as_bytes(std::span(vector));
  BOOST_TEST((stored_bytes(kernel, 0, all, values) == ByteRange{20, 80}));
  values.arguments[2] = {};
  BOOST_TEST((!stored_bytes(kernel, 0, all, values).has_value()));
}

BOOST_AUTO_TEST_CASE(what_wraps_around_is_not_known) {
  if (!has_compiler()) return;
  const KernelFacts kernel = facts("kernel void k(global char* x, uint n) { x[(uint)get_global_id(0) * n] = 1; }");
  LaunchValues values = launch(kernel);
  const std::uint32_t few = 1000;
  values.arguments[1] = std::as_bytes(std::span(&few, 1));
  BOOST_TEST((stored_bytes(kernel, 0, all, values) == ByteRange{0, 7001}));
  const std::uint32_t many = 1U << 30U;
  values.arguments[1] = std::as_bytes(std::span(&many, 1));
  BOOST_TEST((!stored_bytes(kernel, 0, all, values).has_value()));
}

BOOST_AUTO_TEST_CASE(arguments_are_never_written_through_functions_and_aliases) {
  if (!has_compiler()) return;
  const KernelFacts kernel = facts(R"(
float sum(global float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i] * p[i ^ 1]; return s; }
void put(global float* p, global float* q) { p[get_global_id(0)] = vload4(get_global_id(0), q).x; }
kernel void k(global float* a, global float* b, global float* c, global float* d, local float* t, int n) {
  global float* alias = n > 3 ? c : d;
  put(a, b);
  alias[n] = sum(b, n);
  t[get_local_id(0)] = d[0];
})");
  BOOST_TEST(kernel.arguments[0].writes);
  BOOST_TEST(!kernel.arguments[0].reads);
  BOOST_TEST(!kernel.arguments[1].writes);
  BOOST_TEST(kernel.arguments[1].reads);
  BOOST_TEST(kernel.arguments[2].writes);
  BOOST_TEST(kernel.arguments[3].writes);
}

BOOST_AUTO_TEST_CASE(what_chunks_would_change_cannot_be_split) {
  if (!has_compiler()) return;
  const std::string store = "x[get_global_id(0)] = 1; ";
  for (const char* body :
       {"atomic_inc(y);", "((volatile global int*)y)[0];", "barrier(CLK_GLOBAL_MEM_FENCE);", "mem_fence(3);",
        "printf(\"%d\", 3);", "y[0] = 3;", "y[get_local_id(0)] = 3;", "x[get_global_id(0)] = x[get_global_id(0) + 1];",
        "x[y[0]] = 2;", "y[get_global_id(0)] = get_global_offset(0);", "async_work_group_copy(x, t, 4, 0);",
        "global int* p[2] = {x, y}; p[n & 1][n & 3] = 2;"}) {
    const KernelFacts kernel =
        facts("kernel void k(global int* x, global int* y, local int* t, int n) { " + store + body + " }");
    BOOST_TEST((kernel.can_split == std::array<bool, 3>{}), body);
    BOOST_TEST(!kernel.refusal.empty(), body);
  }
  for (const char* body :
       {"", "barrier(CLK_LOCAL_MEM_FENCE);", "x[get_global_id(0)] += y[0];", "atomic_inc(t);", "t[0] = y[n];",
        "local int u[4]; u[n & 3] = y[get_group_id(0)]; barrier(1); x[get_global_id(0)] = u[0];",
        "float f; fract((float)y[0], &f); x[get_global_id(0)] = f;",
        "event_t e = async_work_group_copy(t, y, 4, 0); wait_group_events(1, &e);"}) {
    const KernelFacts kernel =
        facts("kernel void k(global int* x, global int* y, local int* t, int n) { " + store + body + " }");
    BOOST_TEST((kernel.can_split == std::array<bool, 3>{true, false, false}), body << ": " << kernel.refusal);
  }
}

BOOST_AUTO_TEST_CASE(questions_are_told_by_dimension) {
  if (!has_compiler()) return;
  const KernelFacts kernel = facts(
      "__attribute__((noinline)) size_t groups(void) { return get_num_groups(2); }"
      "kernel void k(global ulong* x, uint d) {"
      "  x[get_global_id(0)] = get_global_size(1) + groups() + get_group_id(d) + get_local_size(0); }");
  KernelFacts::Questions expected;
  expected.global_size = {false, true, false};
  expected.num_groups = {false, false, true};
  expected.group_id = {true, true, true};
  BOOST_TEST((kernel.asks == expected));
}

BOOST_AUTO_TEST_CASE(options_are_those_of_the_program) {
  if (!has_compiler()) return;
  const std::string source =
      "#ifdef WRITE\nkernel void k(global int* x) { x[0] = STEP; }\n#else\nkernel void k(global int* x) {}\n#endif\n";
  BOOST_TEST(facts(source, "-DWRITE -D STEP=3 -cl-fast-relaxed-math -Werror").arguments[0].writes);
  // Without the option, some vendors may define WRITE themselves. Then the code differs from vendor to vendor, so it is
  // not analysed.
  BOOST_TEST(opencl::facts_of(source, "", *compiler)->empty());
  BOOST_TEST(opencl::facts_of("no OpenCL", "", *compiler)->empty());
  BOOST_TEST(opencl::facts_of("kernel void k(global int* x) {}", "", "/bin/false")->empty());
  BOOST_TEST(opencl::facts_of("kernel void k(global int* x) {}", "", "off")->empty());
}

BOOST_AUTO_TEST_CASE(the_same_source_is_analysed_once) {
  if (!has_compiler()) return;
  const std::string source = "kernel void k(global int* x) { x[1] = 2; }";
  BOOST_TEST(opencl::facts_of(source, "", *compiler) == opencl::facts_of(source, "", *compiler));
  BOOST_TEST(opencl::facts_of(source, "", *compiler) != opencl::facts_of(source, "-DX", *compiler));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
