/// Measures the idle time of an emulated accelerator between the tasks of a chain, which all write the same data.
/// Chains with `issue_ahead` tasks issued ahead, and chains with no task issued ahead, take turns in one process.
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

/// The times at which the tasks of a chain began and ended. The first two tasks do not count, because the runtime does
/// not know their duration beforehand.
struct Chain {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;

  void add_gaps(std::vector<double>& gaps) const {
    for (std::size_t i = 3; i < begins.size(); ++i) gaps.push_back(static_cast<double>(begins[i] - ends[i - 1]));
  }
};

void run_chain(const std::string& policy, std::size_t issue_ahead, std::size_t links, std::int64_t kernel_ns,
               std::vector<double>& gaps, std::uint64_t& issued) {
  RuntimeOptions options;
  options.policy = policy;
  options.accelerators.emulated_gpus.resize(1);
  options.accelerators.ahead.issue = issue_ahead;
  Chain chain{std::vector<std::int64_t>(links), std::vector<std::int64_t>(links)};
  Codelet link("link", {AccessMode::read_write});
  link.implement(DeviceKind::emulated, [&](const KernelContext& context) {
    const auto i = context.argument<std::size_t>(0);
    chain.begins[i] = now_ns();
    while (now_ns() < chain.begins[i] + kernel_ns) {
    }
    chain.ends[i] = now_ns();
  });
  Runtime runtime(options);
  double value = 0;
  const auto data = runtime.scalar(value);
  for (std::size_t i = 0; i < links; ++i) runtime.submit(link, {data}, args(i));
  runtime.wait();
  chain.add_gaps(gaps);
  for (const WorkerReport& worker : runtime.report().workers) issued += worker.counts.issued_ahead;
}

}  // namespace

Json device(Parameters& parameters) {
  const auto links = static_cast<std::size_t>(parameters.integer("links", 100, 4));
  const double kernel_us = parameters.number("kernel_us", 50);
  const auto most = static_cast<std::size_t>(parameters.integer("issue_ahead", 8, 1));
  const std::string policy = parameters.text("policy", RuntimeOptions{}.policy);
  const std::int64_t rounds = parameters.integer("rounds", 5, 1);
  if (cores_of(parameters) < 2) throw Unsupported("an emulated accelerator and its worker need two cores");
  parameters.require_all_used();
  if (kernel_us < 1) throw BadParameter("kernel_us: at least 1");
  const auto kernel_ns = static_cast<std::int64_t>(1e3 * kernel_us);
  std::vector<double> with;
  std::vector<double> without;
  std::uint64_t issued = 0;
  std::uint64_t none = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    run_chain(policy, most, links, kernel_ns, with, issued);
    run_chain(policy, 0, links, kernel_ns, without, none);
  }
  if (issued == 0) throw std::runtime_error("nothing was issued ahead");
  Json figures{{"issued_ahead", latency_figures(with)}, {"one_by_one", latency_figures(without)}};
  figures["issued"] = issued;
  figures["links"] = static_cast<std::uint64_t>(rounds) * links;
  return figures;
}

}  // namespace troupe::bench
