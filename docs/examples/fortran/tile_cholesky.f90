! Factorizes a symmetric positive definite matrix A = L L^T tile by tile, with kernels of LAPACK and BLAS, and checks
! the result: it prints the largest entry of A - L L^T, divided by n, the largest entry of A and the machine precision.
module cholesky_kernels
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use troupe
  implicit none
  private
  public :: potrf, trsm, syrk, gemm
  external :: dpotrf, dtrsm, dsyrk, dgemm

contains

  ! Tiles are parts of a matrix, so LAPACK needs the distance between their columns: troupe_columns gives whole columns
  ! of the matrix, of which the first `rows` rows are the tile.
  integer(c_int) function potrf(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :)
    integer :: n, info

    call troupe_columns(context, 1, a, n)
    call dpotrf('L', n, a, size(a, 1), info)
    if (info /= 0) call troupe_kernel_fail(context, 'the matrix is not positive definite')
    outcome = 0
  end function

  integer(c_int) function trsm(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: l(:, :), b(:, :)
    integer :: n, m

    call troupe_columns(context, 1, l, n)
    call troupe_columns(context, 2, b, m)
    call dtrsm('R', 'L', 'T', 'N', m, n, 1.0_real64, l, size(l, 1), b, size(b, 1))
    outcome = 0
  end function

  integer(c_int) function syrk(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :), c(:, :)
    integer :: n, k

    call troupe_columns(context, 1, a, n)
    call troupe_columns(context, 2, c, n)
    k = size(a, 2)
    call dsyrk('L', 'N', n, k, -1.0_real64, a, size(a, 1), 1.0_real64, c, size(c, 1))
    outcome = 0
  end function

  integer(c_int) function gemm(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :), b(:, :), c(:, :)
    integer :: m, n, k

    call troupe_columns(context, 1, a, m)
    call troupe_columns(context, 2, b, n)
    call troupe_columns(context, 3, c, m)
    k = size(a, 2)
    call dgemm('N', 'T', m, n, k, -1.0_real64, a, size(a, 1), b, size(b, 1), 1.0_real64, c, size(c, 1))
    outcome = 0
  end function
end module

program tile_cholesky
  use, intrinsic :: iso_fortran_env, only: real64
  use cholesky_kernels
  use troupe
  implicit none
  integer, parameter :: n = 500, tile = 96
  real(real64), allocatable, target :: a(:, :)
  real(real64), allocatable :: original(:, :)
  type(troupe_runtime) :: runtime
  type(troupe_data) :: matrix
  type(troupe_handle), allocatable :: t(:, :)
  type(troupe_codelet) :: factor, solve, update_diagonal, update
  real(real64) :: error
  integer :: i, j, k

  allocate (a(n, n))
  do j = 1, n
    do i = 1, n
      a(i, j) = exp(-abs(i - j) / 20.0_real64)
    end do
    a(j, j) = a(j, j) + 0.01_real64
  end do
  original = a

  call troupe_start(runtime)
  call troupe_register(runtime, a, matrix, name='A')
  call troupe_partition(runtime, matrix, tile, tile, t)
  call troupe_codelet_define('potrf', [troupe_read_write], potrf, factor)
  call troupe_codelet_define('trsm', [troupe_read, troupe_read_write], trsm, solve)
  call troupe_codelet_define('syrk', [troupe_read, troupe_read_write], syrk, update_diagonal)
  call troupe_codelet_define('gemm', [troupe_read, troupe_read, troupe_read_write], gemm, update)
  do k = 1, size(t, 2)
    call troupe_submit(runtime, factor, [t(k, k)], priority=2)
    do i = k + 1, size(t, 1)
      call troupe_submit(runtime, solve, [t(k, k), t(i, k)], priority=1)
    end do
    do j = k + 1, size(t, 2)
      call troupe_submit(runtime, update_diagonal, [t(j, k), t(j, j)])
      do i = j + 1, size(t, 1)
        call troupe_submit(runtime, update, [t(i, k), t(j, k), t(i, j)])
      end do
    end do
  end do
  call troupe_wait(runtime)
  call troupe_free(matrix)
  call troupe_free(runtime)

  do j = 2, n
    a(1:j - 1, j) = 0
  end do
  error = maxval(abs(original - matmul(a, transpose(a)))) / (n * maxval(abs(original)) * epsilon(error))
  print '(a, l1)', 'the scaled error is below 1: ', error < 1
  if (.not. error < 1) error stop 'the factors are wrong'
end program
