/// Answers to clGet…Info: writes a value, a text or a list to the program's memory, if it fits.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "opencl/objects/refusal.hpp"

namespace troupe::opencl {

/// The last three arguments of a query. All functions refuse with CL_INVALID_VALUE if the program's memory is too small
/// for the answer.
class Info {
 public:
  Info(std::size_t size, void* value, std::size_t* size_ret) : size_(size), value_(value), size_ret_(size_ret) {}

  /// Answers with a value; its type must be the type that the standard names for the parameter.
  template <class T>
  void value(const T& answer) const {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&answer, sizeof answer);
  }
  /// Answers with a text and its terminating zero.
  void text(std::string_view answer) const;
  template <class T>
  void list(std::span<T> answer) const {
    bytes(answer.data(), answer.size_bytes());
  }
  void bytes(const void* answer, std::size_t size) const;
  /// Reports the size of an answer that other code writes, and returns the place for this answer; null if the program
  /// gave no place.
  [[nodiscard]] void* place(std::size_t size) const;
  /// Lets a vendor answer: calls `query` with the three arguments, and refuses with the error that it returns.
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
