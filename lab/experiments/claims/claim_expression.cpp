#include "lab/experiments/claims/claim_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

#include "troupe/errors.hpp"

namespace troupe::apps {

namespace {

using MaybeValue = std::optional<ClaimValue>;
using Kind = ClaimName::Kind;

template <class... Args>
[[noreturn]] void refuse_claim(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorCode::bad_input, fmt::format(format, std::forward<Args>(args)...));
}

const Estimate& estimate_of(const ClaimValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) refuse_claim("'{}' is not a number", *text);
  return std::get<Estimate>(value);
}

bool same(const ClaimValue& a, const ClaimValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* text = std::get_if<std::string>(&a)) return *text == std::get<std::string>(b);
  return number_of(a) == number_of(b);
}

/// Returns true if the confidence intervals do not overlap, and the difference is worth mentioning: with many runs the
/// smallest differences are significant.
bool more(const Estimate& a, const Estimate& b) {
  return a.mean - a.margin > b.mean + b.margin && a.mean >= 1.02 * b.mean;
}

/// Returns the text of a value in a report; `format` is that of fmt, for numbers.
std::string shown(const ClaimValue& value, const std::string& format = ".12g") {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format(fmt::runtime("{:" + format + "}"), number_of(value));
}

/// The operators, those that bind least first. Longer ones come before those that they begin with.
const std::array<std::vector<std::string>, 5> kOperators{
    {{"or"}, {"and"}, {"<=", ">=", "!=", "<", ">", "="}, {"+", "-"}, {"*", "/"}}};
const std::set<std::string> kFunctionsOfOne{"min", "max", "mean", "all"};
const std::set<std::string> kFunctionsOfTwo{"min", "max", "at_min", "at_max", "similar", "more", "at_least"};
constexpr std::size_t kRelations = 2;
constexpr std::size_t kSums = 3;

/// Returns the result of an operator or a function; nothing if an operand is missing, or for a division by 0.
MaybeValue calculated(const std::string& sign, const MaybeValue& left, const MaybeValue& right) {
  if (!left || !right) return std::nullopt;
  if (sign == "=" || sign == "!=") return same(*left, *right) == (sign == "=");
  if (sign == "+" && std::holds_alternative<std::string>(*left)) return std::get<std::string>(*left) + shown(*right);
  const double a = number_of(*left);
  const double b = number_of(*right);
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return b == 0 ? std::nullopt : MaybeValue(a / b);
  if (sign == "and" || sign == "min") return std::min(a, b);
  if (sign == "or" || sign == "max") return std::max(a, b);
  const bool holds = sign == "<="        ? a <= b
                     : sign == ">="      ? a >= b
                     : sign == "<"       ? a < b
                     : sign == ">"       ? a > b
                     : sign == "similar" ? std::min(a, b) >= 0.9 * std::max(a, b)
                     : sign == "more"    ? more(estimate_of(*left), estimate_of(*right))
                                         : a >= 0.98 * b;
  return holds;
}

/// Evaluates a text while it reads it. If it is dry, it only finds out where expressions end: values are missing.
class ClaimReader {
 public:
  ClaimReader(const ClaimScope& scope, std::string_view text, bool dry = false, std::size_t at = 0)
      : scope_(scope), text_(text), dry_(dry), at_(at) {}

  /// Reads an expression of operators of a level and of those that bind more. Relations form chains: `1 <= a < 2`.
  MaybeValue expression(std::size_t level = 0) {
    if (level == kOperators.size()) return primary();
    MaybeValue left = expression(level + 1);
    MaybeValue chain = 1;
    std::string sign = accept_one(kOperators[level]);
    if (sign.empty()) return left;
    for (; !sign.empty(); sign = accept_one(kOperators[level])) {
      MaybeValue right = expression(level + 1);
      MaybeValue result = calculated(sign, left, right);
      if (level == kRelations) chain = calculated("and", chain, result);
      left = level == kRelations ? std::move(right) : std::move(result);
    }
    return level == kRelations ? chain : left;
  }

