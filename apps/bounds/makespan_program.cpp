#include "apps/bounds/makespan_program.hpp"

#include <algorithm>

namespace troupe::apps {
namespace {

using Term = LinearProgram::Term;
using Sense = LinearProgram::Sense;

/// More than sums of some thousand doubles lose by rounding.
constexpr double kRounding = 1e-12;

}  // namespace

MakespanProgram::MakespanProgram(const KindLoad& load)
    : load_(load), makespan_(program_.add_column(1, load.serial)), allocation_(program_, load) {
  add_stage(std::vector<bool>(load.tasks_of_kind.size(), true), 0);
}

void MakespanProgram::add_path(const std::vector<std::uint32_t>& tasks_of_kind) {
  std::vector<Term> duration{{makespan_, -1}};
  for (std::size_t kind = 0; kind < tasks_of_kind.size(); ++kind) {
    if (tasks_of_kind[kind] == 0) continue;
    const double on_path = tasks_of_kind[kind];
    const auto tasks = static_cast<double>(load_.tasks_of_kind[kind]);
    std::vector<Term> all;
    for (std::size_t type = 0; type < load_.types.size(); ++type) {
      const int x = allocation_.at(kind, type);
      if (x < 0) continue;
      const int y = program_.add_column(0, 1);
      all.push_back({y, 1});
      duration.push_back({y, on_path * load_.types[type].times[kind]});
      const Term no_more_than_all[]{{y, on_path / tasks}, {x, -1}};
      program_.add_row(Sense::at_most, 0, no_more_than_all);
    }
    program_.add_row(Sense::equal, 1, all);
  }
  program_.add_row(Sense::at_most, 0, duration);
}

void MakespanProgram::add_stage(const std::vector<bool>& kinds, double closed) {
  for (std::size_t type = 0; type < load_.types.size(); ++type) {
    auto terms = allocation_.busy(load_, type, kinds);
    const double devices = load_.types[type].count;
    terms.push_back({makespan_, -devices});
    program_.add_row(Sense::at_most, -closed * devices, terms);
  }
}

double MakespanProgram::bound() const { return std::max(program_.lower_bound(), 0.0) * (1 - kRounding); }

double MakespanProgram::allocated(std::size_t kind, std::size_t type) const {
  const int column = allocation_.at(kind, type);
  return column < 0 ? 0 : program_.value(column) * static_cast<double>(load_.tasks_of_kind[kind]);
}

}  // namespace troupe::apps
