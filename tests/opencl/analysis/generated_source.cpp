#include "tests/opencl/analysis/generated_source.hpp"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace troupe::tests {
namespace {

/// Functions that the kernels call. The compiler inlines only some of them.
constexpr const char* kShared = R"(
typedef struct { uchar tag; float2 pair; int last; } Record;
typedef struct { int x; short y; long z; } Values;
typedef struct { global float* first; global int* second; } Pointers;
void put_float(global float* p, int i, float v) { p[i] = v; }
float get_float(global float* p, int i) { return p[i] + p[i + 1]; }
__attribute__((noinline)) void far_put(global int* p, int i, int v) { p[i * 2] = v; }
__attribute__((noinline)) int far_get(global int* p, int i) { return p[i] ^ p[0]; }
void move_int(global int* to, global int* from, int i) { if (from[i] & 1) to[i] = from[i] * 3; }
global float* pick(global float* p, global float* q, int c) { return c & 1 ? p : q; }
int total(global int* p, int count) { int s = 0; for (int i = 0; i < count; ++i) s += p[i]; return s; }
void fill(global uchar* p, int count, uchar v) { for (int i = 0; i < count; ++i) p[i] = v; }
void through(Pointers* both, int i) { both->first[i] = both->second[i]; }
)";

class KernelWriter {
 public:
  explicit KernelWriter(std::mt19937& random) : random_(random) {}

  std::string kernel(const std::string& name) {
    text_.clear();
    aliases_.clear();
    loops_ = depth_ = 0;
    for (std::string& type : types_) type = kTypes[below(kTypes.size())];
    for (std::size_t i = 0; i < types_.size(); ++i) aliases_.push_back({types_[i], fmt::format("a{}", i)});
    line("uint gx = get_global_id(0), gy = get_global_id(1);");
    line("local int shared_words[8];");
    line("for (int i = 0; i < 8; ++i) shared_words[i] = i;");
    line("int own[4] = {1, 2, 3, n};");
    for (unsigned i = 2 + below(4); i > 0; --i) statement();
    return fmt::format(
        "kernel void {}(global {}* a0, global {}* a1, global {}* a2, global {}* a3, int n, uint m, Values s) "
        "{{\n{}}}\n",
        name, types_[0], types_[1], types_[2], types_[3], text_);
  }

 private:
  struct Alias {
    std::string type;
    std::string name;
  };
  inline static const std::vector<std::string> kTypes{"float",  "int",  "uchar",  "short", "float4", "int2",
                                                      "float3", "long", "Record", "float", "int"};

  unsigned below(std::size_t count) { return static_cast<unsigned>(random_() % count); }
  bool one_in(unsigned count) { return below(count) == 0; }
  void line(const std::string& words) { text_ += std::string(2 * (depth_ + 1), ' ') + words + "\n"; }
  const Alias& any() { return aliases_[below(aliases_.size())]; }

  /// Returns an expression for an integer of at most 40.
  std::string scalar() {
    switch (below(6)) {
      case 0: return "n";
      case 1: return "m";
      case 2: return "s.x";
      case 3: return "(int)s.z";
      case 4: return "get_local_size(0)";
      default: return fmt::format("{}", 1 + below(8));
    }
  }

  /// Returns an expression for an index in [0, 500). It is often a linear function of the ids.
  std::string index() {
    const unsigned more = below(4) * below(20);
    switch (below(14)) {
      case 0: return "gx";
      case 1: return "gy * get_global_size(0) + gx";
      case 2: return fmt::format("(int)(gy * 8 + gx) + {}", more);
      case 3: return fmt::format("gx * {} + gy * {} + {}", 1 + below(4), below(60), more);
      case 4: return fmt::format("(gx << 2 | {}) + {}", 1 + below(3), more);
      case 5: return fmt::format("(int)gx * {} + gy", scalar());
      case 6: return "(get_group_id(0) * get_local_size(0) + get_local_id(0)) * 4 + gy";
      case 7: return "get_global_size(0) - 1 - gx + 8 * gy";
      case 8: return fmt::format("(uchar)(gx * 3 + {}) + (short)gy * 40", more);
      case 9: return fmt::format("(gx ^ {}) & 63", scalar());
      case 10: return fmt::format("(gx + gy * 8) % {}u", 3 + below(9));
      case 11: return fmt::format("(gy * 8 + gx) / 2 + {}", scalar());
      case 12: return loops_ > 0 ? fmt::format("j{} * {} + gx * 8", below(loops_), 1 + below(3)) : "gx + 8 * gy";
      default: return fmt::format("({} & 63)", number());
    }
  }

