// Tests the reader of LLVM code without a compiler, on texts as compilers write them.
#include "opencl/analysis/code/code_module.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "opencl/analysis/program_facts.hpp"

namespace troupe::tests {

using opencl::CodeModule;
using opencl::CodeNotUnderstood;
using opencl::CodeTokens;
using opencl::CodeTypes;

/// Code as newer compilers write it, in which pointers do not have the type of their target.
inline const std::string kNewCode = R"(source_filename = "-"
target triple = "spir64-unknown-unknown"

%struct.S = type { i8, <3 x float>, [2 x %"struct.T t"] }
%"struct.T t" = type <{ i8, i64 }>

@k.t = internal unnamed_addr addrspace(3) global [4 x i32] undef, align 4

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @k(ptr addrspace(1) nocapture noundef writeonly align 16 %x, ptr addrspace(1) noundef readonly captures(none) align 4 %y, i32 noundef %n) local_unnamed_addr #0 !kernel_arg_addr_space !4 !kernel_arg_type !6 {
entry:
  %call = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #2
  %0 = trunc nuw i64 %call to i32
  %cmp = icmp samesign ult i32 %0, %n
  br i1 %cmp, label %"if then", label %if.end

"if then":                                        ; preds = %entry
  %idx = zext nneg i32 %0 to i64
  %place = getelementptr inbounds nuw %struct.S, ptr addrspace(1) %x, i64 %idx, i32 2, i64 1, i32 1
  %from = getelementptr inbounds i64, ptr addrspace(1) %y, i64 %idx
  %value = load i64, ptr addrspace(1) %from, align 8, !tbaa !7
  store i64 %value, ptr addrspace(1) %place, align 1, !tbaa !7
  switch i32 %n, label %if.end [
    i32 1, label %if.end
    i32 2, label %if.end
  ]

if.end:                                           ; preds = %"if then", %entry
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #1

attributes #0 = { convergent norecurse nounwind }
attributes #1 = { convergent mustprogress nofree nounwind willreturn memory(none) }
attributes #2 = { convergent nounwind willreturn memory(none) }

!4 = !{i32 1, i32 1, i32 0}
!6 = !{!"S*", !"long*", !"uint"}
)";

BOOST_AUTO_TEST_SUITE(code_module)

BOOST_AUTO_TEST_CASE(types_have_the_layout_of_the_target) {
  CodeTypes types;
  types.define("struct.A", "{ i8, <3 x i8>, double, %struct.A* }");
  struct Expected {
    const char* text;
    std::uint64_t stored;
    std::uint64_t stride;
  };
  for (const Expected& each :
       {Expected{"i8", 1, 1}, Expected{"<3 x float>", 12, 16}, Expected{"<4 x i16>", 8, 8},
        Expected{"{ i8, i32, i8 }", 12, 12}, Expected{"<{ i8, i32, i8 }>", 6, 6}, Expected{"[3 x { i64, i8 }]", 48, 48},
        Expected{"%struct.A", 24, 24}, Expected{"i8 addrspace(1)*", 8, 8}, Expected{"ptr addrspace(1)", 8, 8},
        Expected{"half", 2, 2}, Expected{"<16 x double>", 128, 128}}) {
    CodeTokens tokens(each.text);
    const auto type = types.read(tokens);
    BOOST_TEST(tokens.at_end(), each.text);
    BOOST_TEST(types.stored_size(type) == each.stored, each.text);
    BOOST_TEST(types.stride(type) == each.stride, each.text);
  }
  for (const char* text : {"x86_fp80", "[3 x i8", "%struct.B", "<2 x", "i0"}) {
    CodeTokens tokens(text);
    BOOST_CHECK_THROW(static_cast<void>(types.read(tokens)), CodeNotUnderstood);
  }
}

BOOST_AUTO_TEST_CASE(newer_compilers_are_understood) {
  const auto all = opencl::facts_of_code(kNewCode);
  BOOST_TEST_REQUIRE(all.contains("k"));
  const opencl::KernelFacts& facts = all.at("k");
  BOOST_TEST(!facts.arguments[1].writes);
  BOOST_TEST((facts.can_split == std::array<bool, 3>{true, false, false}), facts.refusal);
  opencl::LaunchValues values;
  values.arguments.resize(3);
  const std::uint32_t n = 6;
  values.arguments[2] = std::as_bytes(std::span(&n, 1));
  values.global = {8, 1, 1};
  // The structures have 64 bytes. The stored number is at byte 42 (32 + 9 + 1) of each.
  BOOST_TEST((stored_bytes(facts, 0, {{0, 0, 0}, {8, 1, 1}}, values) == opencl::ByteRange{42, 5 * 64 + 50}));
  BOOST_TEST((loaded_bytes(facts, 1, {{2, 0, 0}, {2, 1, 1}}, values) == opencl::ByteRange{16, 32}));
}

BOOST_AUTO_TEST_CASE(another_target_or_other_arguments_are_not_understood) {
  std::string other = kNewCode;
  other.replace(other.find("spir64"), 6, "spirv2");
  BOOST_CHECK_THROW(static_cast<void>(opencl::facts_of_code(other)), CodeNotUnderstood);
  std::string fewer = kNewCode;
  fewer.replace(fewer.find("!4 = !{i32 1, i32 1, i32 0}"), 27, "!4 = !{i32 1, i32 1}       ");
  BOOST_TEST(opencl::facts_of_code(fewer).empty());
}

BOOST_AUTO_TEST_CASE(no_text_is_a_danger) {
  std::mt19937 random(7);
  const std::string signs = "()[]{}<>%@#!\"*,=:x0 \n";
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = kNewCode.substr(0, i % 3 == 0 ? random() % kNewCode.size() : kNewCode.size());
    for (std::size_t j = random() % 4; j > 0 && !text.empty(); --j) {
      text[random() % text.size()] = signs[random() % signs.size()];
    }
    try {
      read += static_cast<int>(opencl::facts_of_code(text).size());
    } catch (const std::exception&) {  // A caller expects this exception.
    }
  }
  BOOST_TEST(read > 300);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
