#include "opencl/programs/binary_container.hpp"

#include <algorithm>
#include <concepts>
#include <string_view>

namespace troupe::opencl {
namespace {

constexpr std::string_view kMagic = "TROUPECL";
constexpr std::uint32_t kFormat = 1;

std::uint64_t hash_of(std::span<const unsigned char> bytes) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100'0000'01b3;
  return hash;
}

template <std::unsigned_integral T>
void put(std::vector<unsigned char>& to, T number) {
  for (std::size_t i = 0; i < sizeof number; ++i) {
    to.push_back(static_cast<unsigned char>(number & 0xff));
    number = static_cast<T>(static_cast<std::uint64_t>(number) >> 8);
  }
}

template <class Bytes>
void put_all(std::vector<unsigned char>& to, const Bytes& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Takes fields from the front of the bytes. Once a field is missing, all later fields are missing, too.
class Reader {
 public:
  explicit Reader(std::span<const unsigned char> rest) : rest_(rest) {}

  std::span<const unsigned char> take(std::uint64_t size) {
    if (size > rest_.size()) failed_ = true;
    if (failed_) return {};
    const auto part = rest_.first(size);
    rest_ = rest_.subspan(size);
    return part;
  }
  template <std::unsigned_integral T>
  T number() {
    T value = 0;
    const auto bytes = take(sizeof value);
    for (std::size_t i = bytes.size(); i-- > 0;)
      value = static_cast<T>((static_cast<std::uint64_t>(value) << 8) | bytes[i]);
    return value;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const unsigned char> rest_;
  bool failed_ = false;
};

}  // namespace

std::vector<unsigned char> write_container(const std::vector<BinaryBlob>& blobs) {
  std::vector<unsigned char> bytes(kMagic.begin(), kMagic.end());
  put(bytes, kFormat);
  put(bytes, static_cast<std::uint32_t>(blobs.size()));
  for (const BinaryBlob& blob : blobs) {
    put(bytes, static_cast<std::uint32_t>(blob.identity.size()));
    put_all(bytes, blob.identity);
    put(bytes, static_cast<std::uint32_t>(blob.type));
    put(bytes, static_cast<std::uint64_t>(blob.bytes.size()));
    put_all(bytes, blob.bytes);
  }
  put(bytes, hash_of(bytes));
  return bytes;
}

std::optional<std::vector<BinaryBlob>> read_container(std::span<const unsigned char> bytes) {
  constexpr std::size_t kHash = sizeof(std::uint64_t);
  if (bytes.size() < kMagic.size() + kHash) return std::nullopt;
  const auto content = bytes.first(bytes.size() - kHash);
  if (Reader(bytes.last(kHash)).number<std::uint64_t>() != hash_of(content)) return std::nullopt;
  Reader reader(content);
  if (!std::ranges::equal(reader.take(kMagic.size()), kMagic)) return std::nullopt;
  if (reader.number<std::uint32_t>() != kFormat) return std::nullopt;
  std::vector<BinaryBlob> blobs;
  for (auto count = reader.number<std::uint32_t>(); count > 0 && !reader.failed(); --count) {
    BinaryBlob& blob = blobs.emplace_back();
    const auto identity = reader.take(reader.number<std::uint32_t>());
    blob.identity.assign(identity.begin(), identity.end());
    blob.type = reader.number<std::uint32_t>();
    const auto content_of_blob = reader.take(reader.number<std::uint64_t>());
    blob.bytes.assign(content_of_blob.begin(), content_of_blob.end());
  }
  if (!reader.at_end()) return std::nullopt;
  return blobs;
}

}  // namespace troupe::opencl