  std::string condition() {
    switch (below(7)) {
      case 0: return "gx < (uint)n";
      case 1: return "(int)gx >= s.x && gx < m";
      case 2: return "gx + gy < 9";
      case 3: return "gy == 1";
      case 4: return "n > 2";
      case 5: return fmt::format("!(gx > {} || gy > {})", below(9), below(5));
      default: return fmt::format("({} & 1)", number());
    }
  }

  /// Returns an expression for an integer that a kernel stores.
  std::string number() {
    const Alias& from = any();
    const std::string place = fmt::format("{}[{}]", from.name, nested_index());
    switch (below(5)) {
      case 0: return "(int)(gx * 77 + gy * 1234567 + n)";
      case 1: return fmt::format("own[gx & 3] * {}", scalar());
      default: break;
    }
    if (from.type == "Record") return place + ".last * 5 + (int)gx";
    if (from.type == "float4" || from.type == "float3" || from.type == "int2")
      return fmt::format("(int)({}.y) + 7", place);
    if (from.type == "int" && one_in(4)) return fmt::format("far_get({}, (int)({}))", from.name, "gx + gy * 8");
    if (from.type == "int" && one_in(4)) return fmt::format("total({}, {})", from.name, 1 + below(5));
    if (from.type == "float" && one_in(4)) return fmt::format("(int)get_float({}, gx)", from.name);
    if (from.type == "float" && one_in(3)) return fmt::format("(int)vload4(gx, {}).z", from.name);
    return fmt::format("(int){} * 3 + 1", place);
  }
  /// Returns an expression for an index that uses no number from memory, because such a number would need an index
  /// again.
  std::string nested_index() { return one_in(3) ? "gx" : fmt::format("gx * {} + gy * {}", 1 + below(3), below(30)); }

  std::string value_for(const std::string& type) {
    if (type == "float4" || type == "float3") return fmt::format("({})((float)({}))", type, number());
    if (type == "int2") return fmt::format("(int2)({}, n)", number());
    return fmt::format("({})({})", type, number());
  }

  void store(const Alias& to) {
    if (to.type == "Record") {
      const std::string at = index();
      const unsigned members = 1 + below(7);
      if ((members & 1U) != 0) line(fmt::format("{}[{}].tag = (uchar)({});", to.name, at, number()));
      if ((members & 2U) != 0) line(fmt::format("{}[{}].pair.y = (float)({});", to.name, at, number()));
      if ((members & 4U) != 0) line(fmt::format("{}[{}].last = {};", to.name, at, number()));
      return;
    }
    if (to.type == "float" && one_in(3)) {
      const unsigned width = 2 + below(3);
      return line(fmt::format("vstore{0}((float{0})((float)({1})), {2}, {3});", width, number(), index(), to.name));
    }
    if (to.type == "float" && one_in(4)) return line(fmt::format("put_float({}, {}, n);", to.name, index()));
    if (to.type == "int" && one_in(4)) return line(fmt::format("far_put({}, gx + 8 * gy, {});", to.name, number()));
    if (to.type == "uchar" && one_in(4)) return line(fmt::format("fill({}, {}, 5);", to.name, scalar()));
    if (to.type == "int2" && one_in(2)) return line(fmt::format("{}[{}].y = {};", to.name, index(), number()));
    if (one_in(6)) {
      // The new value depends on the old one, so that all bytes of the element change.
      const std::string at = index();
      return line(fmt::format("{0}[{1}] = {0}[{1}] * ({2})3 + {3};", to.name, at, to.type, value_for(to.type)));
    }
    line(fmt::format("{}[{}] = {};", to.name, index(), value_for(to.type)));
  }

