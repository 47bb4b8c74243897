! Runtimes with options, reports, traces, runs in virtual time.
module runtime_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use expectations
  use troupe
  implicit none
  private
  public :: test_runtimes

contains

  subroutine test_runtimes()
    call options_of_runtimes()
    call notices()
    call reports()
    call virtual_time()
  end subroutine

  subroutine options_of_runtimes()
    type(troupe_runtime) :: runtime
    type(troupe_options) :: options
    type(troupe_codelet) :: codelet
    integer :: workers, status
    character(300) :: message

    call expect_text(troupe_version(), '.')
    call expect(troupe_error_name(troupe_signature_mismatch) == 'signature_mismatch', 'errors have names')
    call troupe_start(runtime, cores=1, policy='lws')
    call troupe_workers(runtime, workers)
    call expect(workers == 1, 'a runtime with one core has one worker')
    call troupe_regroup(runtime, 'single', status, message)
    call expect_error(status, troupe_invalid_argument, message, 'regroup')
    call troupe_free(runtime)
    call troupe_start(runtime, policy='hfet', status=status, message=message)
    call expect_error(status, troupe_invalid_argument, message, 'hfet')
    call troupe_start(runtime, cores=-1, status=status)
    call expect(status == troupe_invalid_argument, 'cores are not negative')

    options%cores = 2
    options%more = [character(20) :: 'oversubscribe=true', 'bind=false', 'seed=7']
    call troupe_start(runtime, options)
    call troupe_workers(runtime, workers)
    call expect(workers == 2, 'a runtime has as many workers as its options say')
    call troupe_free(runtime)
    options%more = [character(20) :: 'bind=false', 'no_option=1']
    call troupe_start(runtime, options, status, message)
    call expect_error(status, troupe_invalid_argument, message, 'no_option')
    call troupe_connect(runtime, folder='/nonexistent/folder', name='test', status=status, message=message)
    call expect(status == troupe_io .or. status == troupe_no_implementation, 'there is no service: ' // message)
    call troupe_codelet_find('no such/double', codelet, status, message)
    call expect_error(status, troupe_no_implementation, message, 'no such/double')
  end subroutine

  integer(c_int) function nothing(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user

    outcome = 0
  end function

  ! Spins until the program was told that it stalls, for at most ten seconds.
  integer(c_int) function spin(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    integer, pointer, volatile :: told
    integer(int64) :: start, now, rate

    call c_f_pointer(user, told)
    call system_clock(start, rate)
    now = start
    do while (told == 0 .and. now - start < 10 * rate)
      call system_clock(now)
    end do
    outcome = 0
  end function

  subroutine note_stall(text, user) bind(c, name='')
    type(c_ptr), value :: text, user
    integer, pointer, volatile :: told

    call c_f_pointer(user, told)
    told = merge(1, 2, index(troupe_string(text), 'spins') > 0)
  end subroutine

  subroutine notices()
    type(troupe_runtime) :: runtime
    type(troupe_options) :: options
    type(troupe_codelet) :: codelet, declared
    integer, target, volatile :: told
    integer :: status
    character(300) :: message

    told = 0
    options%cores = 1
    options%why_after = 0.05_real64
    options%on_stall => note_stall
    options%user = c_loc(told)
    call troupe_start(runtime, options)
    call troupe_codelet_define('spins', [integer(c_int) ::], spin, codelet, user=c_loc(told))
    call troupe_submit(runtime, codelet, name='spins')
    call troupe_wait(runtime)
    call expect(told == 1, 'a stall is told with its reasons')
    call troupe_codelet_declare('of a plug-in', [integer(c_int) ::], declared, arguments=[troupe_int8])
    call troupe_submit(runtime, declared, [troupe_value(1_int8)], status=status, message=message)
    call expect_error(status, troupe_no_implementation, message, 'of a plug-in')
    call troupe_free(declared)
    call troupe_free(codelet)
    call troupe_free(runtime)
  end subroutine

  subroutine reports()
    type(troupe_runtime) :: runtime
    type(troupe_options) :: options
    type(troupe_codelet) :: codelet
    type(troupe_trace) :: trace
    character(:), allocatable :: text
    character(300) :: message
    integer(int64) :: tasks, submitted, ended
    integer :: i, status, unit
    character(80) :: line
    real(real64) :: seconds

    options%cores = 1
    options%trace = .true.
    call troupe_start(runtime, options)
    call troupe_codelet_define('nothing at all', [integer(c_int) ::], nothing, codelet)
    do i = 1, 5
      call troupe_submit(runtime, codelet)
    end do
    call troupe_wait(runtime)
    call troupe_progress(runtime, submitted, ended)
    call expect(submitted == 5 .and. ended == 5, 'progress counts tasks')
    call troupe_virtual_time(runtime, seconds)
    call expect(.not. seconds > 0, 'a real machine has no virtual time')
    call troupe_why(runtime, text, format=troupe_json)
    call expect(text(1:1) == '{', 'the reasons are JSON')
    call troupe_why(runtime, text)
    call expect(len(text) > 0 .and. text(1:1) /= '{', 'the reasons are a text')
    call troupe_why(runtime, text, format=17, status=status, message=message)
    call expect(status == troupe_invalid_argument .and. len(text) == 0, 'there is no format 17: ' // message)
    call troupe_metrics(runtime, text)
    call expect_text(text, 'worker')
    call troupe_report(runtime, text)
    call expect_text(text, 'worker')

    call troupe_take_trace(runtime, trace)
    call troupe_trace_tasks(trace, tasks)
    call expect(tasks == 5, 'the trace has the tasks')
    call troupe_trace_report(trace, text)
    call expect_text(text, 'critical path')
    call troupe_trace_report(trace, text, format=troupe_json)
    call expect(text(1:1) == '{', 'the report of a trace is JSON')
    call troupe_trace_write(trace, 'fortran_trace.json', title='five tasks')
    open (newunit=unit, file='fortran_trace.json', status='old', action='read')
    read (unit, '(a)') line
    close (unit, status='delete')
    call expect(line /= '', 'a trace is written')
    call troupe_trace_write(trace, 'fortran_trace.txt', status=status, message=message)
    call expect_error(status, troupe_bad_input, message, 'fortran_trace.txt')
    call troupe_free(trace)
    call troupe_free(codelet)
    call troupe_free(runtime)
  end subroutine

  ! Returns the operations of a product of square matrices. In virtual time data have no memory, and their shape.
  real(c_double) function product_flops(context, user) bind(c, name='') result(flops)
    type(c_ptr), value :: context, user
    type(c_ptr) :: memory
    integer(int64) :: rows, cols, ld
    real(real64), pointer :: a(:, :)
    integer :: status
    character(300) :: message

    call troupe_kernel_data(context, 1, memory, rows, cols, ld)
    flops = 2 * real(rows, c_double) * cols * ld
    call troupe_matrix(context, 1, a, status, message)
    if (c_associated(memory) .or. index(message, 'data 1 have no memory in virtual time') == 0) flops = 0
  end function

  subroutine virtual_time()
    real(real64) :: small, large
    type(troupe_codelet) :: codelet

    call troupe_codelet_define('update', [troupe_read_write], nothing, codelet)
    call troupe_codelet_timed_as(codelet, 'cholesky/gemm/double')
    call troupe_codelet_set_flops(codelet, product_flops)
    small = time_of_ten(codelet, 512)
    large = time_of_ten(codelet, 1024)
    call expect(small > 0 .and. large > 2 * small .and. large < 10, 'tasks take the times of a described machine')
    call troupe_free(codelet)
  end subroutine

  real(real64) function time_of_ten(codelet, n) result(seconds)
    type(troupe_codelet), intent(in) :: codelet
    integer, intent(in) :: n
    type(troupe_runtime) :: runtime
    type(troupe_options) :: options
    type(troupe_data) :: data
    integer :: i

    options%platform = 'idgraf-double'
    options%cores = 4
    options%gpus = 2
    options%policy = 'heft'
    call troupe_start(runtime, options)
    call troupe_allocate(runtime, troupe_double, n, n, data)
    do i = 1, 10
      call troupe_submit(runtime, codelet, [data])
    end do
    call troupe_wait(runtime)
    call troupe_virtual_time(runtime, seconds)
    call troupe_free(data)
    call troupe_free(runtime)
  end function
end module
