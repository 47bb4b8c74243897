/// A program's binary for one visible device. It contains the vendors' binaries for the real devices behind that
/// device.
///
/// The layout is, with all numbers little-endian: "TROUPECL", version (4 bytes), number of blobs (4). For each blob:
/// the length of its device's identity (4), the identity, the binary's type (4), the blob's length (8), the blob. At
/// the end comes the FNV-1a hash of all bytes before it (8).
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe::opencl {

struct BinaryBlob {
  /// Identifies the devices that can use the binary: names and versions of platform, device and driver.
  std::string identity;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  std::vector<unsigned char> bytes;
};

[[nodiscard]] std::vector<unsigned char> write_container(const std::vector<BinaryBlob>& blobs);

/// Reads a container; returns nothing if it is incomplete, or was not written by Troupe.
[[nodiscard]] std::optional<std::vector<BinaryBlob>> read_container(std::span<const unsigned char> bytes);

}  // namespace troupe::opencl
