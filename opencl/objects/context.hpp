/// Contexts: the devices that a program works with. They may be devices of several vendors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "opencl/commands/command_order.hpp"
#include "opencl/commands/host_ranges.hpp"
#include "opencl/objects/context_properties.hpp"
#include "opencl/objects/device.hpp"
#include "opencl/objects/info.hpp"
#include "opencl/objects/object.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

class Execution;

/// The program's function for errors that cannot be reported in another way.
struct ErrorNotification {
  void(CL_CALLBACK* function)(const char*, const void*, std::size_t, void*) = nullptr;
  void* user_data = nullptr;
};

class Context : public Counted<Context, _cl_context, ObjectType::context, CL_INVALID_CONTEXT> {
 public:
  Context(ContextProperties properties, std::vector<Device*> devices, ErrorNotification notification);
  /// Calls the destructor callbacks, beginning with the callback that was registered last.
  ~Context();

  /// Returns the devices that the program named, each once.
  [[nodiscard]] const std::vector<Device*>& devices() const { return devices_; }
  /// Returns the real devices behind these devices, each once, in the platform's order.
  [[nodiscard]] const std::vector<RealDevice*>& real_devices() const { return real_devices_; }
  [[nodiscard]] bool has(const Device& device) const;
  [[nodiscard]] const ContextProperties& properties() const { return properties_; }
  /// Returns the size of the largest buffer that at least one of the devices accepts.
  [[nodiscard]] cl_ulong largest_buffer() const { return largest_buffer_; }
  /// Reports an error to the program's function, if there is one.
  void notify(const std::string& message) const;

  /// Returns the object that orders the commands of all queues of this context.
  [[nodiscard]] CommandOrder& order() { return order_; }
  [[nodiscard]] HostRanges& host_ranges() { return host_ranges_; }
  /// Returns the execution that runs the context's commands. The first call starts it, and refuses with
  /// CL_OUT_OF_RESOURCES if that fails. Implemented in execution/execution.cpp.
  [[nodiscard]] const std::shared_ptr<Execution>& execution() TROUPE_EXCLUDES(mutex_);

  using Callback = void(CL_CALLBACK*)(cl_context, void*);
  void on_destruction(Callback function, void* user_data) TROUPE_EXCLUDES(mutex_);

  void info(cl_context_info what, const Info& answer);

 private:
  struct Registered {
    Callback function;
    void* user_data;
  };

  const ContextProperties properties_;
  const std::vector<Device*> devices_;
  std::vector<RealDevice*> real_devices_;
  cl_ulong largest_buffer_ = 0;
  const ErrorNotification notification_;
  CommandOrder order_;
  HostRanges host_ranges_;
  Mutex mutex_;
  std::shared_ptr<Execution> execution_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Registered> callbacks_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
