/// Dense factorizations for C programs.
#include <algorithm>
#include <memory>
#include <utility>

#include "c/guard.hpp"
#include "c/objects.hpp"
#include "client/matrix_shape.hpp"
#include "linalg/factorization.hpp"

namespace troupe::c {

/// Factors of a matrix of float or double.
class Factors {
 public:
  Factors() = default;
  virtual ~Factors() = default;
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;

  virtual void solve(void* memory, std::int64_t rows, std::int64_t cols, std::int64_t ld) = 0;
};

namespace {

template <class T>
class FactorsOf final : public Factors {
 public:
  FactorsOf(Runtime& runtime, MatrixView<T> matrix, const linalg::FactorizationOptions& options)
      : factorization_(runtime, matrix, options) {}

  void solve(void* memory, std::int64_t rows, std::int64_t cols, std::int64_t ld) override {
    client::check_matrix_shape(rows, cols, ld, sizeof(T));
    factorization_.solve(MatrixView<T>{static_cast<T*>(memory), rows, cols, ld});
  }

 private:
  linalg::Factorization<T> factorization_;
};

linalg::Application application_of(troupe_application application) {
  switch (application) {
    case TROUPE_CHOLESKY: return linalg::Application::cholesky;
    case TROUPE_LU: return linalg::Application::lu;
    case TROUPE_QR: return linalg::Application::qr;
    default: break;
  }
  throw Error(ErrorCode::invalid_argument, "there is no troupe_application " + std::to_string(application) +
                                               ": use TROUPE_CHOLESKY, TROUPE_LU or TROUPE_QR");
}

template <class T>
std::unique_ptr<Factors> factorize(Runtime& runtime, const linalg::FactorizationOptions& options, void* memory,
                                   std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  client::check_matrix_shape(rows, cols, ld, sizeof(T));
  return std::make_unique<FactorsOf<T>>(runtime, MatrixView<T>{static_cast<T*>(memory), rows, cols, ld}, options);
}

}  // namespace
}  // namespace troupe::c

struct troupe_factorization : troupe::c::Standing<std::unique_ptr<troupe::c::Factors>> {
  using Standing::Standing;
};

using namespace troupe;     // NOLINT: the functions of the interface lie outside of all namespaces
using namespace troupe::c;  // NOLINT

extern "C" {

troupe_error troupe_factorize(troupe_runtime* runtime, troupe_application application, troupe_type type, void* matrix,
                              int64_t rows, int64_t cols, int64_t ld, int64_t tile,
                              troupe_factorization** factorization) {
  return guarded([&] {
    require(runtime, "runtime");
    require(factorization, "factorization");
    linalg::FactorizationOptions options;
    options.application = application_of(application);
    if (tile < 0) throw Error(ErrorCode::invalid_argument, "tile is " + std::to_string(tile) + ": give 0 or more");
    options.tile = tile;
    if (type != TROUPE_FLOAT && type != TROUPE_DOUBLE) {
      throw Error(ErrorCode::invalid_argument, "a matrix of troupe_type " + std::to_string(type) +
                                                   " cannot be factorized: use TROUPE_FLOAT or TROUPE_DOUBLE");
    }
    if (rows != 0 && cols != 0) require(matrix, "matrix");
    const GivingCall call(runtime->state);
    auto factors = type == TROUPE_FLOAT ? factorize<float>(call.runtime(), options, matrix, rows, cols, ld)
                                        : factorize<double>(call.runtime(), options, matrix, rows, cols, ld);
    *factorization =
        new troupe_factorization(call.state(), troupe_factorization::on(*call.state(), std::move(factors)));
  });
}

troupe_error troupe_factorization_solve(troupe_factorization* factorization, void* right_hand_sides, int64_t rows,
                                        int64_t cols, int64_t ld) {
  return guarded([&] {
    require(factorization, "factorization");
    const GivingCall call(living(factorization->state));
    if (rows != 0 && cols != 0) require(right_hand_sides, "right_hand_sides");
    const auto factors = factorization->content->get();
    (*factors)->solve(right_hand_sides, rows, cols, ld);
  });
}

void troupe_factorization_free(troupe_factorization* factorization) { delete factorization; }
}
