! Factorizations and solutions of systems, in both precisions.
module factorization_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use expectations
  use troupe
  implicit none
  private
  public :: test_factorizations

contains

  subroutine test_factorizations(runtime)
    type(troupe_runtime), intent(in) :: runtime

    call solve_in_double_precision(runtime, troupe_cholesky)
    call solve_in_double_precision(runtime, troupe_lu)
    call solve_in_double_precision(runtime, troupe_qr)
    call solve_in_single_precision(runtime)
    call refusals(runtime)
  end subroutine

  ! The matrix is a section with gaps between its columns, which must stay as they are.
  subroutine solve_in_double_precision(runtime, application)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: application
    integer, parameter :: n = 70
    real(real64), target :: a(n + 5, n)
    real(real64) :: original(n, n), x(n, 2), b(n + 3, 2), one(n)
    type(troupe_factorization) :: factors
    integer :: i, j

    do j = 1, n
      do i = 1, n
        original(i, j) = 1.0_real64 / (1 + abs(i - j)) + merge(n, 0, i == j)
        x(j, :) = [j, 2 * j]
      end do
    end do
    a = 77
    a(1:n, :) = original
    b = 88
    b(1:n, :) = matmul(original, x)
    one = b(1:n, 1)
    call troupe_factorize(runtime, application, a(1:n, :), factors, tile=32)
    call troupe_factorization_solve(factors, b(1:n, :))
    call expect(maxval(abs(b(1:n, :) - x)) < 1e-9, 'two systems are solved')
    call troupe_factorization_solve(factors, one)
    call expect(maxval(abs(one - x(:, 1))) < 1e-9, 'a vector is a right-hand side')
    call expect(minval(a(n + 1:, :)) > 76.9 .and. maxval(a(n + 1:, :)) < 77.1 .and. minval(b(n + 1:, :)) > 87.9, &
        'gaps between columns stay')
    call expect(abs(a(2, 1) - original(2, 1)) > 1e-3, 'the matrix has the factors')
    call troupe_free(factors)
  end subroutine

  subroutine solve_in_single_precision(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real32), target :: a(3, 3)
    real(real32) :: x(3, 1), y(3)
    real(real64) :: wrong(3), wrong_size(4)
    type(troupe_factorization) :: factors
    integer :: status
    character(300) :: message

    a = reshape([real(real32) :: 4, 1, 0, 1, 4, 1, 0, 1, 4], [3, 3])
    x(:, 1) = [real(real32) :: 6, 12, 14]
    y = x(:, 1)
    call troupe_factorize(runtime, troupe_cholesky, a, factors)
    call troupe_factorization_solve(factors, x)
    call troupe_factorization_solve(factors, y)
    call expect(all(nint(1000 * x(:, 1)) == [1000, 2000, 3000]), 'a system is solved in single precision')
    call expect(all(nint(1000 * y) == [1000, 2000, 3000]), 'a vector is solved for in single precision')
    wrong = 1
    call troupe_factorization_solve(factors, wrong, status, message)
    call expect_error(status, troupe_signature_mismatch, message, &
        'the factors are of real(real32), and the right-hand sides of real(real64)')
    call troupe_free(factors)
    wrong_size = 1
    call troupe_factorization_solve(factors, wrong_size, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'factorization is NULL')
  end subroutine

  subroutine refusals(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real64), target :: a(6, 6)
    type(troupe_factorization) :: factors
    integer :: status
    character(300) :: message

    a = 0
    call troupe_factorize(runtime, troupe_cholesky, a, factors, status=status, message=message)
    call expect_error(status, troupe_numerical, message, 'not positive definite')
    call troupe_factorize(runtime, troupe_lu, a(:, 1:5), factors, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'square')
    call troupe_factorize(runtime, troupe_lu, a(1:6:2, 1:3), factors, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'the columns of the matrix are not contiguous')
    call troupe_factorize(runtime, 9, a, factors, status=status, message=message)
    call expect(status == troupe_invalid_argument, 'there is no factorization 9: ' // message)
    call troupe_factorize(runtime, troupe_lu, a, factors, tile=-1, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'tile')
  end subroutine
end module
