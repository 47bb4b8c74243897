! Tasks, futures and recorded graphs.
module troupe_tasks
  use, intrinsic :: iso_c_binding
  use troupe_errors
  use troupe_functions
  use troupe_objects
  implicit none
  private
  public :: troupe_access, troupe_value, troupe_rebinding, troupe_submit, troupe_future_wait, troupe_future_status
  public :: troupe_future_cancel, troupe_record, troupe_run, troupe_free

  interface troupe_access
    module procedure :: access_of
  end interface

  interface troupe_value
    module procedure :: value_at
  end interface

  interface troupe_rebinding
    module procedure :: rebinding_of
  end interface

  ! Submits a task on data in the modes that the codelet declares, [x, y]; on accesses, [troupe_access(x, troupe_read)];
  ! or on no data. Blocks while too many tasks are in flight, except in kernels and callbacks. Optional are:
  !
  ! `values`: the arguments by value, such as [troupe_value(2.5), troupe_value(n)]
  ! `name`, `priority`
  ! `after`: tasks that must have ended before
  ! `deadline_s`: the seconds after which nobody wants the result (troupe_kernel_cancelled)
  ! `devices`: the devices that may run the task, such as "cores", "gpus", "#3|gpus"
  ! `nested`: if true, the tasks that the kernel submits, its children, belong to the task, which ends with the last of
  !   them. The kernel may wait for them: troupe_wait, troupe_future_wait, troupe_wait_for, troupe_acquire
  ! `weak`: data that only the children of a nested task use, each with a mode, [troupe_access(x, troupe_read_write)].
  !   The kernel gets no view of them, and does not wait for them
  ! `callback`: called with `user` when the task has ended
  ! `future`: refers to the task
  interface troupe_submit
    module procedure :: submit_on_data, submit_on_accesses, submit_on_nothing
  end interface

  interface troupe_free
    module procedure :: free_recording
  end interface

