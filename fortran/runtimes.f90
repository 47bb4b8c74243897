! Runtimes: starting, waiting, stopping.
module troupe_runtimes
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use troupe_errors
  use troupe_functions
  use troupe_objects
  implicit none
  private
  public :: troupe_start, troupe_connect, troupe_free, troupe_workers, troupe_progress, troupe_wait, troupe_wait_for
  public :: troupe_cancel, troupe_regroup

  ! Starts workers in this program, with options: troupe_start(runtime, options), or with the two usual options:
  ! troupe_start(runtime, cores, policy).
  interface troupe_start
    module procedure :: start_with_options, start_with_two
  end interface

  interface troupe_free
    module procedure :: free_runtime
  end interface

contains

  subroutine start_with_options(runtime, options, status, message)
    type(troupe_runtime), intent(out) :: runtime
    type(troupe_options), intent(in) :: options
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_options) :: given
    character(kind=c_char), allocatable, target :: policy(:), platform(:), more(:, :)
    type(c_ptr), allocatable, target :: list(:)
    integer :: i

    given%size = c_sizeof(given)
    given%cores = options%cores
    given%gpus = options%gpus
    given%trace = merge(1_c_int, 0_c_int, options%trace)
    given%why_after = options%why_after
    given%user = options%user
    given%execute = merge(1_c_int, 0_c_int, options%execute)
    if (associated(options%on_stall)) given%on_stall = c_funloc(options%on_stall)
    if (associated(options%on_warning)) given%on_warning = c_funloc(options%on_warning)
    if (allocated(options%policy)) then
      policy = to_c(options%policy)
      given%policy = c_loc(policy)
    end if
    if (allocated(options%platform)) then
      platform = to_c(options%platform)
      given%platform = c_loc(platform)
    end if
    if (allocated(options%more)) then
      allocate (more(len(options%more) + 1, size(options%more)), list(size(options%more) + 1))
      list = c_null_ptr
      do i = 1, size(options%more)
        more(:len_trim(options%more(i)) + 1, i) = to_c(options%more(i))
        list(i) = c_loc(more(1, i))
      end do
      given%more = c_loc(list)
    end if
    call conclude(c_start_with(given, runtime%c), 'troupe_start', status, message)
  end subroutine

  subroutine start_with_two(runtime, cores, policy, status, message)
    type(troupe_runtime), intent(out) :: runtime
    integer, intent(in), optional :: cores
    character(*), intent(in), optional :: policy
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(troupe_options) :: options

    if (present(cores)) options%cores = cores
    if (present(policy)) options%policy = policy
    call start_with_options(runtime, options, status, message)
  end subroutine

  ! Connects to the service of this node. `folder` is the folder of its sockets, `name` the program's name there.
  subroutine troupe_connect(runtime, folder, name, status, message)
    type(troupe_runtime), intent(out) :: runtime
    character(*), intent(in), optional :: folder, name
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code

    if (present(folder) .and. present(name)) then
      code = c_connect(to_c(folder), to_c(name), runtime%c)
    else if (present(folder)) then
      code = c_connect(folder=to_c(folder), runtime=runtime%c)
    else if (present(name)) then
      code = c_connect(name=to_c(name), runtime=runtime%c)
    else
      code = c_connect(runtime=runtime%c)
    end if
    call conclude(code, 'troupe_connect', status, message)
  end subroutine

  ! Waits for all tasks, and frees the runtime. The error reports what has failed since the last wait; the runtime is
  ! freed in any case, except in a kernel or a callback, where the error is troupe_wait_in_kernel.
  subroutine free_runtime(runtime, status, message)
    type(troupe_runtime), intent(inout) :: runtime
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code

    code = c_runtime_free(runtime%c)
    if (code /= troupe_wait_in_kernel) runtime%c = c_null_ptr
    call conclude(code, 'troupe_free', status, message)
  end subroutine

  subroutine troupe_workers(runtime, workers, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer, intent(out) :: workers
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_size_t) :: count

    count = 0
    call conclude(c_workers(runtime%c, count), 'troupe_workers', status, message)
    workers = int(count)
  end subroutine

  ! Stores how many tasks were submitted, and how many of these have ended.
  subroutine troupe_progress(runtime, submitted, ended, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(int64), intent(out) :: submitted, ended
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    submitted = 0
    ended = 0
    call conclude(c_progress(runtime%c, submitted, ended), 'troupe_progress', status, message)
  end subroutine

  ! Waits for all tasks; the error sums up what has failed since the last call. In the kernel of a nested task: waits
  ! for all children that it has submitted so far, and the error is that of the first failed child.
  subroutine troupe_wait(runtime, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_wait(runtime%c), 'troupe_wait', status, message)
  end subroutine

  ! Waits until all tasks submitted so far that change the data have ended.
  subroutine troupe_wait_for(runtime, handle, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: handle
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_wait_for(runtime%c, handle%c), 'troupe_wait_for', status, message)
  end subroutine

  ! Cancels all tasks that have not started.
  subroutine troupe_cancel(runtime, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_cancel(runtime%c), 'troupe_cancel', status, message)
  end subroutine

  ! Makes other clusters of cores while tasks run; needs 'regroup=true' among `more` of the options.
  subroutine troupe_regroup(runtime, clusters, status, message)
    type(troupe_runtime), intent(in) :: runtime
    character(*), intent(in) :: clusters
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_regroup(runtime%c, to_c(clusters)), 'troupe_regroup', status, message)
  end subroutine
end module
