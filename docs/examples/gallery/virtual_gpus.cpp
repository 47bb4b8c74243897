// A task graph on a machine that one does not have: a blocked matrix product on twelve cores and one to eight GPUs,
// whose speeds come from a description of the machine. Nothing is computed and no memory is needed; scheduler, policies
// and copies are the real ones, and the clock is virtual.
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr std::int64_t kTile = 512, kSize = 6 * kTile;

/// `timed_as` names the codelet whose times these tasks take, and `flops` gives the operations for the size of the
/// tile. The kernels are never called: without data there is nothing to compute.
Codelet product() {
  const auto not_called = [](const KernelContext&) {};
  Codelet codelet("product", {AccessMode::read, AccessMode::read, AccessMode::read_write});
  codelet.timed_as("cholesky/gemm/double").flops([](const KernelContext&) { return 2.0 * kTile * kTile * kTile; });
  codelet.cpu(not_called).cuda(not_called);
  return codelet;
}

void multiply(Runtime& runtime, const Codelet& product) {
  const TiledMatrix<double> a(runtime, kSize, kSize, kTile, TileStorage::none),
      b(runtime, kSize, kSize, kTile, TileStorage::none), c(runtime, kSize, kSize, kTile, TileStorage::none);
  for (int k = 0; k < a.tile_cols(); ++k) {
    for (int i = 0; i < c.tile_rows(); ++i) {
      for (int j = 0; j < c.tile_cols(); ++j) runtime.submit(product, {a(i, k), b(k, j), c(i, j)});
    }
  }
  runtime.wait();
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  const Codelet codelet = product();
  const platform::MachineDescription machine = platform::load_machine("idgraf-double").value_or_throw();
  std::cout << "GPUs  time, ms  copied, MB\n" << std::fixed << std::setprecision(1);
  for (int gpus = 1; gpus <= 8; gpus *= 2) {
    auto simulation = std::make_shared<SimulationOptions>();
    simulation->machine = machine;
    simulation->gpus.resize(gpus);
    std::iota(simulation->gpus.begin(), simulation->gpus.end(), 0);
    RuntimeOptions options = picture.options();
    options.simulation = simulation;
    Runtime runtime(options);
    multiply(runtime, codelet);
    const RunReport report = runtime.report();
    std::cout << std::setw(4) << gpus << std::setw(10) << seconds(*report.virtual_time) * 1e3 << std::setw(14)
              << static_cast<double>(report.transfers.total().count) / 1e6 << "\n";
    if (gpus == 4) picture.draw(runtime, "C = A B on eight cores and four GPUs, in virtual time");
  }
}