  /// Returns another pointer with the type of `one`; `one` itself if there is no other.
  const Alias& alike(const Alias& one) {
    for (int tries = 0; tries < 8; ++tries) {
      const Alias& other = any();
      if (other.type == one.type && other.name != one.name) return other;
    }
    return one;
  }

  void alias() {
    if (depth_ > 0 || aliases_.size() > 7) return;
    const Alias from = any();
    const std::string other = alike(from).name;
    Alias made{from.type, fmt::format("p{}", aliases_.size())};
    switch (below(6)) {
      case 0: line(fmt::format("global {}* {} = {} + {};", made.type, made.name, from.name, scalar())); break;
      case 1:
        line(fmt::format("global {}* {} = {} ? {} : {};", made.type, made.name, condition(), from.name, other));
        break;
      case 2:
        line(fmt::format("global {0}* {1} = (global {0}*)((size_t){2} + 16 * (gx & 3));", made.type, made.name,
                         from.name));
        break;
      case 3:
        line(fmt::format("global {0}* list{1}[2] = {{{2}, {3}}}; global {0}* {1} = list{1}[{4} & 1];", made.type,
                         made.name, from.name, other, one_in(2) ? "n" : "gx"));
        break;
      case 4:
        if (from.type == "float") {
          line(fmt::format("global float* {} = pick({}, {}, {});", made.name, from.name, other, number()));
          break;
        }
        [[fallthrough]];
      default:
        made.type = one_in(2) ? "int" : "uchar";
        line(fmt::format("global {0}* {1} = (global {0}*){2};", made.type, made.name, from.name));
    }
    aliases_.push_back(made);
  }

  void walk(const Alias& along) {
    if (along.type == "Record" || along.type == "float3" || along.type == "float4" || along.type == "int2")
      return store(along);
    line(fmt::format("{{ global {}* walk = {} + gx * 4; for (int j = 0; j < {}; ++j) *walk++ = ({})(j + gy); }}",
                     along.type, along.name, scalar(), along.type));
  }

  void block(const std::string& head, bool is_loop) {
    line(head + " {");
    ++depth_;
    if (is_loop) ++loops_;
    for (unsigned i = 1 + below(2); i > 0; --i) statement();
    if (is_loop) --loops_;
    --depth_;
    line("}");
  }

  void helper() {
    const Alias& first = any();
    const Alias& second = any();
    if (first.type == "int" && second.type == "int") {
      return line(fmt::format("move_int({}, {}, {});", first.name, second.name, index()));
    }
    if (first.type == "float" && second.type == "int") {
      return line(
          fmt::format("{{ Pointers both = {{{}, {}}}; through(&both, {}); }}", first.name, second.name, index()));
    }
    store(first);
  }

  void statement() {
    const unsigned kind = below(12);
    if (kind < 2) return alias();
    if (kind == 2 && depth_ < 2) return block(fmt::format("if ({})", condition()), false);
    if (kind == 3 && depth_ < 2) {
      return block(fmt::format("for (int j{0} = 0; j{0} < {1}; ++j{0})", loops_, scalar()), true);
    }
    if (kind == 4) return walk(any());
    if (kind == 5) return line(fmt::format("shared_words[get_local_id(0) & 7] = {};", number()));
    if (kind == 6) return line(fmt::format("own[{} & 3] += shared_words[gx & 7];", scalar()));
    if (kind == 7) return helper();
    store(any());
  }

  std::mt19937& random_;
  std::array<std::string, kGeneratedPointers> types_;
  std::vector<Alias> aliases_;
  std::string text_;
  unsigned loops_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::string generated_source(std::uint32_t seed, int kernels) {
  std::mt19937 random(seed);
  KernelWriter writer(random);
  std::string source = kShared;
  for (int i = 0; i < kernels; ++i) source += writer.kernel(fmt::format("k{}", i));
  return source;
}

}  // namespace troupe::tests
