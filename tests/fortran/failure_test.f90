! Mistakes of kernels and of programs, and the messages about them.
module failure_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use expectations
  use troupe
  implicit none
  private
  public :: test_failures

  ! A kernel's mistake, the message that the kernel got, and the runtime that it misuses.
  type :: mistake
    integer :: kind = 0, status = -1
    character(300) :: message
    type(troupe_runtime) :: runtime
    type(troupe_data) :: data
  end type

contains

  subroutine test_failures(runtime)
    type(troupe_runtime), intent(in) :: runtime

    call mistakes_in_kernels(runtime)
    call nothing_but_a_number(runtime)
    call used_after_the_end(runtime)
  end subroutine

  integer(c_int) function mistaken(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    type(mistake), pointer :: my
    real(real64), pointer :: x, a(:, :), v(:)
    real(real32), pointer :: wrong(:)
    integer(int32) :: argument
    real(real64) :: wrong_argument
    integer :: rows

    call c_f_pointer(user, my)
    outcome = 0
    select case (my%kind)
    case (1)
      call troupe_vector(context, 1, wrong, my%status, my%message)
      if (associated(wrong)) outcome = 1
    case (2)
      call troupe_matrix(context, 2, a, my%status, my%message)
      if (associated(a)) outcome = 1
    case (3)
      call troupe_columns(context, 0, a, rows, my%status, my%message)
    case (4)
      call troupe_scalar(context, 1, x, my%status, my%message)
      if (associated(x)) outcome = 1
    case (5)
      call troupe_vector(context, 1, v, my%status, my%message)
      if (associated(v)) outcome = 1
    case (6)
      call troupe_argument(context, 1, wrong_argument, my%status, my%message)
      if (wrong_argument > 0 .or. wrong_argument < 0) outcome = 1
    case (7)
      call troupe_argument(context, 2, argument, my%status, my%message)
    case (8)
      call troupe_wait(my%runtime, my%status, my%message)
    case (9)
      call troupe_free(my%runtime, my%status, my%message)
    case (10)
      call troupe_free(my%data, my%status, my%message)
    end select
  end function

  subroutine mistakes_in_kernels(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real64), target :: whole(4, 4)
    type(mistake), target :: my
    type(troupe_data) :: data
    type(troupe_codelet) :: codelet

    whole = 0
    call troupe_register(runtime, whole(1:3, 1:2), data, name='corner')
    my%runtime = runtime
    my%data = data
    call troupe_codelet_define('mistaken', [troupe_read_write], mistaken, codelet, arguments=[troupe_int32], &
        user=c_loc(my))
    call expect_mistake(1, troupe_signature_mismatch, &
        'data 1 of the task are of real(real64), and the kernel asks for real(real32)', 'troupe_vector: data 1')
    call expect_mistake(2, troupe_invalid_argument, 'the kernel asks for data 2, and the task has 1, counted from 1', &
        'troupe_matrix: the kernel asks for data 2')
    call expect_mistake(3, troupe_invalid_argument, 'the kernel asks for data 0', 'troupe_columns: ')
    call expect_mistake(4, troupe_signature_mismatch, 'the data are 3 x 2 elements, and not a scalar', &
        'troupe_scalar: ')
    call expect_mistake(5, troupe_signature_mismatch, 'a matrix of 3 x 2 elements with gaps', 'troupe_vector: ')
    call expect_mistake(6, troupe_signature_mismatch, &
        'argument 1 of the task is of integer(int32), and the kernel asks for real(real64)', 'troupe_argument: ')
    call expect_mistake(7, troupe_invalid_argument, 'the task has no argument 2, counted from 1', 'troupe_argument: ')
    call expect_mistake(8, troupe_wait_in_kernel, 'wait', '')
    call expect_mistake(9, troupe_wait_in_kernel, '', '')
    call expect_mistake(10, troupe_wait_in_kernel, '', '')
    call troupe_free(data)
    call troupe_free(codelet)

  contains

    ! Runs a task with a mistake. The kernel gets the first text, and the program the second one, if it is not empty,
    ! because the task has failed.
    subroutine expect_mistake(kind, wanted, in_kernel, in_program)
      integer, intent(in) :: kind, wanted
      character(*), intent(in) :: in_kernel, in_program
      integer :: status
      character(300) :: message

      my%kind = kind
      call troupe_submit(runtime, codelet, [data], [troupe_value(1)], name='a mistake')
      call troupe_wait(runtime, status, message)
      call expect(my%status == wanted, 'in a kernel ' // troupe_error_name(my%status) // ' is ' // &
          troupe_error_name(wanted))
      if (in_kernel /= '') call expect_text(my%message, in_kernel)
      if (in_program == '') then
        call expect(status == troupe_ok, 'the task has not failed: ' // message)
        return
      end if
      call expect_error(status, troupe_kernel_failed, message, in_program)
      call expect_text(message, 'a mistake')
      ! The data that a failed task should have written are lost until another task writes them.
      call forget(runtime, data)
    end subroutine
  end subroutine

  integer(c_int) function clear(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: a(:, :)

    call troupe_matrix(context, 1, a)
    a = 0
    outcome = 0
  end function

  subroutine forget(runtime, data)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_data), intent(in) :: data
    type(troupe_codelet) :: codelet

    call troupe_codelet_define('clear', [troupe_write], clear, codelet)
    call troupe_submit(runtime, codelet, [data])
    call troupe_wait(runtime)
    call troupe_free(codelet)
  end subroutine

  integer(c_int) function forty_two(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user

    outcome = 42
  end function

  subroutine nothing_but_a_number(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_codelet) :: codelet
    type(troupe_future) :: future
    integer :: status, outcome
    character(300) :: message

    call troupe_codelet_define('forty-two', [integer(c_int) ::], forty_two, codelet)
    call troupe_submit(runtime, codelet, values=[troupe_value(1)], status=status, message=message)
    call expect_error(status, troupe_signature_mismatch, message, &
        'codelet ''forty-two'' declares no arguments by value, and the task has 1')
    call troupe_submit(runtime, codelet, future=future)
    call troupe_future_wait(future, status, message)
    call expect_error(status, troupe_kernel_failed, message, 'the kernel returned 42')
    call troupe_future_status(future, outcome)
    call expect(outcome == troupe_failed, 'the future of a task that failed says so')
    call troupe_wait(runtime, status)
    call expect(status == troupe_kernel_failed, 'a wait without a message has the status')
    call troupe_free(codelet)
  end subroutine

  subroutine used_after_the_end(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_runtime) :: other, absent
    real(real64), target :: x
    type(troupe_data) :: data, of_other
    type(troupe_codelet) :: codelet, no_codelet
    integer :: status
    character(300) :: message

    x = 0
    call troupe_codelet_define('clear', [troupe_write], clear, codelet)
    call troupe_register(runtime, x, data)
    call troupe_submit(runtime, no_codelet, [data], status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'codelet is NULL')
    call troupe_wait(absent, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'runtime is NULL')
    call troupe_free(data)
    call troupe_submit(runtime, codelet, [data], status=status, message=message)
    call expect_error(status, troupe_invalid_handle, message, 'was used after its data or their runtime were freed')
    call troupe_wait_for(runtime, data, status, message)
    call expect_error(status, troupe_invalid_handle, message, 'was used after its data or their runtime were freed')

    call troupe_start(other, cores=1)
    call troupe_register(other, x, of_other)
    call troupe_submit(runtime, codelet, [of_other], status=status, message=message)
    call expect_error(status, troupe_invalid_handle, message, 'belongs to another runtime')
    call troupe_free(other)
    call troupe_submit(runtime, codelet, [of_other], status=status, message=message)
    call expect_error(status, troupe_invalid_handle, message, 'was used after its data or their runtime were freed')
    call troupe_free(of_other)
    call troupe_free(codelet)
  end subroutine
end module