contains

  elemental type(troupe_access) function access_of(handle, mode)
    class(troupe_handle), intent(in) :: handle
    integer(c_int), intent(in), optional :: mode

    access_of%handle = handle%c
    if (present(mode)) access_of%mode = mode
  end function

  ! A value of a type of the program, by its address. The value is copied when the task is submitted.
  type(troupe_value) function value_at(type, address)
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: address

    value_at%type = type
    value_at%address = address
  end function

  type(troupe_rebinding) function rebinding_of(recorded, now)
    class(troupe_handle), intent(in) :: recorded, now

    rebinding_of%recorded = recorded%c
    rebinding_of%now = now%c
  end function

  subroutine submit_on_data(runtime, codelet, data, values, name, priority, after, devices, callback, user, &
      deadline_s, nested, weak, future, status, message)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_codelet), intent(in) :: codelet
    class(troupe_handle), intent(in) :: data(:)
    type(troupe_value), intent(in), optional :: values(:)
    character(*), intent(in), optional :: name
    integer, intent(in), optional :: priority
    type(troupe_future), intent(in), optional :: after(:)
    character(*), intent(in), optional :: devices
    procedure(troupe_callback), optional :: callback
    type(c_ptr), intent(in), optional :: user
    real(c_double), intent(in), optional :: deadline_s
    logical, intent(in), optional :: nested
    type(troupe_access), intent(in), optional :: weak(:)
    type(troupe_future), intent(out), optional :: future
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(troupe_access) :: accesses(size(data))
    integer :: i

    do i = 1, size(data)
      accesses(i)%handle = data(i)%c
    end do
    call submit_on_accesses(runtime, codelet, accesses, values, name, priority, after, devices, callback, user, &
        deadline_s, nested, weak, future, status, message)
  end subroutine

  subroutine submit_on_nothing(runtime, codelet, values, name, priority, after, devices, callback, user, deadline_s, &
      nested, weak, future, status, message)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_codelet), intent(in) :: codelet
    type(troupe_value), intent(in), optional :: values(:)
    character(*), intent(in), optional :: name
    integer, intent(in), optional :: priority
    type(troupe_future), intent(in), optional :: after(:)
    character(*), intent(in), optional :: devices
    procedure(troupe_callback), optional :: callback
    type(c_ptr), intent(in), optional :: user
    real(c_double), intent(in), optional :: deadline_s
    logical, intent(in), optional :: nested
    type(troupe_access), intent(in), optional :: weak(:)
    type(troupe_future), intent(out), optional :: future
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(troupe_access) :: accesses(0)

    call submit_on_accesses(runtime, codelet, accesses, values, name, priority, after, devices, callback, user, &
        deadline_s, nested, weak, future, status, message)
  end subroutine

  subroutine submit_on_accesses(runtime, codelet, accesses, values, name, priority, after, devices, callback, user, &
      deadline_s, nested, weak, future, status, message)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_codelet), intent(in) :: codelet
    type(troupe_access), intent(in) :: accesses(:)
    type(troupe_value), intent(in), optional :: values(:)
    character(*), intent(in), optional :: name
    integer, intent(in), optional :: priority
    type(troupe_future), intent(in), optional :: after(:)
    character(*), intent(in), optional :: devices
    procedure(troupe_callback), optional :: callback
    type(c_ptr), intent(in), optional :: user
    real(c_double), intent(in), optional :: deadline_s
    logical, intent(in), optional :: nested
    type(troupe_access), intent(in), optional :: weak(:)
    type(troupe_future), intent(out), optional :: future
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_access) :: uses(size(accesses))
    type(c_access), allocatable, target :: weak_uses(:)
    type(troupe_value), allocatable, target :: kept(:)
    type(c_value), allocatable :: arguments(:)
    type(c_task_options) :: options
    type(troupe_future) :: submitted
    type(troupe_future), allocatable, target :: before(:)
    character(kind=c_char), allocatable, target :: c_name(:), c_devices(:)
    integer :: i

    uses = c_accesses(accesses)
    allocate (kept(0))
    if (present(values)) kept = values
    allocate (arguments(size(kept)))
    do i = 1, size(kept)
      arguments(i) = c_value(kept(i)%type, kept(i)%address)
      if (.not. c_associated(kept(i)%address)) arguments(i)%value = c_loc(kept(i)%bytes)
    end do
    if (present(priority)) options%priority = priority
    if (present(name)) then
      c_name = to_c(name)
      options%name = c_loc(c_name)
    end if
    if (present(after)) then
      before = after
      options%after = c_loc(before)
      options%after_count = size(before, kind=c_size_t)
    end if
    if (present(devices)) then
      c_devices = to_c(devices)
      options%devices = c_loc(c_devices)
    end if
    if (present(callback)) options%callback = c_funloc(callback)
    if (present(user)) options%user = user
    if (present(deadline_s)) options%deadline_s = deadline_s
    if (present(nested)) options%nested = merge(1_c_int, 0_c_int, nested)
    if (present(weak)) then
      weak_uses = c_accesses(weak)
      options%weak = c_loc(weak_uses)
      options%weak_count = size(weak_uses, kind=c_size_t)
    end if
    call conclude(c_submit(runtime%c, codelet%c, uses, size(uses, kind=c_size_t), arguments, &
        size(arguments, kind=c_size_t), options, submitted), 'troupe_submit', status, message)
    if (present(future)) future = submitted
  end subroutine

  function c_accesses(accesses)
    type(troupe_access), intent(in) :: accesses(:)
    type(c_access) :: c_accesses(size(accesses))
    integer :: i

    do i = 1, size(accesses)
      c_accesses(i) = c_access(accesses(i)%handle, accesses(i)%mode)
    end do
  end function

  ! Waits until the task has ended; it is an error if the task did not succeed. A kernel may wait for the children of
  ! its nested task.
  subroutine troupe_future_wait(future, status, message)
    type(troupe_future), intent(in) :: future
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_future_wait(future), 'troupe_future_wait', status, message)
  end subroutine

  ! Stores troupe_pending, troupe_succeeded, troupe_failed or troupe_was_cancelled.
  subroutine troupe_future_status(future, outcome, status, message)
    type(troupe_future), intent(in) :: future
    integer, intent(out) :: outcome
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: found

    found = troupe_pending
    call conclude(c_future_status(future, found), 'troupe_future_status', status, message)
    outcome = found
  end subroutine

  subroutine troupe_future_cancel(future, status, message)
    type(troupe_future), intent(in) :: future
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_future_cancel(future), 'troupe_future_cancel', status, message)
  end subroutine

  ! Records the tasks that `program` submits in this thread, instead of running them.
  subroutine troupe_record(runtime, program, recording, user, name, status, message)
    type(troupe_runtime), intent(in) :: runtime
    procedure(troupe_program) :: program
    type(troupe_recording), intent(out) :: recording
    type(c_ptr), intent(in), optional :: user
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: given
    integer(c_int) :: code

    given = c_null_ptr
    if (present(user)) given = user
    if (present(name)) then
      code = c_record(runtime%c, c_funloc(program), given, to_c(name), recording%c)
    else
      code = c_record(runtime%c, c_funloc(program), given, recording=recording%c)
    end if
    call conclude(code, 'troupe_record', status, message)
  end subroutine

  ! Submits one run, with other data in place of some of the recorded data.
  subroutine troupe_run(recording, rebindings, future, status, message)
    type(troupe_recording), intent(in) :: recording
    type(troupe_rebinding), intent(in), optional :: rebindings(:)
    type(troupe_future), intent(out), optional :: future
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_rebinding), allocatable :: exchanged(:)
    type(troupe_future) :: submitted
    integer :: i, count

    count = 0
    if (present(rebindings)) count = size(rebindings)
    allocate (exchanged(count))
    do i = 1, count
      exchanged(i) = c_rebinding(rebindings(i)%recorded, rebindings(i)%now)
    end do
    call conclude(c_run(recording%c, exchanged, int(count, c_size_t), submitted), 'troupe_run', status, message)
    if (present(future)) future = submitted
  end subroutine

  subroutine free_recording(recording)
    type(troupe_recording), intent(inout) :: recording

    call c_recording_free(recording%c)
    recording%c = c_null_ptr
  end subroutine
end module
