/// Contexts: the devices that a program works with, of several vendors at once if it wants to.
#pragma once

#include <string>
#include <vector>

#include "opencl/objects/device.hpp"
#include "opencl/objects/info.hpp"
#include "opencl/objects/object.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Properties of contexts beside the standard's, with SOCL's numbers. Values are addresses of texts, which are copied.
/// The name of a policy, as `troupe info` lists them, or SOCL's name for one.
inline constexpr cl_context_properties kContextPolicy = 0xFF01;
/// A name for people.
inline constexpr cl_context_properties kContextName = 0xFF02;

/// The program's function for errors that have no other way out.
struct ErrorNotification {
  void(CL_CALLBACK* function)(const char*, const void*, std::size_t, void*) = nullptr;
  void* user_data = nullptr;
};

/// What a list of properties says.
struct ContextProperties {
  /// As given, with the terminating zero; empty if none was.
  std::vector<cl_context_properties> list;
  /// Empty: the default.
  std::string policy;
  std::string name;
  bool interop_user_sync = false;

  /// Refuses with CL_INVALID_PROPERTY and CL_INVALID_PLATFORM.
  [[nodiscard]] static ContextProperties parse(const cl_context_properties* list);
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
  [[nodiscard]] cl_ulong largest_buffer() const;
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
  const ErrorNotification notification_;
  Mutex mutex_;
  std::vector<Registered> callbacks_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
