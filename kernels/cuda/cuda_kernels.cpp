#include "kernels/cuda/cuda_kernels.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "kernels/cuda/cuda_kernel_shapes.hpp"
#include "kernels/cuda/device_code.hpp"

namespace troupe::kernels {

namespace {

void check_launch(const platform::CudaApi& api, cudaError_t status, const std::string& what) {
  platform::cuda_check(api, status, what, ErrorCode::kernel_failed).value_or_throw();
}

/// The names of the kernels in cuda_tile_kernels.cu. Each kernel exists for float and for double.
enum class Name {
  note_places,
  copy_column,
  settle_pivots,
  swap_rows,
  unit_lower,
  first_bad_pivot,
  fill_symmetric,
  reflectors,
  stacked_reflectors,
  note_blocks,
  factor_block,
  first_not_finite
};
constexpr std::array kNames{"troupe_note_places_",    "troupe_copy_column_",  "troupe_settle_pivots_",
                            "troupe_swap_rows_",      "troupe_unit_lower_",   "troupe_first_bad_pivot_",
                            "troupe_fill_symmetric_", "troupe_reflectors_",   "troupe_stacked_reflectors_",
                            "troupe_note_blocks_",    "troupe_factor_block_", "troupe_first_not_finite_"};

template <class T>
struct Loaded {
  std::array<cudaKernel_t, kNames.size()> kernels{};
};

/// Loads the library of kernels, which stays loaded until the process ends. The library is for all devices: each device
/// gets its code at the first launch.
Result<cudaLibrary_t> load_library() {
  if (!has_device_code()) {
    return Failure{ErrorCode::no_implementation,
                   "this Troupe was built without nvcc, and so without kernels of its own for GPUs"};
  }
  const Result<const platform::CudaApi*> api = platform::cuda_api();
  if (!api) return api.failure();
  cudaLibrary_t library = nullptr;
  const cudaError_t status =
      api.value()->cudaLibraryLoadData(&library, device_code().data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (Result<void> loaded = platform::cuda_check(*api.value(), status, "loading the kernels for GPUs"); !loaded) {
    return loaded.failure();
  }
  return library;
}

template <class T>
Result<Loaded<T>> load() {
  static const Result<cudaLibrary_t> library = load_library();
  if (!library) return library.failure();
  const platform::CudaApi& api = *platform::cuda_api().value();
  Loaded<T> loaded;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string name = kNames[i] + std::string(std::is_same_v<T, float> ? "s" : "d");
    const cudaError_t status = api.cudaLibraryGetKernel(&loaded.kernels[i], library.value(), name.c_str());
    if (Result<void> found = platform::cuda_check(api, status, "looking up the kernel " + name); !found) {
      return found.failure();
    }
  }
  return loaded;
}

template <class T>
cudaKernel_t find(Name name) {
  static const Result<Loaded<T>> loaded = load<T>();
  if (!loaded) throw Error(loaded.failure());
  return loaded.value().kernels[static_cast<std::size_t>(name)];
}

template <class T, class... Arguments>
void launch(CudaStream& stream, Name name, dim3 grid, Arguments... arguments) {
  std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
  check_launch(stream.cuda(),
               stream.cuda().cudaLaunchKernel(reinterpret_cast<const void*>(find<T>(name)), grid, dim3(kKernelThreads),
                                              pointers.data(), 0, stream.stream()),
               std::string("launching ") + kNames[static_cast<std::size_t>(name)]);
}

unsigned blocks(std::int64_t count) { return static_cast<unsigned>(std::min<std::int64_t>(count, kMostBlocks)); }

/// Returns a grid with one thread for each element, up to the largest grid.
template <class T>
dim3 grid_over(MatrixView<T> a) {
  return {blocks((a.rows + kKernelThreads - 1) / kKernelThreads), blocks(a.cols), 1};
}

template <class T>
bool is_empty(MatrixView<T> a) {
  return a.rows == 0 || a.cols == 0;
}

}  // namespace

bool has_device_code() { return !device_code().empty(); }

// Launches pass the arguments by address, so the arguments must have exactly the types of the kernel's parameters.

template <class T>
TiledColumn<T> place_tiles(CudaStream& stream, const BlockColumn<T>& column, TilePlace<T>* places) {
  const auto tiles = column.tiles();
  const auto count = static_cast<std::int64_t>(tiles.size());
  using Places = TilePlaces<T>;
  for (std::int64_t begin = 0; begin < count; begin += Places::kMost) {
    Places some{};
    const int now = static_cast<int>(std::min<std::int64_t>(count - begin, Places::kMost));
    for (int i = 0; i < now; ++i) {
      const auto index = static_cast<std::size_t>(begin + i);
      const std::int64_t first = column.begin_of(index);
      some.at[i] = {tiles[index].data, tiles[index].ld, first, first + tiles[index].rows};
    }
    launch<T>(stream, Name::note_places, dim3(1), some, places, begin, now);
  }
  return {places, count, column.rows(), column.cols()};
}

template <class T>
void copy_column(CudaStream& stream, const TiledColumn<T>& column, std::int64_t offset, MatrixView<T> w, bool gather) {
  if (is_empty(w)) return;
  // A thread finds the tile of a row once for this many columns.
  constexpr std::int64_t kColumns = 8;
  const dim3 grid{grid_over(w).x, blocks((w.cols + kColumns - 1) / kColumns), 1};
  launch<T>(stream, Name::copy_column, grid, column, offset, w.data, w.ld, gather);
}

template <class T>
void settle_pivots(CudaStream& stream, const int* given, std::span<int> pivots, std::int64_t rows, std::int64_t first) {
  const auto count = static_cast<std::int64_t>(pivots.size());
  launch<T>(stream, Name::settle_pivots, dim3(1), given, pivots.data(), count, rows, first);
}

template <class T>
bool swap_rows(CudaStream& stream, const TiledColumn<T>& c, std::span<const std::span<const int>> pieces,
               std::int64_t offset, std::int64_t above, int* info) {
  if (c.rows == 0 || c.cols == 0) return false;
  // In each block, combining the exchanges takes about as long as exchanging rows in four columns, so each block has at
  // least four columns.
  constexpr std::int64_t kColumns = 4;
  const dim3 grid(blocks((c.cols + kColumns - 1) / kColumns));
  std::int64_t before = 0;
  for (const auto& pivots : pieces) {
    const auto count = static_cast<std::int64_t>(pivots.size());
    if (count == 0) continue;
    launch<T>(stream, Name::swap_rows, grid, c, pivots.data(), count, offset + before, above, before, info);
    before += count;
  }
  return before > 0;
}

template <class T>
void unit_lower(CudaStream& stream, MatrixView<const T> v, MatrixView<T> w) {
  if (is_empty(v)) return;
  launch<T>(stream, Name::unit_lower, grid_over(v), v.data, v.ld, w.data, w.ld, v.rows, v.cols);
}

template <class T>
void first_bad_pivot(CudaStream& stream, MatrixView<const T> a, NeededPivots needed, int* info) {
  launch<T>(stream, Name::first_bad_pivot, dim3(1), a.data, a.ld, a.cols, needed == NeededPivots::positive, info);
}

template <class T>
void fill_symmetric(CudaStream& stream, MatrixView<T> a, std::int64_t row, std::int64_t col, std::uint64_t seed,
                    double diagonal) {
  if (is_empty(a)) return;
  launch<T>(stream, Name::fill_symmetric, grid_over(a), a.data, a.ld, a.rows, a.cols, row, col, seed, diagonal);
}

template <class T>
void factor_reflectors(CudaStream& stream, MatrixView<T> a, MatrixView<T> t) {
  if (is_empty(a)) return;
  launch<T>(stream, Name::reflectors, dim3(1), a.data, a.ld, a.rows, a.cols, t.data, t.ld);
}

template <class T>
void factor_stacked_reflectors(CudaStream& stream, MatrixView<T> r, MatrixView<T> b, MatrixView<T> t) {
  if (b.cols == 0) return;
  launch<T>(stream, Name::stacked_reflectors, dim3(1), r.data, r.ld, b.data, b.ld, b.rows, b.cols, t.data, t.ld);
}

template <class T>
void note_blocks(CudaStream& stream, const BlockPlaces& places, int count, const BlockMemory<T>& memory,
                 BlockPointers<T>* pointers) {
  const dim3 grid(blocks((count + kKernelThreads - 1) / kKernelThreads));
  launch<T>(stream, Name::note_blocks, grid, places, count, memory, pointers);
}

template <class T>
void factor_block(CudaStream& stream, MatrixView<T> a, const PivotTask<T>& task, std::int64_t* report,
                  int* zero_pivot) {
  launch<T>(stream, Name::factor_block, dim3(1), a.data, a.ld, a.cols, task, report, zero_pivot);
}

template <class T>
void first_not_finite(CudaStream& stream, MatrixView<const T> a, int* info) {
  // The initial value of each byte of `info`. It makes `info` larger than the number of any column.
  constexpr int kByte = 0x7f;
  check_launch(stream.cuda(), stream.cuda().cudaMemsetAsync(info, kByte, sizeof *info, stream.stream()),
               "cudaMemsetAsync");
  if (is_empty(a)) return;
  launch<T>(stream, Name::first_not_finite, grid_over(a), a.data, a.ld, a.rows, a.cols, info);
}

#define TROUPE_INSTANTIATE(T)                                                                                      \
  template TiledColumn<T> place_tiles(CudaStream&, const BlockColumn<T>&, TilePlace<T>*);                          \
  template void copy_column(CudaStream&, const TiledColumn<T>&, std::int64_t, MatrixView<T>, bool);                \
  template void settle_pivots<T>(CudaStream&, const int*, std::span<int>, std::int64_t, std::int64_t);             \
  template bool swap_rows(CudaStream&, const TiledColumn<T>&, std::span<const std::span<const int>>, std::int64_t, \
                          std::int64_t, int*);                                                                     \
  template void unit_lower(CudaStream&, MatrixView<const T>, MatrixView<T>);                                       \
  template void first_bad_pivot(CudaStream&, MatrixView<const T>, NeededPivots, int*);                             \
  template void first_not_finite(CudaStream&, MatrixView<const T>, int*);                                          \
  template void note_blocks(CudaStream&, const BlockPlaces&, int, const BlockMemory<T>&, BlockPointers<T>*);       \
  template void factor_block(CudaStream&, MatrixView<T>, const PivotTask<T>&, std::int64_t*, int*);                \
  template void factor_reflectors(CudaStream&, MatrixView<T>, MatrixView<T>);                                      \
  template void factor_stacked_reflectors(CudaStream&, MatrixView<T>, MatrixView<T>, MatrixView<T>);               \
  template void fill_symmetric(CudaStream&, MatrixView<T>, std::int64_t, std::int64_t, std::uint64_t, double);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
