#include "lab/bench/runners/starpu/tiles_starpu.hpp"

namespace troupe::bench {
namespace {

constexpr int kNoHome = -1;

starpu_data_handle_t registered(int home, const double* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  starpu_data_handle_t handle = nullptr;
  starpu_matrix_data_register(&handle, home, reinterpret_cast<std::uintptr_t>(data), static_cast<std::uint32_t>(ld),
                              static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols), sizeof(double));
  return handle;
}

}  // namespace

StarpuTiles::StarpuTiles(double* in_place, std::int64_t rows, std::int64_t cols, std::int64_t tile_rows,
                         std::int64_t tile_cols)
    : in_place_(in_place != nullptr), rows_(rows), cols_(cols), tile_rows_(tile_rows), tile_cols_(tile_cols) {
  for (int j = 0; j < this->tile_cols(); ++j) {
    for (int i = 0; i < this->tile_rows(); ++i) {
      if (in_place_) {
        const double* first = in_place + i * tile_rows + j * tile_cols * rows;
        handles_.push_back(registered(STARPU_MAIN_RAM, first, rows_of(i), cols_of(j), rows));
      } else {
        handles_.push_back(registered(kNoHome, nullptr, rows_of(i), cols_of(j), rows_of(i)));
      }
    }
  }
}

StarpuTiles::~StarpuTiles() {
  for (const starpu_data_handle_t handle : handles_) {
    in_place_ ? starpu_data_unregister(handle) : starpu_data_unregister_no_coherency(handle);
  }
}

}  // namespace troupe::bench
