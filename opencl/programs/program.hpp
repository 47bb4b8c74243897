/// Programs: a source or binaries that are built for every real device of the context.
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

/// The input from which a program was made.
enum class ProgramOrigin { source, binary, linked };

/// A program's state for one real device.
struct ProgramBuild {
  RealDevice* device = nullptr;
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  /// The options as the program gave them. The vendor gets more options than these.
  std::string options;
  std::string log;
  /// The vendor's binary from which the program was made; empty if it was not made from binaries.
  std::vector<unsigned char> given;
  /// The vendor's program of the last build, compilation or link; null before the first build.
  std::shared_ptr<VendorProgram> program;
  /// The facts about the program's kernels, found in the source; not valid if the source was not analysed.
  FutureFacts facts;

  /// Returns true if kernels can be made.
  [[nodiscard]] bool executable() const {
    return status == CL_BUILD_SUCCESS && type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  }
};

class SplittableKernel;

class Program : public Counted<Program, _cl_program, ObjectType::program, CL_INVALID_PROGRAM> {
 public:
  /// Makes a program for all devices of the context.
  Program(Context& context, std::string source);
  /// Makes a program from one container per device (programs/binary_container.hpp). If a container lacks a binary for a
  /// real device, that device is left out. Stores in `statuses` (null, or one per device) whether each container can be
  /// used. Refuses with CL_INVALID_BINARY if a container cannot be used.
  static Program* of_binaries(Context& context, const std::vector<Device*>& devices,
                              const std::vector<std::span<const unsigned char>>& binaries, cl_int* statuses);
  /// Links compiled programs for the devices. Even a link that fails returns a program, which has the log; `status`
  /// receives the code of the link. Refuses if the link cannot even be tried.
  static Program* link(Context& context, const std::vector<Device*>& devices, const std::string& options,
                       const std::vector<Program*>& parts, cl_int& status);

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] ProgramOrigin origin() const { return origin_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  /// Returns the devices of the program, as the call that made the program named them.
  [[nodiscard]] const std::vector<Device*>& devices() const { return devices_; }
  /// Returns the build for the real device; nothing if the program has no build for it. The result is a copy, because
  /// other threads may build at the same time.
  [[nodiscard]] std::optional<ProgramBuild> build_of(const RealDevice& device) const TROUPE_EXCLUDES(mutex_);
  /// Returns the builds for all real devices of the program, in the platform's order.
  [[nodiscard]] std::vector<ProgramBuild> builds() const TROUPE_EXCLUDES(mutex_);

  /// Builds for all real devices behind `devices` at the same time, and returns when all builds are done. Returns
  /// CL_SUCCESS, or the code of the first failure in the platform's order. Refuses with CL_INVALID_DEVICE, and with
  /// CL_INVALID_OPERATION while the program has kernels or another build is in progress.
  [[nodiscard]] cl_int build(const std::vector<Device*>& devices, const std::string& options);
  /// Compiles without linking. `headers` are pairs of the name by which the source includes a header, and the program
  /// that contains this header.
  [[nodiscard]] cl_int compile(const std::vector<Device*>& devices, const std::string& options,
                               const std::vector<std::pair<std::string, Program*>>& headers);

  /// Returns the names of the program's kernels. Refuses with CL_INVALID_PROGRAM_EXECUTABLE if the program is not built
  /// for any device.
  [[nodiscard]] std::vector<std::string> kernel_names() const;
  /// Changes the number of existing kernels by `change`: while there are kernels, the program cannot be built again.
  void count_kernel(int change) { kernels_.fetch_add(change, std::memory_order_relaxed); }

  /// Returns the object for splitting a kernel's launches, by the kernel's name (splitting/splittable_kernel.hpp). The
  /// first call after a build makes the object with `make`.
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
  /// Returns the container of a device; empty if nothing was built.
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