  /// Reads a text up to the character `end`, or up to the end of the whole text.
  std::optional<std::string> text(char end = '\0') {
    std::string all;
    bool missing = false;
    while (at_ < text_.size() && text_[at_] != end) {
      std::optional<std::string> piece(std::string(1, text_[at_++]));
      if (*piece == "{" || *piece == "[") piece = *piece == "{" ? hole() : enumeration();
      missing = missing || !piece;
      all += piece.value_or("");
    }
    // The space before the bar of `[text | loops]` does not belong to the text.
    if (end == '|' && all.ends_with(' ')) all.pop_back();
    return missing ? std::nullopt : std::optional(all);
  }

  /// Reads loops and calls `visit` for each combination of their values that meets the condition.
  template <class Visit>
  void loops(const Visit& visit) {
    std::vector<Loop> all;
    while (!at_end() && !peek("where") && !peek("]")) {
      Loop& loop = all.emplace_back(Loop{known(), {}, std::nullopt});
      if (accept("after")) loop.before = known();
      if (accept("=")) loop.values = list();
      if (!accept(";")) break;
    }
    const bool condition = accept("where");
    const std::size_t where = at_;
    if (condition) skip();
    if (dry_) return;
    descend(scope_, all, 0, [&](const ClaimScope& scope) {
      const MaybeValue counts = condition ? at(scope, where).expression() : 1;
      if (counts && number_of(*counts) != 0) visit(scope);
    });
  }

  /// Reads values with commas between them: names of lists, and single values.
  std::vector<ClaimValue> list() {
    std::vector<ClaimValue> all;
    do {
      skip_space();
      const auto name = scope_.names().find(std::string(peek_word()));
      if (name != scope_.names().end() && name->second.kind == Kind::list) {
        at_ += name->first.size();
        for (ClaimValue& value : ClaimReader(scope_, name->second.meaning).list()) all.push_back(std::move(value));
        continue;
      }
      if (MaybeValue value = expression(kSums)) all.push_back(*std::move(value));
    } while (accept(","));
    return all;
  }

  void finish() {
    if (!at_end()) refuse_claim("'{}' is not understood", text_.substr(at_));
  }

 private:
  struct Loop {
    std::string name;
    /// The variable that has the value before that of `name`. Then the first value has no turn.
    std::string before;
    /// The values; nothing if they are those of the points.
    std::optional<std::vector<ClaimValue>> values;
  };

  template <class Visit>
  static void descend(const ClaimScope& scope, const std::vector<Loop>& loops, std::size_t depth, const Visit& visit) {
    if (depth == loops.size()) return visit(scope);
    const Loop& loop = loops[depth];
    const std::vector<ClaimValue> values = loop.values ? *loop.values : scope.values_of(loop.name);
    for (std::size_t i = loop.before.empty() ? 0 : 1; i < values.size(); ++i) {
      ClaimScope inner = scope;
      inner.set(loop.name, values[i]);
      if (!loop.before.empty()) inner.set(loop.before, values[i - 1]);
      descend(inner, loops, depth + 1, visit);
    }
  }

  [[nodiscard]] ClaimReader at(const ClaimScope& scope, std::size_t position) const {
    return {scope, text_, dry_, position};
  }
  /// Reads an expression, or a text up to the character `end`, without its value. Returns where it began.
  std::size_t skip(char end = '\0') {
    ClaimReader dry(scope_, text_, true, at_);
    if (end == '\0')
      (void)dry.expression();
    else
      (void)dry.text(end);
    return std::exchange(at_, dry.at_);
  }

