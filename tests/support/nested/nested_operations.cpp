#include "tests/support/nested/nested_operations.hpp"

#include <cstddef>
#include <random>
#include <utility>

namespace troupe::tests::nested {

Leaves leaves_of(int part) {
  int width = kLeaves;
  int first = part;
  while (first < kLeaves) first *= 2;
  for (int i = part; i > 1; i /= 2) width /= 2;
  return {first - kLeaves, first - kLeaves + width};
}

std::vector<Place> beside(const Place& target, const Place& within) {
  const Leaves leaves = leaves_of(within.part);
  std::vector<Place> places;
  for (int part = target.part - 1; part <= target.part + 1; ++part) {
    const int leaf = part - kLeaves;
    if (leaf >= leaves.begin && leaf < leaves.end) places.push_back({target.vector, part});
  }
  return places;
}

namespace {

bool overlap(const Place& a, const Place& b) {
  const Leaves one = leaves_of(a.part);
  const Leaves other = leaves_of(b.part);
  return a.vector == b.vector && one.begin < other.end && other.begin < one.end;
}

/// Data that a task may use.
struct Usable {
  Place place;
  bool written = true;
};

class Generator {
 public:
  explicit Generator(const NestedProgram& program)
      : random_(program.seed),
        faults_(program.faults),
        waits_(program.waits),
        kernels_change_(program.waits && !program.deterministic),
        blurs_(program.halos),
        // In virtual time only tasks that are said to be nested need no times. Beside GPUs, whoever submits says so,
        // too.
        leaves_unsaid_(!program.gpus && !program.simulated) {}

  std::vector<Operation> program() { return operations({{{0, 1}, true}, {{1, 1}, true}}, 0, 14); }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  /// Returns a random part of one of these places.
  Usable pick(const std::vector<Usable>& usable) {
    Usable one = usable[static_cast<std::size_t>(below(static_cast<int>(usable.size())))];
    while (one.place.part < kLeaves && below(3) > 0) one.place.part = 2 * one.place.part + below(2);
    return one;
  }
  std::vector<Operation> operations(std::vector<Usable> usable, int depth, int most) {
    std::vector<Operation> all;
    const int count = 1 + below(most);
    for (int i = 0; i < count; ++i) {
      if (auto one = operation(usable, depth)) all.push_back(std::move(*one));
      if (waits_ && depth > 0 && !all.empty() && below(3) == 0) {
        all.back().wait = static_cast<Operation::Wait>(below(4));
      }
    }
    return all;
  }
  std::optional<Operation> operation(const std::vector<Usable>& usable, int depth) {
    Operation one;
    one.number = random_() % 1000;
    one.throws = faults_ && below(20) == 0;
    const Usable target = pick(usable);
    const int kind = below(depth < 4 ? 10 : 6);
    if (kind >= 6) return nested(one, usable, target, depth);
    if (!target.written) return std::nullopt;
    one.target = target.place;
    if (kind < 2) one.kind = Operation::alter;
    if (kind == 2) one.kind = Operation::overwrite;
    // The order of tasks that commute is open, and decides which of them find valid content after one has failed.
    if (kind == 3) one.kind = faults_ ? Operation::alter : Operation::add;
    if (kind > 3) {
      one.kind = Operation::gather;
      one.source = pick(usable).place;
      if (overlap(one.source, target.place)) return std::nullopt;
    }
    if (kind == 4 && blurs_) return blurred(one, usable);
    return one;
  }
  /// Returns a task on a part that reads the parts beside it, within a place that may be used.
  std::optional<Operation> blurred(Operation one, const std::vector<Usable>& usable) {
    const Usable within = usable[static_cast<std::size_t>(below(static_cast<int>(usable.size())))];
    if (within.place.vector >= kVectors || within.place.part >= kLeaves || !within.written) return std::nullopt;
    const Leaves leaves = leaves_of(within.place.part);
    one.kind = Operation::blur;
    one.source = within.place;
    one.target = Place{within.place.vector, kLeaves + leaves.begin + below(leaves.end - leaves.begin)};
    return one;
  }
  Operation nested(Operation one, const std::vector<Usable>& usable, const Usable& target, int depth) {
    one.kind = Operation::nest;
    std::vector<Usable> inside;
    if (below(3) > 0) {
      one.target = target.place;
      one.only_reads = !target.written || below(4) == 0;
      inside.push_back({target.place, !one.only_reads});
      const bool leaf = target.place.part >= kLeaves && target.place.vector < kVectors && !one.only_reads;
      if (leaf && below(2) == 0) one.cut = 1 + below(kPerLeaf - 1);
    }
    for (int tries = below(3); tries > 0; --tries) {
      Usable more = pick(usable);
      more.written = more.written && below(4) > 0;
      bool apart = !one.target || !overlap(*one.target, more.place);
      for (const Operation::Weak& other : one.weak) apart = apart && !overlap(other.place, more.place);
      if (!apart) continue;
      one.weak.push_back({more.place, more.written});
      inside.push_back(more);
    }
    one.unsaid = leaves_unsaid_ && depth > 0 && one.target && one.weak.empty() && below(2) == 0;
    for (int count = below(3); count > 0; --count) {
      one.temporaries.push_back(next_vector_++);
      // The parts of temporary data are made by the kernel.
      inside.push_back({{one.temporaries.back(), 1}, true});
    }
    if (!inside.empty() && one.cut == 0) one.children = operations(inside, depth + 1, 6);
    one.ends_with_change = kernels_change_ && one.target && !one.only_reads && below(2) == 0;
    return one;
  }

