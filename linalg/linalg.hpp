/// Dense linear algebra for programs: factorizations, solves, residuals, generated problems, Matrix Market files.
/// Installed as <troupe/linalg.hpp>, with the library `Troupe::linalg`; docs/linalg.md has a complete program.
///
/// Begin with `linalg::Factorization`, which takes a column-major matrix of the program. `cholesky`, `lu` and `qr`, and
/// the corresponding solves, work on a `TiledMatrix` and only submit tasks, so that the program can submit other tasks
/// in between.
///
/// Matrices are of float or double. Failures are thrown as `Error`; functions that read or write a file return a
/// `Result`, whose `value_or_throw()` throws the failure as an `Error`.
#pragma once

#if __cplusplus < 202002L
#error \
    "Troupe needs C++20: compile with -std=c++20 (in CMake: target_compile_features(your_program PRIVATE cxx_std_20))"
#else

#include "linalg/cholesky.hpp"
#include "linalg/dense_matrix.hpp"
#include "linalg/factorization.hpp"
#include "linalg/files/matrix_market.hpp"
#include "linalg/files/matrix_market_writer.hpp"
#include "linalg/incremental_lu.hpp"
#include "linalg/lu.hpp"
#include "linalg/problem.hpp"
#include "linalg/qr.hpp"
#include "linalg/residuals.hpp"

#endif
