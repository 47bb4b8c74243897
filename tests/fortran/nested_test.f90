! Nested tasks: kernels that submit tasks, wait for them, and use what they have written.
module nested_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use expectations
  use troupe
  implicit none
  private
  public :: test_nested_tasks

  ! The objects that kernels need, and the results that they have seen.
  type :: nested_program
    type(troupe_runtime) :: runtime
    type(troupe_codelet) :: codelet, child
    type(troupe_data) :: data
    integer :: status = -1
    character(300) :: message = ''
    real(real64) :: seen = -1
  end type

contains

  subroutine test_nested_tasks(runtime)
    type(troupe_runtime), intent(in) :: runtime

    call children_that_are_waited_for(runtime)
    call children_on_parts_and_temporaries(runtime)
    call weak_data(runtime)
    call failures_of_children(runtime)
    call refused_options(runtime)
  end subroutine

  ! Stores the Fibonacci number of the first argument at the address that is the second argument.
  recursive integer(c_int) function fibonacci(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    type(nested_program), pointer :: my
    type(troupe_future) :: futures(2)
    integer(int64), target :: parts(2)
    integer(int64), pointer :: number
    integer(int64) :: n, address

    call c_f_pointer(user, my)
    call troupe_argument(context, 1, n)
    call troupe_argument(context, 2, address)
    call c_f_pointer(transfer(address, c_null_ptr), number)
    outcome = 0
    number = n
    if (n < 2) return
    call submit_number(my, n - 1, parts(1), futures(1))
    call submit_number(my, n - 2, parts(2), futures(2))
    call troupe_future_wait(futures(1))
    call troupe_wait(my%runtime)
    number = sum(parts)
  end function

  subroutine submit_number(my, n, number, future)
    type(nested_program), intent(in) :: my
    integer(int64), intent(in) :: n
    integer(int64), target, intent(out) :: number
    type(troupe_future), intent(out) :: future

    number = -1
    call troupe_submit(my%runtime, my%codelet, [troupe_value(n), troupe_value(transfer(c_loc(number), 0_int64))], &
        nested=.true., future=future)
  end subroutine

  subroutine children_that_are_waited_for(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(nested_program), target :: my
    type(troupe_future) :: future
    integer(int64), target :: number

    my%runtime = runtime
    call troupe_codelet_define('fibonacci', [integer(c_int) ::], fibonacci, my%codelet, &
        arguments=[troupe_int64, troupe_int64], user=c_loc(my))
    call submit_number(my, 12_int64, number, future)
    call troupe_future_wait(future)
    call expect(number == 144, 'kernels wait for their children')
    call troupe_free(my%codelet)
  end subroutine

  integer(c_int) function add_one(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: x(:)

    call troupe_vector(context, 1, x)
    x = x + 1
    outcome = 0
  end function

  ! Divides the data, has children add to the halves and to a temporary, and adds the temporary to the first element.
  integer(c_int) function divide(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    type(nested_program), pointer :: my
    type(troupe_handle), allocatable :: halves(:)
    type(troupe_data) :: temporary
    type(troupe_hold) :: hold
    real(real64), pointer :: x(:), value
    integer :: i

    call c_f_pointer(user, my)
    call troupe_vector(context, 1, x)
    call troupe_partition(my%runtime, my%data, [troupe_block(1, 1, 3, 1), troupe_block(4, 1, 5, 1)], halves)
    call troupe_allocate(my%runtime, troupe_double, 1, 1, temporary)
    call troupe_acquire(my%runtime, temporary, troupe_write, hold)
    call troupe_scalar(hold, value)
    value = 40
    call troupe_free(hold)
    do i = 1, 2
      call troupe_submit(my%runtime, my%child, [halves(i)])
      call troupe_submit(my%runtime, my%child, [temporary])
    end do
    call troupe_acquire(my%runtime, temporary, troupe_read, hold)
    call troupe_scalar(hold, value)
    my%seen = value
    call troupe_free(hold)
    call troupe_wait_for(my%runtime, my%data)
    x(1) = x(1) + my%seen
    call troupe_free(temporary)
    outcome = 0
  end function

  subroutine children_on_parts_and_temporaries(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(nested_program), target :: my
    real(real64), target :: x(8)

    x = 0
    my%runtime = runtime
    call troupe_register(runtime, x, my%data, name='x')
    call troupe_codelet_define('add one', [troupe_read_write], add_one, my%child)
    call troupe_codelet_define('divide', [troupe_read_write], divide, my%codelet, user=c_loc(my))
    call troupe_submit(runtime, my%codelet, [my%data], nested=.true., name='outer')
    call troupe_submit(runtime, my%child, [my%data])
    call troupe_wait(runtime)
    call expect(nint(my%seen) == 42, 'a kernel acquires what its children have written')
    call expect(nint(x(1)) == 44 .and. all(nint(x(2:)) == 2), 'children use parts, before tasks that follow')
    call free_all(my)
  end subroutine

  ! Submits children on weak data, waits for these data, and looks at them.
  integer(c_int) function use_weak(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    type(nested_program), pointer :: my
    type(troupe_hold) :: hold
    real(real64), pointer :: x(:)
    integer :: i

    call c_f_pointer(user, my)
    do i = 1, 3
      call troupe_submit(my%runtime, my%child, [my%data])
    end do
    call troupe_acquire(my%runtime, my%data, troupe_read, hold, my%status, my%message)
    call troupe_vector(hold, x)
    my%seen = x(size(x))
    call troupe_free(hold)
    outcome = int(troupe_kernel_data_count(context), c_int)
  end function

  subroutine weak_data(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(nested_program), target :: my
    real(real64), target :: x(100)

    x = 0
    my%runtime = runtime
    call troupe_register(runtime, x, my%data)
    call troupe_codelet_define('add one', [troupe_read_write], add_one, my%child)
    call troupe_codelet_define('use weak', [integer(c_int) ::], use_weak, my%codelet, user=c_loc(my))
    call troupe_submit(runtime, my%child, [my%data])
    call troupe_submit(runtime, my%codelet, nested=.true., weak=[troupe_access(my%data, troupe_read_write)])
    call troupe_submit(runtime, my%child, [my%data])
    call troupe_wait(runtime)
    call expect(my%status == troupe_ok .and. nint(my%seen) == 4, 'children use weak data: ' // my%message)
    call expect(all(nint(x) == 5), 'tasks on weak data follow the children')
    call free_all(my)
  end subroutine

  integer(c_int) function fail_child(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user

    call troupe_kernel_fail(context, 'a child has no luck')
    outcome = 0
  end function

  integer(c_int) function have_children(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    type(nested_program), pointer :: my
    type(troupe_future) :: child

    call c_f_pointer(user, my)
    call troupe_submit(my%runtime, my%child, future=child)
    call troupe_future_wait(child, my%status, my%message)
    outcome = 0
  end function

  subroutine failures_of_children(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(nested_program), target :: my
    type(troupe_future) :: future
    integer :: status
    character(300) :: message

    my%runtime = runtime
    call troupe_codelet_define('fails', [integer(c_int) ::], fail_child, my%child)
    call troupe_codelet_define('outer', [integer(c_int) ::], have_children, my%codelet, user=c_loc(my))
    call troupe_submit(runtime, my%codelet, nested=.true., future=future)
    call troupe_future_wait(future, status, message)
    call expect_error(status, troupe_kernel_failed, message, 'a child has no luck')
    call expect_error(my%status, troupe_kernel_failed, my%message, 'a child has no luck')
    call troupe_wait(runtime, status, message)
    ! A task that is not nested cannot wait for what its kernel submits.
    call troupe_submit(runtime, my%codelet, nested=.false.)
    call troupe_wait(runtime, status, message)
    call expect(my%status == troupe_wait_in_kernel, 'other kernels do not wait: ' // troupe_error_name(my%status))
    call troupe_free(my%codelet)
    call troupe_free(my%child)
  end subroutine

  subroutine refused_options(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(nested_program) :: my
    real(real64), target :: x
    integer :: status
    character(300) :: message

    x = 0
    call troupe_register(runtime, x, my%data)
    call troupe_codelet_define('fails', [integer(c_int) ::], fail_child, my%codelet)
    call troupe_codelet_define('add one', [troupe_read_write], add_one, my%child)
    call troupe_submit(runtime, my%codelet, weak=[troupe_access(my%data, troupe_read)], status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'weak data are for the children of a nested task')
    call troupe_submit(runtime, my%codelet, nested=.true., weak=[troupe_access(my%data)], status=status, &
        message=message)
    call expect_error(status, troupe_invalid_argument, message, 'give each the mode')
    call troupe_submit(runtime, my%codelet, nested=.true., weak=[troupe_access(my%data, troupe_commute)], &
        status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'needs a mode of read, write or read_write')
    call troupe_wait(runtime)
    call free_all(my)
  end subroutine

  subroutine free_all(my)
    type(nested_program), intent(inout) :: my

    call troupe_free(my%data)
    call troupe_free(my%codelet)
    call troupe_free(my%child)
  end subroutine
end module
