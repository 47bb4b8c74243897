! Arrays of all types and shapes, parts, memory of the runtime, holds, types of the program.
module data_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use expectations
  use troupe
  implicit none
  private
  public :: test_data

  type, bind(c) :: particle
    real(c_double) :: mass
    integer(c_int64_t) :: count
  end type

contains

  subroutine test_data(runtime)
    type(troupe_runtime), intent(in) :: runtime

    call all_types(runtime)
    call shapes(runtime)
    call sections(runtime)
    call parts(runtime)
    call volumes(runtime)
    call holds(runtime)
    call waits_of_a_holder(runtime)
    call own_types(runtime)
  end subroutine

  ! Negates a vector; the type of its elements is the argument.
  integer(c_int) function negate(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    integer(int32) :: type
    real(real32), pointer :: r4(:)
    real(real64), pointer :: r8(:)
    complex(real32), pointer :: c4(:)
    complex(real64), pointer :: c8(:)
    integer(int8), pointer :: i1(:)
    integer(int16), pointer :: i2(:)
    integer(int32), pointer :: i4(:)
    integer(int64), pointer :: i8(:)
    logical(c_bool), pointer :: l1(:)

    call troupe_argument(context, 1, type)
    outcome = 0
    select case (type)
    case (troupe_float)
      call troupe_vector(context, 1, r4)
      r4 = -r4
    case (troupe_double)
      call troupe_vector(context, 1, r8)
      r8 = -r8
    case (troupe_complex_float)
      call troupe_vector(context, 1, c4)
      c4 = -c4
    case (troupe_complex_double)
      call troupe_vector(context, 1, c8)
      c8 = -c8
    case (troupe_int8)
      call troupe_vector(context, 1, i1)
      i1 = -i1
    case (troupe_int16)
      call troupe_vector(context, 1, i2)
      i2 = -i2
    case (troupe_int32)
      call troupe_vector(context, 1, i4)
      i4 = -i4
    case (troupe_int64)
      call troupe_vector(context, 1, i8)
      i8 = -i8
    case (troupe_bool)
      call troupe_vector(context, 1, l1)
      l1 = .not. l1
    case default
      outcome = 1
    end select
  end function

  subroutine all_types(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real32), target :: r4(3) = [1, 2, 3]
    real(real64), target :: r8(3) = [1, 2, 3]
    complex(real32), target :: c4(3) = [(1, 2), (3, 4), (5, 6)]
    complex(real64), target :: c8(3) = [(1, 2), (3, 4), (5, 6)]
    integer(int8), target :: i1(3) = [integer(int8) :: 1, 2, 3]
    integer(int16), target :: i2(3) = [integer(int16) :: 1, 2, 3]
    integer(int32), target :: i4(3) = [1, 2, 3]
    integer(int64), target :: i8(3) = [1, 2, 3]
    logical(c_bool), target :: l1(3)
    type(troupe_data) :: data(9)
    type(troupe_codelet) :: codelet
    integer :: i

    l1 = [.true._c_bool, .false._c_bool, .true._c_bool]
    call troupe_register(runtime, r4, data(1))
    call troupe_register(runtime, r8, data(2))
    call troupe_register(runtime, c4, data(3))
    call troupe_register(runtime, c8, data(4))
    call troupe_register(runtime, i1, data(5))
    call troupe_register(runtime, i2, data(6))
    call troupe_register(runtime, i4, data(7))
    call troupe_register(runtime, i8, data(8))
    call troupe_register(runtime, l1, data(9))
    call expect(all(data%type == [troupe_float, troupe_double, troupe_complex_float, troupe_complex_double, &
        troupe_int8, troupe_int16, troupe_int32, troupe_int64, troupe_bool]), 'each array has its type')
    call expect(all(data%rows == 3 .and. data%cols == 1), 'each array has its shape')
    call troupe_codelet_define('negate', [troupe_read_write], negate, codelet, arguments=[troupe_int32])
    do i = 1, size(data)
      call troupe_submit(runtime, codelet, data(i:i), values=[troupe_value(data(i)%type)])
    end do
    call troupe_wait(runtime)
    call expect(all(abs(r4 + [1, 2, 3]) < 1e-6), 'real(real32) is negated')
    call expect(all(abs(r8 + [1, 2, 3]) < 1e-6), 'real(real64) is negated')
    call expect(all(abs(c4 + [(1, 2), (3, 4), (5, 6)]) < 1e-6), 'complex(real32) is negated')
    call expect(all(abs(c8 + [(1, 2), (3, 4), (5, 6)]) < 1e-6), 'complex(real64) is negated')
    call expect(all(i1 == [-1, -2, -3]), 'integer(int8) is negated')
    call expect(all(i2 == [-1, -2, -3]), 'integer(int16) is negated')
    call expect(all(i4 == [-1, -2, -3]), 'integer(int32) is negated')
    call expect(all(i8 == [-1, -2, -3]), 'integer(int64) is negated')
    call expect(all(l1 .eqv. [.false., .true., .false.]), 'logical(c_bool) is negated')
    do i = 1, size(data)
      call troupe_free(data(i))
    end do
    call troupe_free(codelet)
  end subroutine

  ! Writes row + 10 * column into each element of a matrix, and its shape into a vector.
  integer(c_int) function number(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :)
    integer, pointer :: seen(:)
    integer :: i, j

    call troupe_matrix(context, 1, a)
    call troupe_vector(context, 2, seen)
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i, j) = i + 10 * j
      end do
    end do
    seen = [shape(a), lbound(a)]
    outcome = 0
  end function

  subroutine shapes(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real64), allocatable, target :: a(:, :)
    real(real64), target :: empty(0), scalar
    integer, target :: seen(4)
    real(real64), pointer :: shifted(:, :)
    type(troupe_data) :: matrix, shape_seen, nothing, one
    type(troupe_codelet) :: codelet

    allocate (a(3, 2))
    call troupe_codelet_define('number', [troupe_write, troupe_write], number, codelet)
    call troupe_register(runtime, a, matrix, name='a')
    call troupe_register(runtime, seen, shape_seen)
    call troupe_submit(runtime, codelet, [matrix, shape_seen])
    call troupe_wait(runtime)
    call expect(all(abs(a - reshape([11, 12, 13, 21, 22, 23], [3, 2])) < 1e-6), 'a matrix is written by columns')
    call expect(all(seen == [3, 2, 1, 1]), 'its shape is that of the array')
    call troupe_free(matrix)

    ! A pointer with other bounds, and a scalar, which is a matrix of one element.
    shifted(-1:1, 5:6) => a
    call troupe_register(runtime, shifted, matrix)
    call troupe_submit(runtime, codelet, [matrix, shape_seen])
    call troupe_register(runtime, scalar, one)
    call troupe_wait(runtime)
    call expect(all(seen == [3, 2, 1, 1]), 'bounds of a pointer do not matter')
    call troupe_submit(runtime, codelet, [one, shape_seen])
    call troupe_wait(runtime)
    call expect(abs(scalar - 11) < 1e-6 .and. all(seen == 1), 'a scalar is one element')
    call troupe_register(runtime, empty, nothing)
    call expect(nothing%rows == 0 .and. nothing%cols == 1, 'an empty array can be registered')
    call troupe_free(nothing)
    call troupe_free(one)
    call troupe_free(matrix)
    call troupe_free(shape_seen)
    call troupe_free(codelet)
  end subroutine

  ! Adds the number of its elements to each element of a vector.
  integer(c_int) function add_size(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: x(:)

    call troupe_vector(context, 1, x)
    x = x + size(x)
    outcome = 0
  end function

  ! Sections with a leading dimension, rows of a matrix, and sections that are refused.
  subroutine sections(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real64), target :: a(5, 6)
    integer, target :: seen(4)
    type(troupe_data) :: section, row, shape_seen, refused
    type(troupe_codelet) :: fill, add
    integer :: status
    character(300) :: message

    a = -1
    call troupe_codelet_define('number', [troupe_write, troupe_write], number, fill)
    call troupe_codelet_define('add size', [troupe_read_write], add_size, add)
    call troupe_register(runtime, seen, shape_seen)
    call troupe_register(runtime, a(2:4, 3:4), section)
    call troupe_submit(runtime, fill, [section, shape_seen])
    call troupe_free(section)
    call expect(all(abs(a(2:4, 3:4) - reshape([11, 12, 13, 21, 22, 23], [3, 2])) < 1e-6), 'a section is written')
    call expect(all(seen == [3, 2, 1, 1]), 'the kernel sees the shape of the section')
    call expect(count(abs(a + 1) < 1e-6) == 24, 'nothing else is written')

    call troupe_register(runtime, a(1:5, 1:5:2), section)
    call troupe_submit(runtime, fill, [section, shape_seen])
    call troupe_free(section)
    call expect(abs(a(5, 3) - 25) < 1e-6 .and. abs(a(5, 5) - 35) < 1e-6, 'every other column can be registered')

    a = 0
    call troupe_register(runtime, a(3, :), row)
    call expect(row%rows == 1 .and. row%cols == 6, 'a row has one row')
    call troupe_submit(runtime, add, [row])
    call troupe_free(row)
    call expect(all(abs(a(3, :) - 6) < 1e-6) .and. abs(sum(a) - 36) < 1e-6, 'a row is a vector')

    call troupe_register(runtime, a(1:5:2, :), refused, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'neighbours in a column lie 16 bytes apart')
    call troupe_register(runtime, a(5:1:-1, 1), refused, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'run forwards')
    call troupe_register(runtime, a(:, 6:1:-1), refused, status=status, message=message)
    call expect(status == troupe_invalid_argument, 'columns in reverse are refused: ' // message)
    call troupe_submit(runtime, add, [refused], status=status, message=message)
    call expect_error(status, troupe_invalid_handle, message, 'an empty handle was used')
    call troupe_free(shape_seen)
    call troupe_free(fill)
    call troupe_free(add)
  end subroutine

  ! Fills whole columns by the leading dimension, as BLAS does.
  integer(c_int) function fill_columns(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :)
    integer :: rows

    call troupe_columns(context, 1, a, rows)
    call fill_with_ld(rows, size(a, 2), a, size(a, 1))
    outcome = merge(0, 1, is_contiguous(a))
  end function

  subroutine fill_with_ld(m, n, a, lda)
    integer, intent(in) :: m, n, lda
    real(real64), intent(inout) :: a(lda, *)

    a(1:m, 1:n) = 100 * m + n
  end subroutine

  subroutine parts(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real64), target :: a(5, 4)
    type(troupe_data) :: whole
    type(troupe_handle), allocatable :: tiles(:, :), pieces(:), again(:, :), halos(:)
    type(troupe_codelet) :: fill
    integer :: i, j, status
    character(300) :: message

    a = 0
    call troupe_codelet_define('fill', [troupe_write], fill_columns, fill)
    call troupe_register(runtime, a, whole)
    call troupe_partition(runtime, whole, 2, 3, tiles)
    call expect(all(shape(tiles) == [3, 2]), 'a matrix of 5 x 4 has 3 x 2 tiles of 2 x 3')
    call expect(all(tiles(3, :)%rows == 1) .and. all(tiles(:, 2)%cols == 1), 'the last tiles are smaller')
    do j = 1, 2
      do i = 1, 3
        call troupe_submit(runtime, fill, [tiles(i, j)])
      end do
    end do
    call troupe_wait(runtime)
    call expect(all(nint(a(1:4, 1:3)) == 203) .and. all(nint(a(5, 1:3)) == 103), 'tiles are filled')
    call expect(all(nint(a(1:4, 4)) == 201) .and. nint(a(5, 4)) == 101, 'the last tiles are filled')
    call troupe_partition(runtime, whole, 1, 1, again, status, message)
    call expect_error(status, troupe_overlapping_handles, message, 'part')
    call troupe_partition(runtime, whole, 0, 1, again, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'at least one row')
    call troupe_free(whole)

    call troupe_register(runtime, a, whole)
    call troupe_partition(runtime, whole, [troupe_block(1, 1, 5, 1), troupe_block(2, 3, 2, 2)], pieces)
    call troupe_submit(runtime, fill, pieces(2:2))
    call troupe_wait_for(runtime, pieces(2))
    call expect(all(nint(a(2:3, 3:4)) == 202), 'blocks are counted from 1')
    call expect(nint(a(1, 3)) == 203 .and. nint(a(4, 4)) == 201, 'nothing but the block is written')
    call troupe_halos(runtime, whole, [troupe_block(2, 3, 2, 2)], 2, 1, halos)
    call expect(halos(1)%rows == 5 .and. halos(1)%cols == 3, 'a halo part has its rim as far as the whole goes')
    call troupe_wait_for(runtime, halos(1))
    call troupe_submit(runtime, fill, halos, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'halo part')
    call troupe_halos(runtime, whole, [troupe_block(2, 3, 5, 2)], 2, 1, halos, status, message)
    call expect_error(status, troupe_overlapping_handles, message, 'does not lie inside')
    call troupe_repartition(runtime, whole, [troupe_block(1, 1, 5, 2), troupe_block(1, 3, 5, 2)], halos)
    call troupe_submit(runtime, fill, halos(2:2))
    call troupe_wait(runtime)
    call expect(all(nint(a(:, 3:4)) == 502), 'data are divided anew')
    call troupe_submit(runtime, fill, pieces(1:1), status=status, message=message)
    call expect_error(status, troupe_invalid_handle, message, 'after its data were')
    call troupe_free(whole)
    call troupe_submit(runtime, fill, pieces(1:1), status=status, message=message)
    call expect_error(status, troupe_invalid_handle, message, 'after its data or their runtime were freed')
    call troupe_free(fill)
  end subroutine

  ! Adds to each element of a box its place in it.
  integer(c_int) function add_places(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :, :)
    integer :: i, j, k

    call troupe_volume(context, 1, a)
    do k = 1, size(a, 3)
      do j = 1, size(a, 2)
        do i = 1, size(a, 1)
          a(i, j, k) = a(i, j, k) + i + 10 * j + 100 * k
        end do
      end do
    end do
    outcome = 0
  end function

  ! Takes a volume for a matrix.
  integer(c_int) function takes_matrix(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :)
    integer :: status
    character(300) :: message

    call troupe_matrix(context, 1, a, status, message)
    outcome = 0
  end function

  ! Arrays with three dimensions, their sections and boxes.
  subroutine volumes(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real64), target :: a(5, 4, 6)
    real(real64), pointer :: seen(:, :, :)
    type(troupe_data) :: whole, section, refused
    type(troupe_handle), allocatable :: boxes(:), others(:), halos(:), tiles(:, :)
    type(troupe_codelet) :: add, wrong
    type(troupe_hold) :: hold
    type(troupe_future) :: future
    integer :: status
    character(300) :: message

    a = 0
    call troupe_codelet_define('places', [troupe_read_write], add_places, add)
    call troupe_codelet_define('takes_matrix', [troupe_read_write], takes_matrix, wrong)
    call troupe_register(runtime, a, whole, name='a')
    call expect(whole%rows == 5 .and. whole%cols == 4 .and. whole%planes == 6, 'an array has three dimensions')
    call troupe_partition(runtime, whole, [troupe_box(1, 1, 1, 5, 4, 2), troupe_box(2, 1, 3, 3, 2, 2, 2, 3)], boxes)
    call troupe_submit(runtime, add, boxes(1:1))
    call troupe_submit(runtime, add, boxes(2:2))
    call troupe_wait(runtime)
    call expect(nint(a(5, 4, 2)) == 245 .and. nint(a(1, 1, 1)) == 111, 'the first box is written')
    call expect(nint(a(4, 3, 6)) == 223 .and. nint(a(2, 1, 3)) == 111, 'a box with steps is written')
    call expect(all(nint(a(:, 2, 3:)) == 0) .and. all(nint(a(:, :, 4:5)) == 0), 'nothing else is written')
    call troupe_partition(runtime, whole, [troupe_box(1, 1, 1, 1, 1, 1)], others, status, message)
    call expect_error(status, troupe_overlapping_handles, message, 'overlaps another part')
    call troupe_partition(runtime, whole, 2, 2, tiles, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'give boxes')
    call troupe_repartition(runtime, whole, [troupe_box(1, 1, 1, 5, 4, 3), troupe_box(1, 1, 4, 5, 4, 3)], others)
    call troupe_submit(runtime, wrong, others(2:2), future=future)
    call troupe_future_wait(future, status, message)
    call expect_error(status, troupe_kernel_failed, message, '5 x 4 x 3 elements, and not a matrix: use troupe_volume')
    call troupe_wait(runtime, status, message)
    call troupe_halos(runtime, whole, [troupe_box(2, 2, 2, 1, 1, 1)], 1, 0, 2, halos)
    call expect(halos(1)%rows == 3 .and. halos(1)%cols == 1 .and. halos(1)%planes == 4, 'a halo part has its rim')
    call troupe_free(whole)

    a = 0
    call troupe_register(runtime, a(2:4, 1:3, 2:6:2), section)
    call troupe_submit(runtime, add, [section])
    call troupe_wait(runtime)
    call expect(nint(a(4, 3, 6)) == 333 .and. nint(a(2, 1, 2)) == 111 .and. nint(sum(a)) == 27 * 222, &
        'a section is written')
    call troupe_acquire(runtime, section, troupe_read, hold)
    call troupe_volume(hold, seen)
    call expect(all(shape(seen) == 3) .and. associated(seen, a(2:4, 1:3, 2:6:2)), 'a hold sees the section')
    call troupe_free(hold)
    call troupe_free(section)
    call troupe_register(runtime, a(2:4, 3:3, :), section)
    call troupe_acquire(runtime, section, troupe_read, hold)
    call troupe_volume(hold, seen)
    call expect(all(shape(seen) == [3, 1, 6]) .and. associated(seen, a(2:4, 3:3, :)), 'a hold sees one column of each plane')
    call troupe_free(hold)
    call troupe_free(section)
    call troupe_register(runtime, a(:, 1:3, :), section)
    call troupe_partition(runtime, section, [troupe_box(1, 1, 1, 5, 2, 6, 2)], boxes)
    a = 0
    call troupe_submit(runtime, add, boxes)
    call troupe_wait(runtime)
    call expect(nint(a(5, 3, 6)) == 625 .and. nint(a(1, 1, 1)) == 111 .and. all(nint(a(:, 2, :)) == 0), &
        'a box of every other column is written')
    call troupe_free(section)
    call troupe_register(runtime, a(1:5:2, :, :), refused, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'neighbours lie 16, 40 and 160 bytes apart')
    call troupe_allocate(runtime, troupe_double, 2, 3, 4, whole)
    call troupe_acquire(runtime, whole, troupe_write, hold)
    call troupe_volume(hold, seen)
    call expect(all(shape(seen) == [2, 3, 4]) .and. is_contiguous(seen), 'memory of the runtime has no gaps')
    call troupe_free(hold)
    call troupe_free(whole)
    call troupe_free(add)
    call troupe_free(wrong)
  end subroutine

  ! Memory of the runtime, which the program fills and reads while it holds it.
  subroutine holds(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_data) :: data
    type(troupe_hold) :: hold
    type(troupe_codelet) :: codelet
    real(real32), pointer :: a(:, :), whole(:, :), wrong_rank(:), one
    real(real64), pointer :: wrong(:, :)
    integer :: status, rows
    character(300) :: message

    call troupe_allocate(runtime, troupe_float, 4, 2, data, name='temporary')
    call troupe_acquire(runtime, data, troupe_read, hold, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'temporary')
    call troupe_acquire(runtime, data, troupe_write, hold)
    call troupe_matrix(hold, a)
    call expect(all(shape(a) == [4, 2]), 'a hold has the shape of the data')
    a = 2.5
    call troupe_matrix(hold, wrong, status, message)
    call expect_error(status, troupe_signature_mismatch, message, &
        'the data are of real(real32), and the program asks for real(real64)')
    call expect(.not. associated(wrong), 'after an error the pointer is null')
    call troupe_scalar(hold, one, status, message)
    call expect_error(status, troupe_signature_mismatch, message, 'the data are 4 x 2 elements, and not a scalar')
    call troupe_free(hold)
    call troupe_matrix(hold, a, status, message)
    call expect_error(status, troupe_stopped, message, 'the hold was freed')

    call troupe_codelet_find('fill/float', codelet)
    call troupe_submit(runtime, codelet, [data], values=[troupe_value(1.5_real32)])
    call troupe_acquire(runtime, data, troupe_read, hold)
    call troupe_columns(hold, whole, rows)
    call expect(rows == 4 .and. all(abs(whole - 1.5) < 1e-6), 'a kernel of Troupe fills memory of the runtime')
    call troupe_vector(hold, wrong_rank)
    call expect(size(wrong_rank) == 8, 'a matrix without gaps is a vector, too')
    call troupe_free(hold)
    call troupe_free(data)
    call troupe_free(codelet)
  end subroutine

  ! Waits for a task on data that the program holds itself. Each wait is refused.
  subroutine waits_of_a_holder(runtime)
    type(troupe_runtime), intent(in) :: runtime
    character(*), parameter :: reason = 'waits for data that this thread holds (acquire), ''held'' in mode read_write'
    real(real32), target :: x(3)
    type(troupe_data) :: data
    type(troupe_hold) :: hold
    type(troupe_codelet) :: codelet
    type(troupe_future) :: future
    integer :: status
    character(300) :: message

    call troupe_register(runtime, x, data, name='held')
    call troupe_codelet_find('fill/float', codelet)
    call troupe_acquire(runtime, data, troupe_read_write, hold)
    call troupe_submit(runtime, codelet, [data], values=[troupe_value(1.5_real32)], future=future)
    call troupe_wait(runtime, status, message)
    call expect_error(status, troupe_invalid_argument, message, reason)
    call troupe_future_wait(future, status, message)
    call expect_error(status, troupe_invalid_argument, message, reason)
    call troupe_wait_for(runtime, data, status, message)
    call expect_error(status, troupe_invalid_argument, message, reason)
    call troupe_free(data, status, message)
    call expect_error(status, troupe_invalid_argument, message, reason)
    call troupe_free(hold)
    call troupe_wait(runtime)
    call expect(all(abs(x - 1.5) < 1e-6), 'after the end of the hold the task runs')
    call troupe_free(data)
    call troupe_free(codelet)
  end subroutine

  integer(c_int) function weigh(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    type(c_ptr) :: memory
    integer(int64) :: rows, cols, ld
    type(particle), pointer :: all(:), added

    call troupe_kernel_data(context, 1, memory, rows, cols, ld)
    call c_f_pointer(memory, all, [rows])
    call c_f_pointer(troupe_kernel_argument(context, 1), added)
    all%mass = all%mass + added%mass
    all%count = all%count + added%count
    outcome = merge(0, 1, cols == 1 .and. ld == 2)
  end function

  subroutine own_types(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(particle), target :: two(2), added
    integer(c_int) :: type, again
    integer(c_size_t) :: size
    type(troupe_data) :: data
    type(troupe_codelet) :: codelet
    integer :: status
    character(300) :: message
    real(real64), pointer :: wrong(:)
    type(troupe_hold) :: hold
    type(c_ptr) :: memory
    integer(int64) :: rows, cols, ld

    call troupe_type_define('particle', c_sizeof(two(1)), 8, type)
    call troupe_type_size(type, size)
    call expect(type >= 1000 .and. size == 16, 'a type of the program has its size')
    call troupe_type_define('particle', 8_c_size_t, 8, again, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'particle')
    two = [particle(1, 2), particle(3, 4)]
    added = particle(0.5, 1)
    call troupe_register(runtime, type, c_loc(two), 2_int64, 1_int64, 2_int64, data, name='particles')
    call troupe_codelet_define('weigh', [troupe_read_write], weigh, codelet, arguments=[type])
    call troupe_submit(runtime, codelet, [data], values=[troupe_value(type, c_loc(added))])
    call troupe_wait(runtime)
    call expect(abs(two(2)%mass - 3.5) < 1e-6 .and. two(2)%count == 5, 'kernels use types of the program')
    call troupe_set_sum(runtime, data, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'troupe_set_reduction')
    call troupe_acquire(runtime, data, troupe_read, hold)
    call troupe_vector(hold, wrong, status, message)
    call expect_error(status, troupe_signature_mismatch, message, 'the data are of troupe_type 100')
    call troupe_hold_memory(hold, memory, rows, cols, ld)
    call expect(c_associated(memory, c_loc(two)) .and. rows == 2 .and. cols == 1 .and. ld == 2, &
        'a hold gives the address and the shape of any type')
    call troupe_free(hold)
    call troupe_hold_memory(hold, memory, rows, cols, ld, status, message)
    call expect_error(status, troupe_stopped, message, 'the hold was freed')
    call troupe_free(data)
    call troupe_free(codelet)
  end subroutine
end module
