#include "opencl/programs/program_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include "opencl/objects/report.hpp"
#include "platform/opencl/opencl_error.hpp"

namespace troupe::opencl {

namespace {

/// Returns the first line of a compiler's log that contains an error.
std::string what_is_wrong(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

}  // namespace

cl_int work_on(ProgramBuild& build, const ProgramWork::Step& step) noexcept {
  cl_int status = CL_SUCCESS;
  try {
    status = step(build);
    if (build.program) {
      build.log = build.program->log();
      build.type = status == CL_SUCCESS ? build.program->binary_type() : CL_PROGRAM_BINARY_TYPE_NONE;
    }
  } catch (const Refusal& refusal) {
    status = refusal.status();
  } catch (const std::bad_alloc&) {
    status = CL_OUT_OF_HOST_MEMORY;
  } catch (...) {
    status = CL_OUT_OF_RESOURCES;
  }
  build.status = status == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  return status;
}

std::vector<RealDevice*> real_devices_behind(const std::vector<Device*>& devices) {
  std::vector<RealDevice*> real;
  for (const Device* device : devices) real.insert(real.end(), device->real().begin(), device->real().end());
  std::ranges::sort(real, {}, &Device::number);
  real.erase(std::unique(real.begin(), real.end()), real.end());
  return real;
}

ProgramWork::ProgramWork(Program& program, const std::vector<Device*>& devices, const std::string& options)
    : program_(program) {
  for (const Device* device : devices) {
    require(std::ranges::find(program.devices(), device) != program.devices().end(), CL_INVALID_DEVICE);
  }
  const auto wanted = real_devices_behind(devices);
  const LockGuard lock(program.mutex_);
  require(program.kernels_.load() == 0, CL_INVALID_OPERATION);
  for (const ProgramBuild& build : program.builds_) require(build.status != CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION);
  program.forget_splittable();
  for (ProgramBuild& build : program.builds_) {
    if (std::ranges::find(wanted, build.device) == wanted.end()) continue;
    build.status = CL_BUILD_IN_PROGRESS;
    build.type = CL_PROGRAM_BINARY_TYPE_NONE;
    build.options = options;
    build.log.clear();
    build.program.reset();
    build.facts = {};
    builds_.push_back(build);
  }
}

void ProgramWork::publish(const ProgramBuild& done) {
  const LockGuard lock(program_.mutex_);
  for (ProgramBuild& build : program_.builds_) {
    if (build.device == done.device) build = done;
  }
}

cl_int ProgramWork::run(const Step& step) {
  std::vector<cl_int> statuses(builds_.size(), CL_SUCCESS);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < builds_.size(); ++i) {
    try {
      threads.emplace_back([&, i] { statuses[i] = work_on(builds_[i], step); });
    } catch (const std::system_error&) {
      statuses[i] = work_on(builds_[i], step);  // No more threads can be started: build in this thread.
    }
  }
  if (!builds_.empty()) statuses[0] = work_on(builds_[0], step);
  for (std::thread& thread : threads) thread.join();
  for (const ProgramBuild& build : builds_) publish(build);
  const auto failed = std::ranges::find_if(statuses, [](cl_int status) { return status != CL_SUCCESS; });
  if (failed == statuses.end()) return CL_SUCCESS;
  // If the build fails for all devices, the program's source is at fault. The program can read the log, so nothing is
  // reported.
  const auto succeeded = std::ranges::find(statuses, CL_SUCCESS);
  if (succeeded != statuses.end() && builds_[static_cast<std::size_t>(failed - statuses.begin())].program != nullptr) {
    const ProgramBuild& here = builds_[static_cast<std::size_t>(succeeded - statuses.begin())];
    const ProgramBuild& not_here = builds_[static_cast<std::size_t>(failed - statuses.begin())];
    const std::string why = what_is_wrong(not_here.log);
    report_once(fmt::format("a program builds for {} and not for {}, on which its kernels cannot run: {}{}{}",
                            name_of(here.device->vendor()), name_of(not_here.device->vendor()),
                            platform::opencl_error(*failed), why.empty() ? "" : ": ", why));
  }
  return *failed;
}

}  // namespace troupe::opencl