  /// Reads the rest of `{expression:format}`.
  std::optional<std::string> hole() {
    const MaybeValue value = expression();
    const std::size_t from = accept(":") ? at_ : at_ + 1;
    at_ = std::min(text_.find('}', at_), text_.size());
    const std::string format(from <= at_ ? text_.substr(from, at_ - from) : ".12g");
    try {
      (void)shown(1, format);
    } catch (const fmt::format_error&) {
      refuse_claim("'{}' is no format of a number", format);
    }
    expect("}");
    return value ? std::optional(shown(*value, format)) : std::nullopt;
  }

  /// Reads the rest of `[text | loops]`: the texts of all combinations, with commas between them.
  std::optional<std::string> enumeration() {
    const std::size_t piece = skip('|');
    expect("|");
    std::string all;
    loops([&](const ClaimScope& scope) {
      if (const auto found = at(scope, piece).text('|')) all += (all.empty() ? "" : ", ") + *found;
    });
    expect("]");
    return all.empty() ? std::nullopt : std::optional(all);
  }

  MaybeValue primary() {
    if (accept("(")) {
      const MaybeValue inner = expression();
      expect(")");
      return inner;
    }
    if (accept("\"")) {
      const std::size_t from = at_;
      at_ = std::min(text_.find('"', at_), text_.size());
      const std::string quoted(text_.substr(from, at_ - from));
      expect("\"");
      return quoted;
    }
    if (!at_end() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      double value = 0;
      const char* const end = text_.data() + text_.size();
      at_ = static_cast<std::size_t>(std::from_chars(&text_[at_], end, value).ptr - text_.data());
      return value;
    }
    const std::string name = word();
    return accept("(") ? call(name) : use(name);
  }

  /// Reads the places for which a name is meant, such as `[heft, gpus = 8]`.
  MaybeValue use(const std::string& name) {
    check_known(name);
    ClaimScope scope = scope_;
    bool missing = dry_;
    if (accept("[")) {
      do {
        const std::string place = known();
        const ClaimName& meant = scope_.names().at(place);
        if (meant.kind != Kind::value) expect("=");
        const MaybeValue value = meant.kind == Kind::value ? MaybeValue(meant.meaning) : expression(kSums);
        if (value) scope.set(meant.kind == Kind::value ? meant.place : place, *value);
        missing = missing || !value;
      } while (accept(","));
      expect("]");
    }
    return missing ? std::nullopt : scope.value_of(name);
  }

  /// Reads the rest of a call: a function of two values, or a reduction `min(a for loops)` or `at_min(a, label for
  /// loops)`. Without `for`, it goes over the combinations of the block that count.
  MaybeValue call(const std::string& name) {
    const bool labelled = name == "at_min" || name == "at_max";
    const std::size_t body = skip();
    const bool two = accept(",");
    const std::size_t second = two ? skip() : body;
    if (!(two ? kFunctionsOfTwo : kFunctionsOfOne).contains(name))
      refuse_claim("there is no function '{}' of {}", name, two ? "two values" : "one value");
    if (two && !labelled) {
      expect(")");
      return calculated(name, at(scope_, body).expression(), at(scope_, second).expression());
    }
    MaybeValue result;
    double best = 0;
    double total = 0;
    int count = 0;
    const auto visit = [&](const ClaimScope& scope) {
      const MaybeValue value = at(scope, body).expression();
      if (!value) return;
      const double number = number_of(*value);
      total += number;
      if (count++ > 0 && (name.ends_with("max") ? number <= best : number >= best)) return;
      best = number;
      result = at(scope, second).expression();
    };
    if (accept("for")) {
      loops(visit);
    } else if (!dry_) {
      if (scope_.counted == nullptr) refuse_claim("'{}' needs 'for' where it is not in 'finally'", name);
      std::ranges::for_each(*scope_.counted, visit);
    }
    expect(")");
    return name == "mean" && count > 0 ? MaybeValue(total / count) : result;
  }

