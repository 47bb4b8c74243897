#include "c/element_types.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "c/guard.hpp"
#include "proto/mutex.hpp"
#include "troupe/arguments.hpp"

namespace troupe::c {

namespace {

/// The types that this program has defined; they are never removed.
struct OwnTypes {
  Mutex mutex;
  std::vector<ElementType> types TROUPE_GUARDED_BY(mutex);
  std::map<std::string, troupe_type> by_name TROUPE_GUARDED_BY(mutex);

  static OwnTypes& get() {
    static auto* const all = new OwnTypes;
    return *all;
  }
};

/// Returns the tag of a type. Equal names and sizes give equal tags in every program, so that a service sees equal
/// types as equal.
std::uint64_t tag_of(const std::string& name, std::size_t size) {
  std::uint64_t hash = type_tag<OwnTypes>();
  for (const char letter : name + ":" + std::to_string(size)) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  return hash;
}

}  // namespace

ElementType element_type(troupe_type type) {
  if (type < kFirstOwnType) {
    return with_type(type, []<class T>() { return ElementType{type_tag<T>(), sizeof(T), alignof(T)}; });
  }
  OwnTypes& own = OwnTypes::get();
  const LockGuard lock(own.mutex);
  const auto index = static_cast<std::size_t>(type - kFirstOwnType);
  if (index < own.types.size()) return own.types[index];
  throw Error(ErrorCode::invalid_argument, "there is no troupe_type " + std::to_string(type));
}

troupe_type type_with_tag(std::uint64_t tag) {
  for (troupe_type type = TROUPE_FLOAT; type <= TROUPE_BOOL; ++type) {
    if (element_type(type).tag == tag) return type;
  }
  OwnTypes& own = OwnTypes::get();
  const LockGuard lock(own.mutex);
  const auto found = std::ranges::find(own.types, tag, &ElementType::tag);
  if (found != own.types.end()) return kFirstOwnType + static_cast<troupe_type>(found - own.types.begin());
  throw Error(ErrorCode::invalid_argument, "the elements have a type that has no number in C");
}

ArgumentType argument_type(troupe_type type) {
  const ElementType element = element_type(type);
  if (element.size > Arguments::kMaxBytes || element.alignment > 8) {
    throw Error(ErrorCode::invalid_argument,
                "a type of " + std::to_string(element.size) + " bytes, aligned to " +
                    std::to_string(element.alignment) +
                    ", cannot be an argument by value: these have at most 40 bytes, aligned to at most 8; pass larger "
                    "things through a handle");
  }
  return {element.tag, static_cast<std::uint8_t>(element.size), static_cast<std::uint8_t>(element.alignment)};
}

troupe_type define_type(const char* name, std::size_t size, std::size_t alignment) {
  constexpr std::size_t kLargest = std::size_t{1} << 30U;
  require(name, "name");
  const std::string text(name);
  if (text.empty() || size == 0 || size > kLargest || !std::has_single_bit(alignment) || alignment > 64 ||
      size % alignment != 0) {
    throw Error(ErrorCode::invalid_argument,
                "a type '" + text + "' of " + std::to_string(size) + " bytes, aligned to " + std::to_string(alignment) +
                    ": it needs a name, 1 byte to 1 GiB, and an alignment that is a power of two up to 64 and divides "
                    "the size");
  }
  const ElementType wanted{tag_of(text, size), size, alignment};
  OwnTypes& own = OwnTypes::get();
  const LockGuard lock(own.mutex);
  const auto next = static_cast<troupe_type>(kFirstOwnType + static_cast<troupe_type>(own.types.size()));
  const auto [place, is_new] = own.by_name.try_emplace(text, next);
  if (is_new) {
    own.types.push_back(wanted);
    return next;
  }
  const ElementType& there = own.types[static_cast<std::size_t>(place->second - kFirstOwnType)];
  if (there.size == size && there.alignment == alignment) return place->second;
  throw Error(ErrorCode::invalid_argument, "the type '" + text + "' has " + std::to_string(there.size) +
                                               " bytes, aligned to " + std::to_string(there.alignment) +
                                               ": give one that is different another name");
}

}  // namespace troupe::c

extern "C" troupe_error troupe_type_define(const char* name, size_t size, size_t alignment, troupe_type* type) {
  using namespace troupe::c;  // NOLINT: the functions of the interface lie outside of all namespaces
  return guarded([&] {
    require(type, "type");
    *type = define_type(name, size, alignment);
  });
}

extern "C" troupe_error troupe_type_size(troupe_type type, size_t* size) {
  using namespace troupe::c;  // NOLINT
  return guarded([&] {
    require(size, "size");
    *size = element_type(type).size;
  });
}
