#include "apps/bounds/makespan_program.hpp"

#include <algorithm>

namespace troupe::apps {
namespace {

using Term = LinearProgram::Term;
using Sense = LinearProgram::Sense;

}  // namespace

MakespanProgram::MakespanProgram(const KindLoad& load)
    : load_(load), makespan_(program_.add_column(1, load.serial)), allocation_(program_, load) {
  add_stage(std::vector<bool>(load.length_of_kind.size(), true), 0);
}

void MakespanProgram::add_path(const std::vector<double>& length_of_kind) {
  std::vector<Term> duration{{makespan_, -1}};
  for (std::size_t kind = 0; kind < length_of_kind.size(); ++kind) {
    const double on_path = length_of_kind[kind];
    if (on_path <= 0) continue;
    std::vector<Term> all;
    for (std::size_t type = 0; type < load_.types.size(); ++type) {
      const int x = allocation_.at(kind, type);
      if (x < 0) continue;
      const int y = program_.add_column(0, 1);
      all.push_back({y, 1});
      duration.push_back({y, on_path * load_.types[type].times[kind]});
      const Term no_more_than_all[]{{y, on_path / load_.length_of_kind[kind]}, {x, -1}};
      program_.add_row(Sense::at_most, 0, no_more_than_all);
    }
    program_.add_row(Sense::equal, 1, all);
  }
  program_.add_row(Sense::at_most, 0, duration);
}

void MakespanProgram::add_stage(const std::vector<bool>& kinds, double closed) {
  for (auto& [count, terms] : allocation_.capacities(load_, kinds)) {
    terms.push_back({makespan_, -count});
    program_.add_row(Sense::at_most, -closed * count, terms);
  }
}

double MakespanProgram::bound() const { return std::max(program_.lower_bound(), 0.0) * (1 - load_.rounding); }

double MakespanProgram::allocated(std::size_t kind, std::size_t type) const {
  const int column = allocation_.at(kind, type);
  return column < 0 ? 0 : program_.value(column) * load_.length_of_kind[kind];
}

}  // namespace troupe::apps
