#include "graph/codelets/pieces.hpp"

#include <exception>
#include <string>

#include "troupe/errors.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe {

namespace {

std::string which_piece(std::uint32_t piece, std::uint32_t all) {
  return "piece " + std::to_string(piece) + " of " + std::to_string(all) + ": ";
}

}  // namespace

std::uint32_t Pieces::count_of(const KernelContext& context) const {
  const std::int64_t pieces = count(context);
  if (pieces >= 0 && pieces <= kMost) return static_cast<std::uint32_t>(pieces);
  throw Error(ErrorCode::invalid_argument,
              "its count says " + std::to_string(pieces) + " pieces: let it be from 0 to " + std::to_string(kMost));
}

void Pieces::run(std::uint32_t first, std::uint32_t number, std::uint32_t all, const KernelContext& context) const {
  std::uint32_t now = first;
  try {
    for (const std::uint32_t end = first + number; now != end; ++now) piece(now, context);
  } catch (const Error& error) {
    throw Error(error.code(), which_piece(now, all) + error.what());
  } catch (const std::exception& error) {
    throw Error(ErrorCode::kernel_failed, which_piece(now, all) + error.what());
  } catch (...) {
    throw Error(ErrorCode::kernel_failed,
                which_piece(now, all) + "the kernel threw something that is no std::exception");
  }
}

}  // namespace troupe
