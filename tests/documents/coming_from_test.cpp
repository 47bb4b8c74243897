// Compiles and runs the code for Troupe in docs/coming-from.md.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <string>
#include <vector>

#include <troupe/troupe.hpp>

namespace troupe::documents {

BOOST_AUTO_TEST_SUITE(fragments_of_coming_from)

namespace {

void extend(VectorView<const char> a, VectorView<const char> b, VectorView<int> above, VectorView<int> left) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = above[0];
    above[0] = left[i];
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int up = above[j + 1];
      above[j + 1] = a[i] == b[j] ? diagonal + 1 : std::max(up, above[j]);
      diagonal = up;
    }
    left[i] = above[b.size()];
  }
}

/// Two periodic texts in blocks, and the boundary values with which the blocks begin.
struct Wavefront {
  static constexpr int blocks = 6, block = 4;

  Wavefront() {
    for (int k = 0; k < blocks * block; ++k) {
      pieces_a[k / block].push_back("abc"[k % 3]);
      pieces_b[k / block].push_back("aabbcc"[k % 6]);
    }
  }
  /// Returns the result for the whole texts, computed without blocks.
  [[nodiscard]] int expected() const {
    std::string a, b;
    for (int k = 0; k < blocks; ++k) a += pieces_a[k], b += pieces_b[k];
    std::vector<int> above(b.size() + 1), left(a.size());
    extend(a, b, above, left);
    return above.back();
  }

  std::vector<std::string> pieces_a = std::vector<std::string>(blocks), pieces_b = pieces_a;
  std::vector<std::vector<int>> rows = std::vector<std::vector<int>>(blocks, std::vector<int>(block + 1));
  std::vector<std::vector<int>> columns = std::vector<std::vector<int>>(blocks, std::vector<int>(block));
};

BOOST_FIXTURE_TEST_CASE(a_wavefront_by_data, Wavefront) {
#include <document_blocks/coming-from/wavefront.inc>
  BOOST_TEST(rows.back().back() == expected());
  BOOST_TEST(expected() > 12);
}

BOOST_FIXTURE_TEST_CASE(a_wavefront_by_edges, Wavefront) {
#include <document_blocks/coming-from/edges.inc>
  BOOST_TEST(rows.back().back() == expected());
}

void scale(VectorView<double> part, double factor) {
  for (double& value : part) value *= factor;
}

BOOST_AUTO_TEST_CASE(two_passes_over_blocks_by_nested_tasks) {
  constexpr int blocks = 5, block = 3;
  std::vector<double> x(std::size_t{blocks} * block, 1.0);
  Runtime runtime;
#include <document_blocks/coming-from/ompss.inc>
  BOOST_TEST(x == std::vector<double>(x.size(), 6.0), boost::test_tools::per_element());
}

#include <document_blocks/coming-from/cilk.inc>

BOOST_AUTO_TEST_CASE(a_sum_by_halves) {
  std::vector<double> x(10'001);
  std::iota(x.begin(), x.end(), 0.0);
  Runtime runtime;
  BOOST_TEST(sum(runtime, x.data(), static_cast<int>(x.size())) == 10'000.0 * 10'001 / 2);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::documents
