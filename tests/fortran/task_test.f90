! Tasks: modes, arguments, order, futures, callbacks, reductions, recordings.
module task_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use expectations
  use troupe
  implicit none
  private
  public :: test_tasks

  type :: recorded_program
    type(troupe_runtime) :: runtime
    type(troupe_codelet) :: codelet
    type(troupe_data) :: data
  end type

  type :: seen_outcome
    integer :: status = -1
    character(200) :: message = ''
  end type

contains

  subroutine test_tasks(runtime)
    type(troupe_runtime), intent(in) :: runtime

    call arguments(runtime)
    call order(runtime)
    call callbacks(runtime)
    call sums(runtime)
    call own_reductions(runtime)
    call recordings(runtime)
    call objects_of_the_program(runtime)
  end subroutine

  ! Adds the first argument times the second one to a scalar, and the third one to its imaginary part.
  integer(c_int) function add(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    complex(real64), pointer :: x
    integer(int32) :: times
    real(real64) :: amount
    complex(real64) :: shift
    logical(c_bool) :: really

    call troupe_scalar(context, 1, x)
    call troupe_argument(context, 1, times)
    call troupe_argument(context, 2, amount)
    call troupe_argument(context, 3, shift)
    call troupe_argument(context, 4, really)
    if (really) x = x + times * amount + shift
    outcome = 0
  end function

  subroutine arguments(runtime)
    type(troupe_runtime), intent(in) :: runtime
    complex(real64), target :: x
    type(troupe_data) :: data
    type(troupe_codelet) :: codelet
    type(troupe_value) :: values(4)
    integer :: status
    character(300) :: message

    x = (1, 1)
    call troupe_codelet_define('add', [troupe_read_write], add, codelet, &
        arguments=[troupe_int32, troupe_double, troupe_complex_double, troupe_bool])
    call troupe_register(runtime, x, data, name='x')
    values = [troupe_value(3), troupe_value(2.5_real64), troupe_value((0.0_real64, 4.0_real64)), &
        troupe_value(.true._c_bool)]
    call troupe_submit(runtime, codelet, [data], values)
    call troupe_submit(runtime, codelet, [troupe_access(data, troupe_read_write)], values)
    call troupe_submit(runtime, codelet, [troupe_access(data)], values)
    values(4) = troupe_value(.false._c_bool)
    call troupe_submit(runtime, codelet, [data], values)
    call troupe_wait(runtime)
    call expect(abs(x - (23.5, 13.0)) < 1e-6, 'arguments by value arrive')
    values(2) = troupe_value(2.5_real32)
    call troupe_submit(runtime, codelet, [data], values, status=status, message=message)
    call expect_error(status, troupe_signature_mismatch, message, "codelet 'add': argument 1 is float")
    values(2) = troupe_value(2.5_real64)
    call troupe_submit(runtime, codelet, [data], status=status, message=message)
    call expect_error(status, troupe_signature_mismatch, message, 'add')
    call troupe_submit(runtime, codelet, [data, data], values, status=status, message=message)
    call expect_error(status, troupe_signature_mismatch, message, 'add')
    call troupe_submit(runtime, codelet, [troupe_access(data, troupe_read)], values, status=status, message=message)
    call expect_error(status, troupe_signature_mismatch, message, 'read')
    call troupe_submit(runtime, codelet, [troupe_access(data, 77)], values, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, '77')
    call troupe_free(data)
    call troupe_free(codelet)
  end subroutine

  ! Multiplies a scalar by 10, and adds the argument.
  integer(c_int) function append(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    integer(int64), pointer :: x
    integer(int64) :: digit

    call troupe_scalar(context, 1, x)
    call troupe_argument(context, 1, digit)
    x = 10 * x + digit
    outcome = 0
  end function

  integer(c_int) function nothing(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    integer :: count, worker

    count = troupe_kernel_data_count(context)
    worker = troupe_kernel_worker(context)
    outcome = merge(0, 1, count == 0 .and. worker >= 0)
  end function

  subroutine order(runtime)
    type(troupe_runtime), intent(in) :: runtime
    integer(int64), target :: x
    type(troupe_data) :: data
    type(troupe_codelet) :: codelet, empty
    type(troupe_future) :: future, last
    integer :: i, outcome, status
    character(300) :: message

    x = 0
    call troupe_codelet_define('append', [troupe_read_write], append, codelet, arguments=[troupe_int64])
    call troupe_codelet_define('nothing', [integer(c_int) ::], nothing, empty)
    call troupe_register(runtime, x, data)
    do i = 1, 9
      call troupe_submit(runtime, codelet, [data], [troupe_value(int(i, int64))], priority=i, future=future)
    end do
    call troupe_future_wait(future)
    call expect(x == 123456789_int64, 'tasks on the same data run in the order of submission')
    call troupe_submit(runtime, empty, name='after', after=[future], devices='cores', future=last)
    call troupe_future_wait(last)
    call troupe_future_status(last, outcome)
    call expect(outcome == troupe_succeeded, 'a task without data succeeds')
    call troupe_submit(runtime, empty, devices='', status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, "restriction 'task:'")
    call troupe_submit(runtime, empty, deadline_s=-1.0_real64, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'deadline')
    call troupe_submit(runtime, empty, deadline_s=1e-9_real64, future=last)
    call troupe_future_wait(last, status, message)
    call expect_error(status, troupe_cancelled, message, 'its deadline passed')
    call troupe_wait(runtime, status)
    call troupe_discard(runtime, data)
    call troupe_submit(runtime, codelet, [data], [troupe_value(1_int64)], status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'discarded')
    call troupe_future_wait(troupe_future(), status, message)
    call expect(status == troupe_invalid_argument, 'an empty future is refused: ' // message)
    call troupe_cancel(runtime)
    call troupe_future_cancel(last)
    call troupe_free(data)
    call troupe_free(codelet)
    call troupe_free(empty)
  end subroutine

  integer(c_int) function fail(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user

    if (c_associated(user)) call troupe_kernel_fail(context, 'no such luck')
    outcome = 0
  end function

  subroutine note(task, status, message, user) bind(c, name='')
    integer(c_int64_t), value :: task
    integer(c_int), value :: status
    type(c_ptr), value :: message, user
    type(seen_outcome), pointer :: seen

    call c_f_pointer(user, seen)
    seen%message = troupe_string(message)
    seen%status = merge(int(status), -2, task /= 0)
  end subroutine

  subroutine callbacks(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(seen_outcome), target :: seen(2)
    type(troupe_codelet) :: fails, succeeds
    type(troupe_future) :: future(2)
    integer :: status
    character(300) :: message

    call troupe_codelet_define('fails', [integer(c_int) ::], fail, fails, user=c_loc(seen))
    call troupe_codelet_define('succeeds', [integer(c_int) ::], fail, succeeds)
    call troupe_submit(runtime, fails, name='step 7', callback=note, user=c_loc(seen(1)), future=future(1))
    call troupe_submit(runtime, succeeds, callback=note, user=c_loc(seen(2)), future=future(2))
    call troupe_wait(runtime, status, message)
    call expect_error(status, troupe_kernel_failed, message, 'no such luck')
    call expect_text(message, 'step 7')
    call expect(seen(1)%status == troupe_failed .and. seen(2)%status == troupe_succeeded, 'callbacks get the outcomes')
    call expect_text(seen(1)%message, 'no such luck')
    call troupe_wait(runtime, message=message)
    call expect(message == '', 'a failure is reported once')
    call troupe_free(fails)
    call troupe_free(succeeds)
  end subroutine

  integer(c_int) function add_argument(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    integer, pointer :: partial
    integer :: value

    call troupe_scalar(context, 1, partial)
    call troupe_argument(context, 1, value)
    partial = partial + value
    outcome = 0
  end function

  subroutine sums(runtime)
    type(troupe_runtime), intent(in) :: runtime
    integer, target :: total
    type(troupe_data) :: data
    type(troupe_codelet) :: codelet
    integer :: i

    total = 1000
    call troupe_register(runtime, total, data)
    call troupe_set_sum(runtime, data)
    call troupe_codelet_define('sum', [troupe_reduce], add_argument, codelet, arguments=[troupe_int32])
    do i = 1, 100
      call troupe_submit(runtime, codelet, [data], [troupe_value(i)])
    end do
    call troupe_wait_for(runtime, data)
    call expect(total == 6050, 'a reduction adds to what was there')
    call troupe_free(data)
    call troupe_free(codelet)
  end subroutine

  subroutine no_largest(partial, user) bind(c, name='')
    type(troupe_view), intent(in) :: partial
    type(c_ptr), value :: user
    real(real32), pointer :: x(:), again(:, :)
    real(real64), pointer :: wrong(:)
    logical(c_bool), pointer :: refused
    integer :: status, status_of_matrix
    character(300) :: message

    call c_f_pointer(user, refused)
    call troupe_vector(partial, wrong, status, message)
    call troupe_matrix(partial, again, status_of_matrix)
    refused = status == troupe_signature_mismatch .and. status_of_matrix == troupe_ok .and. &
        message == 'the elements have 4 bytes, and those of real(real64) have 8'
    call troupe_vector(partial, x)
    x = -huge(x)
  end subroutine

  subroutine join_largest(into, from, user) bind(c, name='')
    type(troupe_view), intent(in) :: into, from
    type(c_ptr), value :: user
    real(real32), pointer :: x(:), y(:)

    call troupe_vector(into, x)
    call troupe_vector(from, y)
    x = max(x, y)
  end subroutine

  integer(c_int) function look_at(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real32), pointer :: partial(:)
    real(real32) :: value

    call troupe_vector(context, 1, partial)
    call troupe_argument(context, 1, value)
    partial = max(partial, [value, -value])
    outcome = 0
  end function

  subroutine own_reductions(runtime)
    type(troupe_runtime), intent(in) :: runtime
    real(real32), target :: extremes(2)
    logical(c_bool), target :: refused
    type(troupe_data) :: data
    type(troupe_codelet) :: codelet
    integer :: i

    refused = .false.
    extremes = 0
    call troupe_register(runtime, extremes, data)
    call troupe_set_reduction(runtime, data, no_largest, join_largest, user=c_loc(refused))
    call troupe_codelet_define('look at', [troupe_reduce], look_at, codelet, arguments=[troupe_float])
    do i = -50, 70
      call troupe_submit(runtime, codelet, [data], [troupe_value(real(i, real32))])
    end do
    call troupe_free(data)
    call expect(all(nint(extremes) == [70, 50]), 'a reduction of the program finds the extremes')
    call expect(logical(refused), 'the elements of a reduction are checked')
    call troupe_free(codelet)
  end subroutine

  integer(c_int) function twice(user) bind(c, name='') result(outcome)
    type(c_ptr), value :: user
    type(recorded_program), pointer :: program

    call c_f_pointer(user, program)
    call troupe_submit(program%runtime, program%codelet, [program%data], [troupe_value(1_int64)])
    call troupe_submit(program%runtime, program%codelet, [program%data], [troupe_value(2_int64)])
    outcome = 0
  end function

  integer(c_int) function give_up(user) bind(c, name='') result(outcome)
    type(c_ptr), value :: user

    outcome = merge(3, 4, c_associated(user))
  end function

  subroutine recordings(runtime)
    type(troupe_runtime), intent(in) :: runtime
    type(recorded_program), target :: program
    type(troupe_recording) :: recording, none
    type(troupe_data) :: other
    type(troupe_future) :: future
    integer(int64), target :: x, y
    integer :: status
    character(300) :: message

    x = 0
    y = 7
    program%runtime = runtime
    call troupe_codelet_define('append', [troupe_read_write], append, program%codelet, arguments=[troupe_int64])
    call troupe_register(runtime, x, program%data)
    call troupe_register(runtime, y, other)
    call troupe_record(runtime, twice, recording, user=c_loc(program), name='twice')
    call troupe_run(recording)
    call troupe_run(recording)
    call troupe_run(recording, [troupe_rebinding(program%data, other)], future)
    call troupe_future_wait(future)
    call troupe_wait(runtime)
    call expect(x == 1212 .and. y == 712, 'a recording runs, and on other data, too')
    call troupe_record(runtime, give_up, none, status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'gave up with 4')
    call troupe_free(recording)
    call troupe_free(program%data)
    call troupe_free(other)
    call troupe_free(program%codelet)
  end subroutine

  subroutine count_end(user) bind(c, name='')
    type(c_ptr), value :: user
    integer, pointer :: ends

    call c_f_pointer(user, ends)
    ends = ends + 1
  end subroutine

  subroutine objects_of_the_program(runtime)
    type(troupe_runtime), intent(in) :: runtime
    integer, target :: ends
    type(troupe_codelet) :: codelet

    ends = 0
    call troupe_codelet_define('once', [integer(c_int) ::], nothing, codelet, user=c_loc(ends), destroy=count_end)
    call troupe_free(codelet)
    call troupe_wait(runtime)
    call expect(ends == 1, 'the object of a codelet that was freed is given back once')
  end subroutine
end module
