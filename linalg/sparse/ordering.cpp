#include "linalg/sparse/ordering.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "troupe/errors.hpp"

#ifdef TROUPE_HAVE_AMD
#include <amd.h>
#endif

namespace troupe::linalg {

const char* to_string(Ordering ordering) {
  switch (ordering) {
    case Ordering::automatic: return "auto";
    case Ordering::natural: return "natural";
    case Ordering::rcm: return "rcm";
    case Ordering::amd: return "amd";
  }
  return "unknown";
}

bool is_available(Ordering ordering) {
#ifdef TROUPE_HAVE_AMD
  (void)ordering;
  return true;
#else
  return ordering != Ordering::amd;
#endif
}

namespace {

/// A breadth-first walk from one vertex: nearer vertices come first; among equally near vertices, those with fewer
/// neighbours come first.
class LevelWalk {
 public:
  explicit LevelWalk(const Adjacency& graph)
      : graph_(graph), seen_(static_cast<std::size_t>(graph.vertices()), 0), level_(seen_.size(), 0) {}

  /// Returns the vertices that can be reached, in the order of the walk. Valid until the next call.
  const std::vector<std::int32_t>& from(std::int32_t start) {
    ++walk_;
    reached_.assign(1, start);
    see(start, 0);
    for (std::size_t next = 0; next < reached_.size(); ++next) {
      const std::int32_t vertex = reached_[next];
      const auto before = static_cast<std::ptrdiff_t>(reached_.size());
      for (const std::int32_t neighbour : graph_.of(vertex)) {
        if (seen_[static_cast<std::size_t>(neighbour)] == walk_) continue;
        see(neighbour, level_[static_cast<std::size_t>(vertex)] + 1);
        reached_.push_back(neighbour);
      }
      std::stable_sort(reached_.begin() + before, reached_.end(),
                       [&](std::int32_t a, std::int32_t b) { return degree(a) < degree(b); });
    }
    return reached_;
  }
  /// Returns the number of steps to the last vertex of the walk.
  [[nodiscard]] std::int32_t depth() const { return level_[static_cast<std::size_t>(reached_.back())]; }
  /// Returns the vertex with the fewest neighbours among the farthest vertices.
  [[nodiscard]] std::int32_t far_end() const {
    std::int32_t best = reached_.back();
    for (auto vertex = reached_.rbegin(); vertex != reached_.rend() && level_of(*vertex) == depth(); ++vertex) {
      if (degree(*vertex) <= degree(best)) best = *vertex;
    }
    return best;
  }

 private:
  [[nodiscard]] std::size_t degree(std::int32_t vertex) const { return graph_.of(vertex).size(); }
  [[nodiscard]] std::int32_t level_of(std::int32_t vertex) const { return level_[static_cast<std::size_t>(vertex)]; }
  void see(std::int32_t vertex, std::int32_t level) {
    seen_[static_cast<std::size_t>(vertex)] = walk_;
    level_[static_cast<std::size_t>(vertex)] = level;
  }

  const Adjacency& graph_;
  std::int32_t walk_ = 0;
  /// The number of the last walk that has reached each vertex.
  std::vector<std::int32_t> seen_;
  std::vector<std::int32_t> level_;
  std::vector<std::int32_t> reached_;
};

}  // namespace

std::vector<std::int32_t> reverse_cuthill_mckee(const Adjacency& graph) {
  LevelWalk walk(graph);
  std::vector<std::int32_t> order;
  std::vector<bool> ordered(static_cast<std::size_t>(graph.vertices()), false);
  for (std::int32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (ordered[static_cast<std::size_t>(vertex)]) continue;
    // Start again from the far end of the walk, as long as the distance between both ends grows.
    std::int32_t start = vertex;
    (void)walk.from(start);
    for (std::int32_t depth = -1; walk.depth() > depth; (void)walk.from(start)) {
      depth = walk.depth();
      start = walk.far_end();
    }
    for (const std::int32_t reached : walk.from(start)) {
      order.push_back(reached);
      ordered[static_cast<std::size_t>(reached)] = true;
    }
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<std::int32_t> minimum_degree(const Adjacency& graph) {
#ifdef TROUPE_HAVE_AMD
  if (graph.neighbours.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorCode::bad_input, "the matrix has too many elements for --ordering amd: use rcm or natural");
  }
  // AMD treats an empty list of neighbours as a missing argument, so it is not called with an empty list.
  if (graph.neighbours.empty()) return order_by(Ordering::natural, graph);
  const std::vector<std::int32_t> begin(graph.begin.begin(), graph.begin.end());
  std::vector<std::int32_t> order(static_cast<std::size_t>(graph.vertices()));
  const int status = amd_order(graph.vertices(), begin.data(), graph.neighbours.data(), order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY) throw Error(ErrorCode::out_of_memory, "no memory for --ordering amd");
  if (status < AMD_OK) throw Error(ErrorCode::bad_input, "AMD could not order the matrix");
  return order;
#else
  (void)graph;
  throw Error(ErrorCode::platform,
              "this build has no --ordering amd: install libsuitesparse-dev and build again, or use rcm or natural");
#endif
}

std::vector<std::int32_t> order_by(Ordering ordering, const Adjacency& graph) {
  switch (ordering) {
    case Ordering::rcm: return reverse_cuthill_mckee(graph);
    case Ordering::amd: return postordered(graph, minimum_degree(graph));
    case Ordering::automatic:
    case Ordering::natural: break;
  }
  std::vector<std::int32_t> order(static_cast<std::size_t>(graph.vertices()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace troupe::linalg
