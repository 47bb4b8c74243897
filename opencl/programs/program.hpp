/// Programs: a source or binaries, built for every real device of the context.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opencl/analysis/program_facts.hpp"
#include "opencl/objects/context.hpp"
#include "opencl/programs/vendor_program.hpp"

namespace troupe::opencl {

/// What a program was made from.
enum class ProgramOrigin { source, binary, linked };

/// A program's state for one real device.
struct ProgramBuild {
  RealDevice* device = nullptr;
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  /// As the program gave them; to the vendor more are given.
  std::string options;
  std::string log;
  /// The vendor's binary that the program was made from; empty for other origins.
  std::vector<unsigned char> given;
  /// The vendor's program of the last build, compilation or link; null before.
  std::shared_ptr<VendorProgram> program;
  /// What the source says of its kernels; not valid where it was not analysed.
  FutureFacts facts;

  /// Kernels can be made.
  [[nodiscard]] bool executable() const {
    return status == CL_BUILD_SUCCESS && type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  }
};

class SplittableKernel;

class Program : public Counted<Program, _cl_program, ObjectType::program, CL_INVALID_PROGRAM> {
 public:
  /// For all devices of the context.
  Program(Context& context, std::string source);
  /// One container per device (objects/binary_container.hpp), which may lack binaries for some of the real devices:
  /// those are left out. Says of each in `statuses` (null, or as many) whether it can be used. Refuses with
  /// CL_INVALID_BINARY where one cannot.
  static Program* of_binaries(Context& context, const std::vector<Device*>& devices,
                              const std::vector<std::span<const unsigned char>>& binaries, cl_int* statuses);
  /// Links what was compiled, for the devices. Like a build, a link that failed leaves a program, which has the log;
  /// its code is put into `status`. Refuses what cannot be tried.
  static Program* link(Context& context, const std::vector<Device*>& devices, const std::string& options,
                       const std::vector<Program*>& parts, cl_int& status);

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] ProgramOrigin origin() const { return origin_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  /// The devices that it belongs to, as the program named them.
  [[nodiscard]] const std::vector<Device*>& devices() const { return devices_; }
  /// For the real device; empty if this program is not for it. A copy: other threads may build.
  [[nodiscard]] std::optional<ProgramBuild> build_of(const RealDevice& device) const TROUPE_EXCLUDES(mutex_);
  /// For all its real devices, in the platform's order.
  [[nodiscard]] std::vector<ProgramBuild> builds() const TROUPE_EXCLUDES(mutex_);

  /// Builds for the devices, all real ones behind them at once, and returns when all are done: CL_SUCCESS, or the first
  /// failure's code in the platform's order. Refuses with CL_INVALID_DEVICE, and with CL_INVALID_OPERATION while there
  /// are kernels or another build is in progress.
  [[nodiscard]] cl_int build(const std::vector<Device*>& devices, const std::string& options);
  /// Compiles without linking. `headers`: programs with source, by the names in the includes.
  [[nodiscard]] cl_int compile(const std::vector<Device*>& devices, const std::string& options,
                               const std::vector<std::pair<std::string, Program*>>& headers);

  /// Of the kernels in it; refuses with CL_INVALID_PROGRAM_EXECUTABLE where it is built for no device.
  [[nodiscard]] std::vector<std::string> kernel_names() const;
  /// Kernels that live: while there are some it cannot be built again.
  void count_kernel(int change) { kernels_.fetch_add(change, std::memory_order_relaxed); }

  /// What is kept about a kernel's launches in parts, by its name (splitting/splittable_kernel.hpp): what `make`
  /// returned at the first call since the program was built.
  template <class Make>
  [[nodiscard]] std::shared_ptr<SplittableKernel> splittable(const std::string& kernel, Make&& make)
      TROUPE_EXCLUDES(splittable_mutex_) {
    const LockGuard lock(splittable_mutex_);
    const auto [place, first] = splittable_.try_emplace(kernel);
    if (first) place->second = make();
    return place->second;
  }

  void info(cl_program_info what, const Info& answer);
  void build_info(Device& device, cl_program_build_info what, const Info& answer);

 private:
  friend class ProgramWork;

  void forget_splittable() TROUPE_EXCLUDES(splittable_mutex_) {
    const LockGuard lock(splittable_mutex_);
    splittable_.clear();
  }

  Program(Context& context, std::vector<Device*> devices, ProgramOrigin origin);
  /// The container of a device; empty where nothing was built.
  [[nodiscard]] std::vector<unsigned char> container(const Device& device) const;
  void answer_binaries(const Info& answer) const;
  [[nodiscard]] std::vector<ProgramBuild> builds_of(const Device& device) const;

  const Ref<Context> context_;
  const ProgramOrigin origin_;
  std::string source_;
  const std::vector<Device*> devices_;
  mutable Mutex mutex_;
  std::vector<ProgramBuild> builds_ TROUPE_GUARDED_BY(mutex_);
  std::atomic<int> kernels_{0};
  Mutex splittable_mutex_;
  std::map<std::string, std::shared_ptr<SplittableKernel>> splittable_ TROUPE_GUARDED_BY(splittable_mutex_);
};

}  // namespace troupe::opencl
