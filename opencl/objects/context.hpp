/// Contexts: the devices that a program works with, of several vendors at once if it wants to.
#pragma once

#include <string>
#include <vector>

#include "opencl/objects/context_properties.hpp"
#include "opencl/objects/device.hpp"
#include "opencl/objects/info.hpp"
#include "opencl/objects/object.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// The program's function for errors that have no other way out.
struct ErrorNotification {
  void(CL_CALLBACK* function)(const char*, const void*, std::size_t, void*) = nullptr;
  void* user_data = nullptr;
};

class Context : public Counted<Context, _cl_context, ObjectType::context, CL_INVALID_CONTEXT> {
 public:
  Context(ContextProperties properties, std::vector<Device*> devices, ErrorNotification notification);
  /// Calls the destructor callbacks, the last registered first.
  ~Context();

  /// As the program named them, each once.
  [[nodiscard]] const std::vector<Device*>& devices() const { return devices_; }
  /// What they stand for, each once, in the platform's order.
  [[nodiscard]] const std::vector<RealDevice*>& real_devices() const { return real_devices_; }
  [[nodiscard]] bool has(const Device& device) const;
  [[nodiscard]] const ContextProperties& properties() const { return properties_; }
  /// The largest buffer that one of its devices takes.
  [[nodiscard]] cl_ulong largest_buffer() const { return largest_buffer_; }
  /// Tells the program's function, if there is one, and nobody else.
  void notify(const std::string& message) const;

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
  Mutex mutex_;
  std::vector<Registered> callbacks_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