  [[nodiscard]] std::string_view peek_word() const {
    const auto* const end = std::find_if(text_.begin() + at_, text_.end(),
                                         [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
    return text_.substr(at_, static_cast<std::size_t>(end - text_.begin()) - at_);
  }
  std::string word() {
    skip_space();
    const std::string found(peek_word());
    if (found.empty()) refuse_claim("a name is missing before '{}'", text_.substr(at_));
    at_ += found.size();
    return found;
  }
  void check_known(const std::string& name) const {
    if (!scope_.names().contains(name)) refuse_claim("there is no name '{}'", name);
  }
  std::string known() {
    std::string name = word();
    check_known(name);
    return name;
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  /// Returns true if a sign, or a whole word, comes next.
  bool peek(std::string_view what) {
    skip_space();
    const bool is_word = std::isalpha(static_cast<unsigned char>(what.front())) != 0;
    return is_word ? peek_word() == what : text_.substr(at_).starts_with(what);
  }
  bool accept(std::string_view what) {
    const bool next = peek(what);
    if (next) at_ += what.size();
    return next;
  }
  /// Accepts the first of these that comes next; returns an empty text if none does.
  std::string accept_one(const std::vector<std::string>& signs) {
    const auto found = std::ranges::find_if(signs, [this](const std::string& sign) { return accept(sign); });
    return found == signs.end() ? "" : *found;
  }
  void expect(std::string_view what) {
    if (!accept(what)) refuse_claim("'{}' is missing before '{}'", what, text_.substr(at_));
  }

  const ClaimScope& scope_;
  std::string_view text_;
  bool dry_;
  std::size_t at_;
};

}  // namespace

MaybeValue ClaimScope::value(std::string_view expression) const { return ClaimReader(*this, expression).expression(); }

std::optional<std::string> ClaimScope::text(std::string_view pattern) const {
  return ClaimReader(*this, pattern).text();
}

void ClaimScope::for_each(std::string_view loops, const std::function<void(const ClaimScope&)>& visit) const {
  ClaimReader(*this, loops).loops(visit);
}

void ClaimScope::set(const std::string& name, const ClaimValue& value) {
  (names_->at(name).kind == Kind::place ? places_ : variables_).insert_or_assign(name, value);
}

MaybeValue ClaimScope::value_of(const std::string& name) const {
  for (const ClaimPoint* all : {&places_, &variables_}) {
    if (const auto found = all->find(name); found != all->end()) return found->second;
  }
  const ClaimName& meant = names_->at(name);
  if (meant.kind == Kind::value) return meant.meaning;
  if (meant.kind == Kind::expression) return value(meant.meaning);
  if (meant.kind == Kind::text) return text(meant.meaning);
  const std::vector<ClaimValue> values = values_of(name);
  if (values.size() > 1) refuse_claim("'{}' has several values here; say for which place it is meant", name);
  return values.empty() ? std::nullopt : MaybeValue(values.front());
}

std::vector<ClaimValue> ClaimScope::values_of(const std::string& name) const {
  std::vector<ClaimValue> values;
  for (const ClaimPoint& point : *points_) {
    const auto has = [&](const auto& place) {
      const auto found = point.find(place.first);
      return place.first == name || (found != point.end() && same(found->second, place.second));
    };
    const auto found = point.find(name);
    if (found == point.end() || !std::ranges::all_of(places_, has)) continue;
    const auto equal = [&](const ClaimValue& value) { return same(value, found->second); };
    if (std::ranges::none_of(values, equal)) values.push_back(found->second);
  }
  return values;
}

void check_claim_text(Kind kind, std::string_view text, const ClaimNames& names) {
  const std::vector<ClaimPoint> no_points;
  const ClaimScope scope(names, no_points);
  ClaimReader reader(scope, text, true);
  if (kind == Kind::text) (void)reader.text();
  if (kind == Kind::list) (void)reader.list();
  if (kind == Kind::expression) (void)reader.expression();
  if (kind == Kind::place) reader.loops([](const ClaimScope&) {});
  reader.finish();
}

double number_of(const ClaimValue& value) { return estimate_of(value).mean; }

}  // namespace troupe::apps
