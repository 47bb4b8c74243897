#include "lab/bench/recursion/alignment.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace troupe::bench {
namespace {

constexpr std::size_t kLetters = 20;
constexpr std::size_t kShortest = 60;
constexpr std::size_t kLongest = 360;
constexpr int kOpenGap = 11;
constexpr int kExtendGap = 1;
/// A score that no alignment has. It is far enough from the smallest integer for sums.
constexpr int kNoScore = -1'000'000'000;

using LetterScores = std::array<std::array<int, kLetters>, kLetters>;

/// Scores of two letters in the same place: from 4 to 9 if they are equal, from -4 to 1 if they are not.
const LetterScores kScores = [] {
  LetterScores scores{};
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kLetters; ++i) {
    scores[i][i] = 4 + static_cast<int>(random() % 6);
    for (std::size_t j = 0; j < i; ++j) scores[i][j] = scores[j][i] = static_cast<int>(random() % 6) - 4;
  }
  return scores;
}();

int score_of_letters(char a, char b) { return kScores[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; }

int cost_of_gap(std::size_t letters) { return letters == 0 ? 0 : kOpenGap + kExtendGap * static_cast<int>(letters); }

/// Returns the score of the best alignment of two whole sequences by Gotoh's method ("An improved algorithm for
/// matching biological sequences", Journal of Molecular Biology 162, 1982), row by row.
int score_of_alignment(const std::string& a, const std::string& b) {
  // The scores of the beginnings of both sequences, for the last row: of all alignments, and of those that end with a
  // gap in `b`.
  std::vector<int> best(b.size() + 1);
  std::vector<int> gap_in_b(b.size() + 1, kNoScore);
  for (std::size_t j = 0; j <= b.size(); ++j) best[j] = -cost_of_gap(j);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = best[0];
    best[0] = -cost_of_gap(i + 1);
    int left = best[0];
    int gap_in_a = kNoScore;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int above = best[j + 1];
      gap_in_a = std::max(gap_in_a, left - kOpenGap) - kExtendGap;
      gap_in_b[j + 1] = std::max(gap_in_b[j + 1], above - kOpenGap) - kExtendGap;
      left = std::max({diagonal + score_of_letters(a[i], b[j]), gap_in_a, gap_in_b[j + 1]});
      diagonal = above;
      best[j + 1] = left;
    }
  }
  return best.back();
}

/// Returns the same by the definition: each step adds two letters or a gap of any length.
int plain_score_of_alignment(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> best(a.size() + 1, std::vector<int>(b.size() + 1, kNoScore));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      int& score = best[i][j];
      if (i == 0 && j == 0) score = 0;
      if (i > 0 && j > 0) score = best[i - 1][j - 1] + score_of_letters(a[i - 1], b[j - 1]);
      for (std::size_t k = 1; k <= i; ++k) score = std::max(score, best[i - k][j] - cost_of_gap(k));
      for (std::size_t k = 1; k <= j; ++k) score = std::max(score, best[i][j - k] - cost_of_gap(k));
    }
  }
  return best.back().back();
}

std::string random_sequence(std::mt19937_64& random) {
  std::string sequence(kShortest + random() % (kLongest - kShortest + 1), '\0');
  for (char& letter : sequence) letter = static_cast<char>(random() % kLetters);
  return sequence;
}

}  // namespace

Alignment::Alignment(const RecursionCase& options) : cutoff_(options.cutoff) {
  if (options.n > kMostSequences) throw BadParameter("n: at most 1000 sequences are aligned");
  std::mt19937_64 random(2);
  for (std::int64_t i = 0; i < options.n; ++i) sequences_.push_back(random_sequence(random));
  for (std::int32_t i = 0; i < options.n; ++i) {
    for (std::int32_t j = 0; j < i; ++j) pairs_.emplace_back(i, j);
  }
  for (const auto& [i, j] : pairs_) {
    swapped_scores_.push_back(
        score_of_alignment(sequences_[static_cast<std::size_t>(j)], sequences_[static_cast<std::size_t>(i)]));
  }
  constexpr std::size_t kSamples = 3;
  for (std::size_t i = 0; i < std::min(kSamples, pairs_.size()); ++i) {
    const auto& [first, second] = pairs_[i];
    const int plain = plain_score_of_alignment(sequences_[static_cast<std::size_t>(first)],
                                               sequences_[static_cast<std::size_t>(second)]);
    require_right(swapped_scores_[i] == plain, Recursion::alignment);
  }
}

void Alignment::prepare() { scores_.assign(pairs_.size(), kNoScore); }

void Alignment::score_without_tasks(std::int64_t first, std::int64_t last) {
  for (std::int64_t index = first; index < last; ++index) {
    const auto& [i, j] = pairs_[static_cast<std::size_t>(index)];
    scores_[static_cast<std::size_t>(index)] =
        score_of_alignment(sequences_[static_cast<std::size_t>(i)], sequences_[static_cast<std::size_t>(j)]);
  }
}

}  // namespace troupe::bench
