! Dense factorizations of real(real32) and real(real64).
module troupe_factorizations
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use troupe_errors
  use troupe_functions
  use troupe_objects
  use troupe_views, only: type_text
  implicit none
  private
  public :: troupe_factorize, troupe_factorization_solve, troupe_free

  ! Factorizes a matrix in place, as LAPACK does, and returns when it is done: troupe_cholesky takes the lower triangle
  ! of a symmetric positive definite matrix, troupe_lu a square matrix, troupe_qr a matrix with at least as many rows as
  ! columns. Waits for all tasks of the runtime. The status is troupe_numerical if the factorization breaks down; the
  ! content of the matrix is then lost. `tile` is the number of columns of a tile; without it the runtime chooses by the
  ! size of the matrix. Do not change the matrix while the factors are used.
  interface troupe_factorize
    module procedure :: factorize_real32, factorize_real64
  end interface

  ! Overwrites right-hand sides, a vector or the columns of a matrix, by the solutions. Only one thread at a time may
  ! call.
  interface troupe_factorization_solve
    module procedure :: solve_vector_real32, solve_vector_real64, solve_matrix_real32, solve_matrix_real64
  end interface

  interface troupe_free
    module procedure :: free_factorization
  end interface

contains

  subroutine factorize_real32(runtime, application, matrix, factorization, tile, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: application
    real(real32), pointer, intent(in) :: matrix(:, :)
    type(troupe_factorization), intent(out) :: factorization
    integer, intent(in), optional :: tile
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: place(3)

    place = corners_real32(matrix)
    call factorize(runtime, application, troupe_float, place, shape(matrix, int64), 4_int64, factorization, tile, &
        status, message)
  end subroutine

  subroutine factorize_real64(runtime, application, matrix, factorization, tile, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: application
    real(real64), pointer, intent(in) :: matrix(:, :)
    type(troupe_factorization), intent(out) :: factorization
    integer, intent(in), optional :: tile
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: place(3)

    place = corners_real64(matrix)
    call factorize(runtime, application, troupe_double, place, shape(matrix, int64), 8_int64, factorization, tile, &
        status, message)
  end subroutine

  subroutine solve_vector_real32(factorization, right_hand_side, status, message)
    type(troupe_factorization), intent(in) :: factorization
    real(real32), contiguous, intent(inout), target :: right_hand_side(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), pointer :: matrix(:, :)

    matrix(1:size(right_hand_side), 1:1) => right_hand_side
    call solve_matrix_real32(factorization, matrix, status, message)
  end subroutine

  subroutine solve_vector_real64(factorization, right_hand_side, status, message)
    type(troupe_factorization), intent(in) :: factorization
    real(real64), contiguous, intent(inout), target :: right_hand_side(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), pointer :: matrix(:, :)

    matrix(1:size(right_hand_side), 1:1) => right_hand_side
    call solve_matrix_real64(factorization, matrix, status, message)
  end subroutine

  subroutine solve_matrix_real32(factorization, right_hand_sides, status, message)
    type(troupe_factorization), intent(in) :: factorization
    real(real32), intent(inout), target :: right_hand_sides(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call solve(factorization, troupe_float, corners_real32(right_hand_sides), shape(right_hand_sides, int64), &
        4_int64, status, message)
  end subroutine

  subroutine solve_matrix_real64(factorization, right_hand_sides, status, message)
    type(troupe_factorization), intent(in) :: factorization
    real(real64), intent(inout), target :: right_hand_sides(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call solve(factorization, troupe_double, corners_real64(right_hand_sides), shape(right_hand_sides, int64), &
        8_int64, status, message)
  end subroutine

  ! Returns the addresses of the first element, and of its neighbours below and to the right; null where there are none.
  function corners_real32(matrix) result(corners)
    real(real32), intent(in), target :: matrix(:, :)
    type(c_ptr) :: corners(3)

    corners = c_null_ptr
    if (size(matrix) == 0) return
    corners(1) = c_loc(matrix(1, 1))
    if (size(matrix, 1) > 1) corners(2) = c_loc(matrix(2, 1))
    if (size(matrix, 2) > 1) corners(3) = c_loc(matrix(1, 2))
  end function

  function corners_real64(matrix) result(corners)
    real(real64), intent(in), target :: matrix(:, :)
    type(c_ptr) :: corners(3)

    corners = c_null_ptr
    if (size(matrix) == 0) return
    corners(1) = c_loc(matrix(1, 1))
    if (size(matrix, 1) > 1) corners(2) = c_loc(matrix(2, 1))
    if (size(matrix, 2) > 1) corners(3) = c_loc(matrix(1, 2))
  end function

  ! Returns the leading dimension in elements; 0 if the memory is not column-major.
  pure integer(int64) function leading_dimension(corners, shape, element_size) result(ld)
    type(c_ptr), intent(in) :: corners(3)
    integer(int64), intent(in) :: shape(2), element_size
    integer(int64) :: places(3)

    places = transfer(corners, places)
    ld = max(shape(1), 1_int64)
    if (places(1) == 0) return
    if (shape(2) > 1) then
      ld = 0
      if (mod(places(3) - places(1), element_size) == 0) ld = max((places(3) - places(1)) / element_size, 0_int64)
    end if
    if (shape(1) > 1 .and. places(2) - places(1) /= element_size) ld = 0
  end function

  subroutine factorize(runtime, application, type, corners, shape, element_size, factorization, tile, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: application, type
    type(c_ptr), intent(in) :: corners(3)
    integer(int64), intent(in) :: shape(2), element_size
    type(troupe_factorization), intent(out) :: factorization
    integer, intent(in), optional :: tile
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: columns, ld

    columns = 0
    if (present(tile)) columns = tile
    ld = leading_dimension(corners, shape, element_size)
    if (ld == 0) then
      call refuse(troupe_invalid_argument, not_columns('matrix'), 'troupe_factorize', status, message)
      return
    end if
    factorization%type = type
    call conclude(c_factorize(runtime%c, application, type, corners(1), shape(1), shape(2), ld, columns, &
        factorization%c), 'troupe_factorize', status, message)
  end subroutine

  subroutine solve(factorization, type, corners, shape, element_size, status, message)
    type(troupe_factorization), intent(in) :: factorization
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: corners(3)
    integer(int64), intent(in) :: shape(2), element_size
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: ld
    character(*), parameter :: procedure = 'troupe_factorization_solve'

    ld = leading_dimension(corners, shape, element_size)
    if (ld == 0) then
      call refuse(troupe_invalid_argument, not_columns('right-hand side'), procedure, status, message)
    else if (c_associated(factorization%c) .and. factorization%type /= type) then
      call refuse(troupe_signature_mismatch, 'the factors are of ' // type_text(factorization%type) // &
          ', and the right-hand sides of ' // type_text(type), procedure, status, message)
    else
      call conclude(c_factorization_solve(factorization%c, corners(1), shape(1), shape(2), ld), procedure, status, &
          message)
    end if
  end subroutine

  pure function not_columns(what) result(text)
    character(*), intent(in) :: what
    character(:), allocatable :: text

    text = 'the columns of the ' // what // ' are not contiguous: give an array, or a section such as a(1:m, 1:n)'
  end function

  subroutine free_factorization(factorization)
    type(troupe_factorization), intent(inout) :: factorization

    call c_factorization_free(factorization%c)
    factorization%c = c_null_ptr
  end subroutine
end module
