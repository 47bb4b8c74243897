#include "opencl/splitting/slice_kernels.hpp"

#include <utility>

#include "opencl/analysis/analysis_compiler.hpp"
#include "opencl/analysis/compiler_options.hpp"
#include "opencl/objects/platform.hpp"

namespace troupe::opencl {

namespace {

/// `kRepeated` is the number of launches of a range after which kernels are built for this range alone; `kMostRanges`
/// is the largest number of ranges that have such kernels.
constexpr std::size_t kRepeated = 3;
constexpr std::size_t kMostRanges = 8;

/// Returns true if the compiler of the analysis accepts the text. Vendors' compilers would write on standard error if
/// they refused a text. Troupe's changes to the source could cause such a refusal: a parameter may be a constant
/// pointer, or another kernel may call this kernel.
bool can_be_built(const std::string& text, const std::string& options, const std::string& compiler_name) {
  const auto compiler = analysis_compiler(compiler_name);
  auto with = compiler_options(options);
  if (!compiler || !with) return false;
  with->arguments.emplace_back("-fsyntax-only");
  return compile_for_analysis(*compiler, std::string(kProgramPreface) + text, with->arguments, false).has_value();
}

}  // namespace

SliceKernels::SliceKernels(const Program& program, std::string kernel, std::vector<WrittenParameter> written,
                           bool at_once)
    : kernel_(std::move(kernel)),
      written_(std::move(written)),
      at_once_(at_once),
      source_(source_for_slices(program.source(), kernel_, written_).value_or("")),
      devices_(Platform::get().real_devices().size()) {
  for (const ProgramBuild& build : program.builds()) {
    if (!build.executable()) continue;
    sources_.push_back({&build.device->context(), static_cast<std::size_t>(build.device->number()), build.options});
  }
}

std::shared_ptr<const SliceKernels::OnDevices> SliceKernels::of(const NdRange& whole, bool asks_for_whole) {
  if (source_.empty()) return nullptr;
  const Key key = asks_for_whole ? Key(whole.global, whole.offset) : Key();
  const LockGuard lock(mutex_);
  if (ranges_.size() == kMostRanges && !ranges_.contains(key)) return nullptr;
  Range& range = ranges_[key];
  ++range.launches;
  if (range.built == nullptr) {
    if (asks_for_whole && !at_once_ && range.launches < kRepeated) return nullptr;
    range.built = begin_to_build(asks_for_whole ? answers_of_whole(whole) + source_ : source_);
  }
  const LockGuard built_lock(range.built->mutex);
  return range.built->kernels;
}

std::shared_ptr<SliceKernels::Built> SliceKernels::begin_to_build(std::string source) const {
  auto begun = std::make_shared<Built>();
  // The program may be destroyed before the build ends, so the build uses none of the program's objects.
  auto build = [begun, sources = sources_, kernel = kernel_, devices = devices_, text = std::move(source),
                compiler = compiler_in_environment()] {
    auto kernels = std::make_shared<OnDevices>(devices);
    for (const Source& one : sources) {
      if (!can_be_built(text, one.options, compiler)) continue;
      const std::shared_ptr<VendorProgram> program = VendorProgram::of_source(*one.context, text);
      if (program->build(one.options) != CL_SUCCESS) continue;
      (*kernels)[one.device] = std::make_shared<VendorKernel>(program, kernel);
    }
    const LockGuard lock(begun->mutex);
    begun->kernels = std::move(kernels);
  };
  if (at_once_) {
    build();
  } else {
    slice_builder().run(std::move(build));
  }
  return begun;
}

platform::BackgroundThread& slice_builder() {
  static auto* const thread = new platform::BackgroundThread("opencl parts");
  return *thread;
}

}  // namespace troupe::opencl
