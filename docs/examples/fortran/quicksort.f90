! Sorts a vector: each task divides its part of it, and sorts both halves by tasks of its own.
module kernels
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use troupe
  implicit none

  ! The values that kernels need to submit tasks.
  type :: sorter
    type(troupe_runtime) :: runtime
    type(troupe_codelet) :: sort
    integer(c_int) :: handle_type
  end type

contains

  ! Submits a task that sorts the data. It gets their handle, too, to divide them.
  subroutine submit_sort(my, part)
    type(sorter), intent(in) :: my
    type(troupe_handle), target, intent(in) :: part

    call troupe_submit(my%runtime, my%sort, [part], [troupe_value(my%handle_type, c_loc(part))], nested=.true.)
  end subroutine

  recursive integer(c_int) function sort_part(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    type(sorter), pointer :: my
    type(troupe_handle), pointer :: part
    type(troupe_handle), allocatable :: halves(:)
    real(real64), pointer :: x(:)
    integer(int64) :: n, left

    outcome = 0
    call troupe_vector(context, 1, x)
    n = size(x, kind=int64)
    if (n <= 100) then
      call sort_here(x)
      return
    end if
    call divide(x, left)
    call c_f_pointer(user, my)
    call c_f_pointer(troupe_kernel_argument(context, 1), part)
    call troupe_partition(my%runtime, part, &
        [troupe_block(1, 1, left, 1), troupe_block(left + 1, 1, n - left, 1)], halves)
    call submit_sort(my, halves(1))
    call submit_sort(my, halves(2))
  end function

  ! Exchanges elements until none of the first `left` is above any of the others. Both sides have at least one.
  pure subroutine divide(x, left)
    real(real64), intent(inout) :: x(:)
    integer(int64), intent(out) :: left
    real(real64) :: pivot
    integer(int64) :: i

    pivot = x((size(x) + 1) / 2)
    i = 0
    left = size(x, kind=int64) + 1
    do
      do
        i = i + 1
        if (x(i) >= pivot) exit
      end do
      do
        left = left - 1
        if (x(left) <= pivot) exit
      end do
      if (i >= left) return
      x([i, left]) = x([left, i])
    end do
  end subroutine

  pure subroutine sort_here(x)
    real(real64), intent(inout) :: x(:)
    integer :: i, least

    do i = 1, size(x) - 1
      least = i - 1 + minloc(x(i:), 1)
      x([i, least]) = x([least, i])
    end do
  end subroutine
end module

program quicksort
  use kernels
  implicit none
  integer, parameter :: n = 100000
  real(real64), target :: x(n)
  type(sorter), target :: my
  type(troupe_data) :: vector
  integer :: i

  do i = 1, n
    x(i) = modulo(i * 7919_int64, 100003_int64)
  end do
  call troupe_start(my%runtime)
  call troupe_type_define('handle', storage_size(vector%troupe_handle, c_size_t) / 8, 8, my%handle_type)
  call troupe_codelet_define('sort', [troupe_read_write], sort_part, my%sort, arguments=[my%handle_type], user=c_loc(my))
  call troupe_register(my%runtime, x, vector, name='x')
  call submit_sort(my, troupe_data_handle(vector))
  call troupe_wait(my%runtime)
  print '(a, l1)', 'it is sorted: ', all(x(2:) >= x(:n - 1))
  call troupe_free(my%runtime)
end program
