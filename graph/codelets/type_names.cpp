#include "graph/codelets/type_names.hpp"

#include <complex>
#include <optional>

#include "troupe/layout.hpp"

namespace troupe {

namespace {

template <class T>
std::optional<std::string> named(std::uint64_t tag, const char* name) {
  return tag == type_tag<T>() ? std::optional<std::string>(name) : std::nullopt;
}

std::optional<std::string> known_name(std::uint64_t tag) {
#define TROUPE_NAMED(...) \
  if (auto name = named<__VA_ARGS__>(tag, #__VA_ARGS__)) return name
  TROUPE_NAMED(float);
  TROUPE_NAMED(double);
  TROUPE_NAMED(long double);
  TROUPE_NAMED(std::complex<float>);
  TROUPE_NAMED(std::complex<double>);
  TROUPE_NAMED(bool);
  TROUPE_NAMED(char);
  TROUPE_NAMED(signed char);
  TROUPE_NAMED(unsigned char);
  TROUPE_NAMED(short);
  TROUPE_NAMED(unsigned short);
  TROUPE_NAMED(int);
  TROUPE_NAMED(unsigned int);
  TROUPE_NAMED(long);
  TROUPE_NAMED(unsigned long);
  TROUPE_NAMED(long long);
  TROUPE_NAMED(unsigned long long);
  TROUPE_NAMED(std::byte);
#undef TROUPE_NAMED
  return std::nullopt;
}

}  // namespace

std::string type_name(std::uint64_t tag, std::size_t size) {
  if (auto name = known_name(tag)) return *std::move(name);
  return "a type of " + std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

std::string two_types(std::uint64_t there, std::size_t there_size, const std::string& between, std::uint64_t asked,
                      std::size_t asked_size) {
  const std::string first = type_name(there, there_size);
  const std::string second = type_name(asked, asked_size);
  return first + between + (first == second ? "another type of that size" : second);
}

std::string shape_text(const Layout& layout) {
  return std::to_string(layout.rows) + " x " + std::to_string(layout.cols) +
         (layout.planes == 1 ? "" : " x " + std::to_string(layout.planes));
}

}  // namespace troupe
