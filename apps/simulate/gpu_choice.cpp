#include "apps/simulate/gpu_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "proto/human_count.hpp"
#include "proto/tokens.hpp"

namespace troupe::apps {

namespace {

using platform::MachineDescription;

Failure wrong(std::string what) { return {ErrorCode::invalid_argument, std::move(what)}; }

/// Parses a number that has only digits.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!digits || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Range {
  int first;
  int last;
};

/// Parses "3" or "1-8".
std::optional<Range> range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return Range{*first, *last};
}

/// Returns the numbers of a list of ranges; nothing if the text is malformed or has a number twice.
std::optional<std::vector<int>> numbers(std::string_view text, int most) {
  std::vector<int> result;
  for (;;) {
    const std::size_t comma = text.find(',');
    const auto part = range(text.substr(0, comma));
    if (!part) return std::nullopt;
    // Stop one number above the limit: the error message needs no further numbers.
    for (int i = part->first; i <= std::min(part->last, std::max(part->first, most + 1)); ++i) {
      if (std::find(result.begin(), result.end(), i) != result.end()) return std::nullopt;
      result.push_back(i);
    }
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
}

std::size_t shared_links(const MachineDescription& machine, int a, int b) {
  std::size_t shared = 0;
  const auto count = [&](std::size_t a_from, std::size_t a_to, std::size_t b_from, std::size_t b_to) {
    for (const std::uint32_t link : machine.route(a_from, a_to).links) {
      const auto& others = machine.route(b_from, b_to).links;
      shared += static_cast<std::size_t>(std::count(others.begin(), others.end(), link));
    }
  };
  const auto node_a = static_cast<std::size_t>(a) + 1;
  const auto node_b = static_cast<std::size_t>(b) + 1;
  count(0, node_a, 0, node_b);
  count(node_a, 0, node_b, 0);
  return shared;
}

/// Orders the GPUs in `left`. The next GPU is always the GPU that shares the most links with the GPUs before it
/// (`near`), or the fewest; among equals it is the first in `left`.
std::vector<int> by_links(const MachineDescription& machine, std::vector<int> left, bool near) {
  std::vector<int> order;
  while (!left.empty()) {
    const auto shared = [&](int gpu) {
      std::size_t sum = 0;
      for (const int taken : order) sum += shared_links(machine, gpu, taken);
      return sum;
    };
    const auto next =
        near ? std::max_element(left.begin(), left.end(), [&](int a, int b) { return shared(a) < shared(b); })
             : std::min_element(left.begin(), left.end(), [&](int a, int b) { return shared(a) < shared(b); });
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

/// Returns numbers that describe a GPU and do not depend on its index.
std::vector<double> look_of(const MachineDescription& machine, int gpu, const std::vector<int>& among) {
  const auto number = static_cast<std::size_t>(gpu);
  const platform::DescribedGpu& described = machine.gpus[number];
  std::vector<double> look{static_cast<double>(described.memory.count), seconds(described.launch),
                           seconds(described.notice)};
  for (const platform::KernelTimes& kernel : machine.kernels) {
    if (!kernel.on_gpus()) continue;
    for (const double edge : kernel.edges()) {
      const platform::KernelTime time = kernel.gpu(number, edge);
      look.insert(look.end(), {time.mean_us, time.deviation_us});
    }
  }
  const auto add_route = [&](std::size_t from, std::size_t to) {
    const platform::DescribedRoute& route = machine.route(from, to);
    look.insert(look.end(), {route.bandwidth_mb_per_s, seconds(route.latency)});
  };
  add_route(0, number + 1);
  add_route(number + 1, 0);
  std::vector<double> shared;
  for (const int other : among) {
    if (other != gpu) shared.push_back(static_cast<double>(shared_links(machine, gpu, other)));
  }
  std::ranges::sort(shared);
  look.insert(look.end(), shared.begin(), shared.end());
  return look;
}

std::vector<int> all_gpus(const MachineDescription& machine) {
  std::vector<int> gpus(machine.gpus.size());
  std::iota(gpus.begin(), gpus.end(), 0);
  return gpus;
}

}  // namespace

Result<std::vector<int>> parse_gpu_counts(std::string_view text, const MachineDescription& on) {
  return parse_gpu_counts(text, static_cast<int>(on.gpus.size()), fmt::format("machine '{}'", on.name));
}

Result<std::vector<int>> parse_gpu_counts(std::string_view text, int most, std::string_view where) {
  auto counts = numbers(text, most);
  if (!counts) {
    return wrong(
        fmt::format("--gpus: {} is not how many GPUs to use: give numbers and rising ranges, each number once, "
                    "such as 4, 1-8 or 0,2,4",
                    quoted(text)));
  }
  if (const int largest = *std::max_element(counts->begin(), counts->end()); largest > most) {
    const bool range = text.find('-') != std::string_view::npos;
    return wrong(fmt::format("--gpus: {} has {}, not {}", where, counted(static_cast<std::uint64_t>(most), "GPU"),
                             range ? "as many as " + quoted(text) : std::to_string(largest)));
  }
  return *std::move(counts);
}

Result<std::vector<int>> gpu_order(std::string_view text, const MachineDescription& on) {
  if (text == "near" || text == "spread") return by_links(on, all_gpus(on), text == "near");
  const int most = static_cast<int>(on.gpus.size()) - 1;
  auto order = numbers(text, most);
  if (!order) {
    return wrong(fmt::format(
        "--gpu-order: {} is neither near, nor spread, nor a list of GPUs, each once, such as 0,4,2", quoted(text)));
  }
  if (const int largest = *std::max_element(order->begin(), order->end()); largest > most) {
    return wrong(fmt::format("--gpu-order: machine '{}' has no GPU {}: {}", on.name, largest,
                             most < 0 ? "it has none" : fmt::format("its GPUs are 0 to {}", most)));
  }
  return *std::move(order);
}

std::vector<int> regardless_of_numbers(const std::vector<int>& gpus, const MachineDescription& on) {
  std::vector<std::pair<std::vector<double>, int>> looks;
  for (const int gpu : gpus) looks.emplace_back(look_of(on, gpu, gpus), gpu);
  std::ranges::sort(looks);
  std::vector<int> sorted;
  for (const auto& [look, gpu] : looks) sorted.push_back(gpu);
  return by_links(on, std::move(sorted), true);
}

}  // namespace troupe::apps
