/// Routines of BLAS and LAPACK, each under one name for float and double. Private to kernels/.
///
/// Arguments are as in the reference (netlib.org/lapack); integers have 32 bits. The length of each character argument
/// is passed by value at the end of the argument list, as GNU Fortran expects. Many C programs leave out the lengths of
/// single characters, but passing them is correct and costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/blas_setting.hpp"

extern "C" {
#define TROUPE_BLAS(T, p)                                                                                            \
  void p##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,        \
                const T*, const int*, const T*, T*, const int*, std::size_t, std::size_t);                           \
  void p##syrk_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*, T*,      \
                const int*, std::size_t, std::size_t);                                                               \
  void p##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*,      \
                const int*, T*, const int*, std::size_t, std::size_t, std::size_t, std::size_t);                     \
  void p##trmm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*,      \
                const int*, T*, const int*, std::size_t, std::size_t, std::size_t, std::size_t);                     \
  void p##potrf_(const char*, const int*, T*, const int*, int*, std::size_t);                                        \
  void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                                                \
  void p##laswp_(const int*, T*, const int*, const int*, const int*, const int*, const int*);                        \
  void p##geqrt_(const int*, const int*, const int*, T*, const int*, T*, const int*, T*, int*);                      \
  void p##gemqrt_(const char*, const char*, const int*, const int*, const int*, const int*, const T*, const int*,    \
                  const T*, const int*, T*, const int*, T*, int*, std::size_t, std::size_t);                         \
  void p##tpqrt_(const int*, const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const int*, T*, \
                 int*);                                                                                              \
  void p##tpmqrt_(const char*, const char*, const int*, const int*, const int*, const int*, const int*, const T*,    \
                  const int*, const T*, const int*, T*, const int*, T*, const int*, T*, int*, std::size_t,           \
                  std::size_t);                                                                                      \
  void p##gecon_(const char*, const int*, const T*, const int*, const T*, T*, T*, int*, int*, std::size_t);          \
  void p##pocon_(const char*, const int*, const T*, const int*, const T*, T*, T*, int*, int*, std::size_t);          \
  void p##trcon_(const char*, const char*, const char*, const int*, const T*, const int*, T*, T*, int*, int*,        \
                 std::size_t, std::size_t, std::size_t);
TROUPE_BLAS(float, s)
TROUPE_BLAS(double, d)
#undef TROUPE_BLAS
}

namespace troupe::kernels::fortran {

/// Converts a size for BLAS and LAPACK, whose sizes are int. Codelets refuse sizes that do not fit.
inline int as_int(std::int64_t value) { return static_cast<int>(value); }

#define TROUPE_FORTRAN(T, p)                                                                                         \
  inline void gemm(char ta, char tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, \
                   T* c, int ldc) {                                                                                  \
    before_blas();                                                                                                   \
    p##gemm_(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);                                  \
  }                                                                                                                  \
  inline void syrk(char uplo, char trans, int n, int k, T alpha, const T* a, int lda, T beta, T* c, int ldc) {       \
    before_blas();                                                                                                   \
    p##syrk_(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc, 1, 1);                                          \
  }                                                                                                                  \
  inline void trsm(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T* a, int lda, T* b,    \
                   int ldb) {                                                                                        \
    before_blas();                                                                                                   \
    p##trsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb, 1, 1, 1, 1);                             \
  }                                                                                                                  \
  inline void trmm(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T* a, int lda, T* b,    \
                   int ldb) {                                                                                        \
    before_blas();                                                                                                   \
    p##trmm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb, 1, 1, 1, 1);                             \
  }                                                                                                                  \
  inline int potrf(char uplo, int n, T* a, int lda) {                                                                \
    before_blas();                                                                                                   \
    int info = 0;                                                                                                    \
    p##potrf_(&uplo, &n, a, &lda, &info, 1);                                                                         \
    return info;                                                                                                     \
  }                                                                                                                  \
  inline int getrf(int m, int n, T* a, int lda, int* ipiv) {                                                         \
    before_blas();                                                                                                   \
    int info = 0;                                                                                                    \
    p##getrf_(&m, &n, a, &lda, ipiv, &info);                                                                         \
    return info;                                                                                                     \
  }                                                                                                                  \
  inline int geqrt(int m, int n, int nb, T* a, int lda, T* t, int ldt, T* work) {                                    \
    before_blas();                                                                                                   \
    int info = 0;                                                                                                    \
    p##geqrt_(&m, &n, &nb, a, &lda, t, &ldt, work, &info);                                                           \
    return info;                                                                                                     \
  }                                                                                                                  \
  inline int gemqrt(char side, char trans, int m, int n, int k, int nb, const T* v, int ldv, const T* t, int ldt,    \
                    T* c, int ldc, T* work) {                                                                        \
    before_blas();                                                                                                   \
    int info = 0;                                                                                                    \
    p##gemqrt_(&side, &trans, &m, &n, &k, &nb, v, &ldv, t, &ldt, c, &ldc, work, &info, 1, 1);                        \
    return info;                                                                                                     \
  }                                                                                                                  \
  inline int tpqrt(int m, int n, int l, int nb, T* a, int lda, T* b, int ldb, T* t, int ldt, T* work) {              \
    before_blas();                                                                                                   \
    int info = 0;                                                                                                    \
    p##tpqrt_(&m, &n, &l, &nb, a, &lda, b, &ldb, t, &ldt, work, &info);                                              \
    return info;                                                                                                     \
  }                                                                                                                  \
  inline int tpmqrt(char side, char trans, int m, int n, int k, int l, int nb, const T* v, int ldv, const T* t,      \
                    int ldt, T* a, int lda, T* b, int ldb, T* work) {                                                \
    before_blas();                                                                                                   \
    int info = 0;                                                                                                    \
    p##tpmqrt_(&side, &trans, &m, &n, &k, &l, &nb, v, &ldv, t, &ldt, a, &lda, b, &ldb, work, &info, 1, 1);           \
    return info;                                                                                                     \
  }                                                                                                                  \
  inline void gecon(char norm, const T* a, T anorm, const int* n, const int* lda, T* rcond, T* work, int* iwork,     \
                    int* info) {                                                                                     \
    before_blas();                                                                                                   \
    p##gecon_(&norm, n, a, lda, &anorm, rcond, work, iwork, info, 1);                                                \
  }                                                                                                                  \
  inline void pocon(char uplo, const T* a, T anorm, const int* n, const int* lda, T* rcond, T* work, int* iwork,     \
                    int* info) {                                                                                     \
    before_blas();                                                                                                   \
    p##pocon_(&uplo, n, a, lda, &anorm, rcond, work, iwork, info, 1);                                                \
  }                                                                                                                  \
  inline void trcon(char norm, char uplo, char diag, const T* a, const int* n, const int* lda, T* rcond, T* work,    \
                    int* iwork, int* info) {                                                                         \
    before_blas();                                                                                                   \
    p##trcon_(&norm, &uplo, &diag, n, a, lda, rcond, work, iwork, info, 1, 1, 1);                                    \
  }
TROUPE_FORTRAN(float, s)
TROUPE_FORTRAN(double, d)
#undef TROUPE_FORTRAN

}  // namespace troupe::kernels::fortran
