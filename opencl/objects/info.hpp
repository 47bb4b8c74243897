/// Answers to clGet…Info: a value, text or list goes where the program says, if it fits.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "opencl/objects/refusal.hpp"

namespace troupe::opencl {

/// The last three arguments of a query. Every answer refuses with CL_INVALID_VALUE where the space is too small.
class Info {
 public:
  Info(std::size_t size, void* value, std::size_t* size_ret) : size_(size), value_(value), size_ret_(size_ret) {}

  /// A value of the type that the standard names for the parameter.
  template <class T>
  void value(const T& answer) const {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&answer, sizeof answer);
  }
  /// With its terminating zero.
  void text(std::string_view answer) const;
  template <class T>
  void list(std::span<T> answer) const {
    bytes(answer.data(), answer.size_bytes());
  }
  void bytes(const void* answer, std::size_t size) const;
  /// Where something else fills the space: the answer's size is said, and the place returned; null if none was given.
  [[nodiscard]] void* place(std::size_t size) const;
  /// Where a vendor answers: `query` is called with the three arguments, and its refusal is ours.
  template <class Query>
  void forward(Query&& query) const {
    accept(query(size_, value_, size_ret_));
  }

 private:
  std::size_t size_;
  void* value_;
  std::size_t* size_ret_;
};

}  // namespace troupe::opencl