  std::mt19937_64 random_;
  const bool faults_;
  const bool waits_;
  const bool kernels_change_;
  const bool blurs_;
  const bool leaves_unsaid_;
  int next_vector_ = kVectors;
};

/// Runs a program one operation after the other.
class Sequential {
 public:
  Sequential() : vectors_(2) {
    for (Content& vector : vectors_) {
      vector.valid.fill(true);
      for (auto& leaf : vector.leaves) leaf.fill(1);
    }
  }
  void run(const std::vector<Operation>& program) {
    for (const Operation& one : program) run(one);
  }
  [[nodiscard]] const Content& vector(int number) const { return vectors_[static_cast<std::size_t>(number)]; }

 private:
  Content& at(int number) {
    if (vectors_.size() <= static_cast<std::size_t>(number)) vectors_.resize(static_cast<std::size_t>(number) + 1);
    return vectors_[static_cast<std::size_t>(number)];
  }
  template <class Visit>
  void each(const Place& place, const Visit& visit) {
    Content& content = at(place.vector);
    for (int i = leaves_of(place.part).begin; i < leaves_of(place.part).end; ++i) {
      visit(content.leaves[static_cast<std::size_t>(i)], content.valid[static_cast<std::size_t>(i)]);
    }
  }
  bool valid(const Place& place) {
    bool all = true;
    each(place, [&](auto&, bool& valid) { all = all && valid; });
    return all;
  }
  void set_valid(const Place& place, bool value) {
    each(place, [&](auto&, bool& valid) { valid = value; });
  }
  void run(const Operation& one) {
    if (one.kind == Operation::nest) return run_nested(one);
    const Place& target = *one.target;
    bool runs = !one.throws && (one.kind == Operation::overwrite || valid(target));
    std::vector<Place> read;
    if (one.kind == Operation::gather) read = {one.source};
    if (one.kind == Operation::blur) read = beside(target, one.source);
    for (const Place& place : read) runs = runs && valid(place);
    if (!runs) return set_valid(target, false);
    Number sum = one.number;
    for (const Place& place : read) {
      each(place, [&](auto& leaf, bool&) {
        for (const Number value : leaf) sum += value;
      });
    }
    each(target, [&](auto& leaf, bool& valid) {
      valid = true;
      for (Number& value : leaf) {
        if (one.kind == Operation::alter) value = value * 31 + one.number;
        if (one.kind == Operation::overwrite) value = one.number;
        if (one.kind == Operation::gather || one.kind == Operation::blur) value = value * 7 + sum;
        if (one.kind == Operation::add) value += one.number;
      }
    });
  }
  void run_nested(const Operation& one) {
    const bool begins = !one.target || valid(*one.target);
    for (const int vector : one.temporaries) {
      at(vector).valid.fill(true);
      for (auto& leaf : at(vector).leaves) leaf.fill(one.number);
    }
    if (begins && !one.throws) {
      if (one.target && !one.only_reads) {
        each(*one.target, [&](auto& leaf, bool&) {
          for (Number& value : leaf) value ^= one.number;
        });
      }
      run(one.children);
      if (one.cut != 0) {
        each(*one.target, [&](auto& leaf, bool&) {
          for (int i = 0; i < kPerLeaf; ++i) {
            Number& value = leaf[static_cast<std::size_t>(i)];
            value = value * 31 + one.number + (i < one.cut ? 0 : 1);
          }
        });
      }
      if (one.ends_with_change) {
        each(*one.target, [&](auto& leaf, bool&) {
          for (Number& value : leaf) value += one.number;
        });
      }
      return;
    }
    if (one.target && !one.only_reads) set_valid(*one.target, false);
    for (const Operation::Weak& weak : one.weak) {
      if (weak.written) set_valid(weak.place, false);
    }
  }

  std::vector<Content> vectors_;
};

}  // namespace

std::vector<Operation> operations_of(const NestedProgram& program) { return Generator(program).program(); }

std::array<Content, kVectors> run_in_sequence(const std::vector<Operation>& program, int runs) {
  Sequential sequential;
  for (int run = 0; run < runs; ++run) sequential.run(program);
  return {sequential.vector(0), sequential.vector(1)};
}

}  // namespace troupe::tests::nested
