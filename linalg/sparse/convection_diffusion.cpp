#include "linalg/sparse/convection_diffusion.hpp"

#include <array>
#include <utility>
#include <vector>

namespace troupe::linalg {

CompressedMatrix convection_diffusion(int points, double wind) {
  const double h = 1.0 / (points + 1);
  std::vector<SparseEntry> entries;
  const std::array<int, 3> stride{1, points, points * points};
  for (int point = 0; point < points * points * points; ++point) {
    entries.push_back({point, point, 6});
    double half = wind * h / 2;
    for (const int step : stride) {
      const int place = point / step % points;
      if (place > 0) entries.push_back({point, point - step, -1 - half});
      if (place + 1 < points) entries.push_back({point, point + step, -1 + half});
      half /= 2;
    }
  }
  return compressed(points * points * points, std::move(entries));
}

}  // namespace troupe::linalg
