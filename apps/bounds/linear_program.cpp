#include "apps/bounds/linear_program.hpp"

#include <glpk.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace troupe::apps {

namespace {

/// The limit on steps of the simplex method, for each row and column. The method needs far fewer.
constexpr int kMostSteps = 20;

/// A sum of products, and a lower bound of the exact sum that takes rounding into account.
class Sum {
 public:
  void add(double product) {
    value_ += product;
    magnitude_ += std::abs(product);
    ++terms_;
  }
  [[nodiscard]] double at_least() const {
    return value_ - (terms_ + 1) * std::numeric_limits<double>::epsilon() * magnitude_;
  }

 private:
  double value_ = 0;
  double magnitude_ = 0;
  double terms_ = 0;
};

}  // namespace

LinearProgram::LinearProgram() : problem_(glp_create_prob()) { glp_set_obj_dir(problem_, GLP_MIN); }

LinearProgram::~LinearProgram() { glp_delete_prob(problem_); }

int LinearProgram::add_column(double cost, double upper) {
  assert(upper >= 0 && std::isfinite(upper) && std::isfinite(cost));
  const int column = glp_add_cols(problem_, 1);
  glp_set_col_bnds(problem_, column, upper > 0 ? GLP_DB : GLP_FX, 0, upper);
  glp_set_obj_coef(problem_, column, cost);
  columns_.push_back({cost, upper});
  return column - 1;
}

void LinearProgram::add_row(Sense sense, double bound, std::span<const Term> terms) {
  const int row = glp_add_rows(problem_, 1);
  const int type = sense == Sense::at_most ? GLP_UP : sense == Sense::at_least ? GLP_LO : GLP_FX;
  glp_set_row_bnds(problem_, row, type, bound, bound);
  // GLPK counts from 1, also in arrays, so the first element of each array is not used.
  std::vector<int> columns(1);
  std::vector<double> factors(1);
  for (const Term& term : terms) {
    columns.push_back(term.column + 1);
    factors.push_back(term.factor);
  }
  glp_set_mat_row(problem_, row, static_cast<int>(terms.size()), columns.data(), factors.data());
  rows_.push_back({sense, bound, {terms.begin(), terms.end()}});
}

bool LinearProgram::solve() {
  glp_smcp options;
  glp_init_smcp(&options);
  options.msg_lev = GLP_MSG_OFF;
  // New rows make the last solution infeasible, but its multipliers stay usable, so the dual simplex method is tried
  // first. GLPK's dual simplex may cycle for ever. It therefore gets a limit of steps that problems of this size never
  // reach; then the primal simplex is tried.
  for (const int method : {GLP_DUALP, GLP_PRIMAL}) {
    options.meth = method;
    options.it_lim = kMostSteps * static_cast<int>(rows_.size() + columns_.size() + 10);
    if (glp_simplex(problem_, &options) == 0 && glp_get_status(problem_) == GLP_OPT) return true;
  }
  return false;
}

double LinearProgram::value(int column) const { return glp_get_col_prim(problem_, column + 1); }

double LinearProgram::lower_bound() const {
  Sum bound;
  std::vector<Sum> reduced(columns_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) reduced[j].add(columns_[j].cost);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    double multiplier = glp_get_row_dual(problem_, static_cast<int>(i + 1));
    if (!std::isfinite(multiplier)) multiplier = 0;
    if (row.sense == Sense::at_most) multiplier = std::min(multiplier, 0.0);
    if (row.sense == Sense::at_least) multiplier = std::max(multiplier, 0.0);
    bound.add(multiplier * row.bound);
    for (const Term& term : row.terms) reduced[static_cast<std::size_t>(term.column)].add(-multiplier * term.factor);
  }
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    bound.add(std::min(reduced[j].at_least(), 0.0) * columns_[j].upper);
  }
  return bound.at_least();
}

}  // namespace troupe::apps
