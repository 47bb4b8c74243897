/// Runs StarPU on some cores, without options that would cost time.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::bench {

/// Starts StarPU on CPU cores only, without tracing and calibration. The default scheduler is locality work stealing
/// (lws). StarPU writes its files to a temporary folder, which is removed at the end. Only one session may exist at a
/// time. Throws std::runtime_error if StarPU does not start.
class StarpuSession {
 public:
  /// `submission_limit` is the number of tasks in flight before submission blocks; 0, StarPU's default, means no limit.
  /// `scheduler` is the name of a StarPU scheduler; the text must outlive the session.
  explicit StarpuSession(int cores, std::int64_t submission_limit = 0, const char* scheduler = "lws");
  StarpuSession(const StarpuSession&) = delete;
  StarpuSession& operator=(const StarpuSession&) = delete;
  ~StarpuSession();

 private:
  std::string home_;
};

/// Values that are registered with StarPU. The destructor unregisters them. A session must outlive this object.
class StarpuVariables {
 public:
  StarpuVariables() = default;
  StarpuVariables(const StarpuVariables&) = delete;
  StarpuVariables& operator=(const StarpuVariables&) = delete;
  ~StarpuVariables();

  template <class T>
  void add(T& value) {
    starpu_data_handle_t handle = nullptr;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&value), sizeof value);
    handles_.push_back(handle);
  }
  [[nodiscard]] starpu_data_handle_t operator[](std::size_t index) const { return handles_[index]; }

 private:
  std::vector<starpu_data_handle_t> handles_;
};

/// Submits a task. Throws std::runtime_error if StarPU refuses it.
void submit(starpu_task* task);

/// Initializes a codelet for CPU cores. StarPU keeps pointers to codelets, so a codelet must not move in memory.
void initialize(starpu_codelet& codelet, const char* name, starpu_cpu_func_t function);

}  // namespace troupe::bench
