#include <tbb/flow_graph.h>

#include <deque>

#include "lab/bench/memory_use.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// Builds the dependencies as a graph: each task waits for the first task, and for the previous task on the same slot.
Json memory(Parameters& parameters) {
  using tbb::flow::continue_msg;
  using Node = tbb::flow::continue_node<continue_msg>;
  const MemoryOptions options = memory_options(parameters);
  const auto nothing = [](const continue_msg&) {};
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  nodes.emplace_back(graph, nothing);
  Json figures = measure_in_flight(options, [&] {
    for (std::int64_t i = 0; i < options.in_flight; ++i) {
      nodes.emplace_back(graph, nothing);
      tbb::flow::make_edge(nodes.front(), nodes.back());
      if (i >= kMemorySlots) tbb::flow::make_edge(nodes[nodes.size() - 1 - kMemorySlots], nodes.back());
    }
  });
  nodes.front().try_put(continue_msg());
  graph.wait_for_all();
  return figures;
}

}  // namespace troupe::bench
