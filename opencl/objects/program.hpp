/// Programs: a source or binaries, built for every real device of the context.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opencl/objects/context.hpp"
#include "opencl/objects/vendor_program.hpp"

namespace troupe::opencl {

/// What a program was made from.
enum class ProgramOrigin { source, binary, linked };

/// A program's state for one real device.
struct ProgramBuild {
  RealDevice* device = nullptr;
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options;
  std::string log;
  /// The vendor's binary as it was given, or of the last build; empty if there is none.
  std::vector<unsigned char> binary;
  /// The vendor's program of the last build; null before.
  std::shared_ptr<VendorProgram> program;
};

class Program : public Counted<Program, _cl_program, ObjectType::program, CL_INVALID_PROGRAM> {
 public:
  Program(Context& context, std::string source);

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] ProgramOrigin origin() const { return origin_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  /// The devices that it belongs to, as the program named them.
  [[nodiscard]] const std::vector<Device*>& devices() const { return devices_; }
  /// For the real device; empty if this program is not for it. A copy: other threads may build.
  [[nodiscard]] std::optional<ProgramBuild> build_of(const RealDevice& device) const TROUPE_EXCLUDES(mutex_);

  /// Kernels that live: while there are some it cannot be built again.
  void count_kernel(int change) { kernels_.fetch_add(change, std::memory_order_relaxed); }

  void info(cl_program_info what, const Info& answer);
  void build_info(Device& device, cl_program_build_info what, const Info& answer);

 private:
  const Ref<Context> context_;
  ProgramOrigin origin_ = ProgramOrigin::source;
  std::string source_;
  std::vector<Device*> devices_;
  mutable Mutex mutex_;
  std::vector<ProgramBuild> builds_ TROUPE_GUARDED_BY(mutex_);
  std::atomic<int> kernels_{0};
};

}  // namespace troupe::opencl
