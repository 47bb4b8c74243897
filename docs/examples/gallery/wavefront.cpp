// A wavefront: the longest common subsequence of two strings, block by block. A block needs the last row of the block
// above it and the last column of the one to its left. It is enough to name these: blocks on a diagonal run at the same
// time, as soon as they can.
#include <algorithm>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr int kLength = 8000, kBlock = 500, kBlocks = kLength / kBlock;

std::string random_letters(unsigned seed) {
  std::mt19937 random(seed);
  std::string text(kLength, ' ');
  for (char& letter : text) letter = "ACGT"[random() % 4];
  return text;
}

// `above` holds the lengths along the row above the block; its first element belongs to the column to the left. `left`
// holds the lengths along that column. The kernel replaces both by the lengths along the block's own last row and
// column.
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

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  constexpr AccessMode r = AccessMode::read, rw = AccessMode::read_write;
  const Codelet block = Codelet("block", {r, r, rw, rw}).cpu(extend);
  std::string a = random_letters(1), b = random_letters(2);
  std::vector<std::vector<int>> rows(kBlocks, std::vector<int>(kBlock + 1)), columns(kBlocks, std::vector<int>(kBlock));

  Runtime runtime(picture.options());
  const Data text_a = runtime.vector(a), text_b = runtime.vector(b);
  std::vector<Block> cuts;
  std::vector<Data> above, left;
  for (int k = 0; k < kBlocks; ++k) {
    cuts.push_back({k * kBlock, 0, kBlock, 1});
    above.push_back(runtime.vector(rows[k]));
    left.push_back(runtime.vector(columns[k]));
  }
  const std::vector<Handle> from_a = runtime.partition(text_a, cuts), from_b = runtime.partition(text_b, cuts);
  for (int i = 0; i < kBlocks; ++i) {
    for (int j = 0; j < kBlocks; ++j) runtime.submit(block, {from_a[i], from_b[j], above[j], left[i]});
  }
  runtime.wait();

  std::cout << "two strings of " << kLength << " letters have " << rows.back().back() << " in common, in order\n";
  picture.draw(runtime, "wavefront: longest common subsequence");
}
