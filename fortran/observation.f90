! Reports of a runtime, and traces. `format` is troupe_text, the default, or troupe_json.
module troupe_observation
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use troupe_errors
  use troupe_functions
  use troupe_objects
  implicit none
  private
  public :: troupe_why, troupe_metrics, troupe_report, troupe_virtual_time, troupe_take_trace, troupe_trace_tasks
  public :: troupe_trace_write, troupe_trace_report, troupe_free

  interface troupe_free
    module procedure :: free_trace
  end interface

contains

  ! Copies a text of C, and frees it.
  subroutine take(c_text, text)
    type(c_ptr), intent(in) :: c_text
    character(:), allocatable, intent(out) :: text

    text = troupe_string(c_text)
    call c_text_free(c_text)
  end subroutine

  pure integer(c_int) function format_of(format)
    integer(c_int), intent(in), optional :: format

    format_of = troupe_text
    if (present(format)) format_of = format
  end function

  ! Stores the reasons why tasks do not make progress, root causes first. Any thread may call it, also in kernels.
  subroutine troupe_why(runtime, text, format, status, message)
    type(troupe_runtime), intent(in) :: runtime
    character(:), allocatable, intent(out) :: text
    integer(c_int), intent(in), optional :: format
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: c_text

    c_text = c_null_ptr
    call conclude(c_why(runtime%c, format_of(format), c_text), 'troupe_why', status, message)
    call take(c_text, text)
  end subroutine

  ! Stores the figures of every actor's mailbox.
  subroutine troupe_metrics(runtime, text, format, status, message)
    type(troupe_runtime), intent(in) :: runtime
    character(:), allocatable, intent(out) :: text
    integer(c_int), intent(in), optional :: format
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: c_text

    c_text = c_null_ptr
    call conclude(c_metrics(runtime%c, format_of(format), c_text), 'troupe_metrics', status, message)
    call take(c_text, text)
  end subroutine

  ! Stores what each worker has done since the start, and what was copied.
  subroutine troupe_report(runtime, text, status, message)
    type(troupe_runtime), intent(in) :: runtime
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: c_text

    c_text = c_null_ptr
    call conclude(c_report(runtime%c, c_text), 'troupe_report', status, message)
    call take(c_text, text)
  end subroutine

  ! Stores the virtual time in seconds; 0 on a real machine.
  subroutine troupe_virtual_time(runtime, seconds, status, message)
    type(troupe_runtime), intent(in) :: runtime
    real(real64), intent(out) :: seconds
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    seconds = 0
    call conclude(c_virtual_time(runtime%c, seconds), 'troupe_virtual_time', status, message)
  end subroutine

  ! Takes the trace since the last call; needs `trace` among the options.
  subroutine troupe_take_trace(runtime, trace, status, message)
    type(troupe_runtime), intent(in) :: runtime
    type(troupe_trace), intent(out) :: trace
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_take_trace(runtime%c, trace%c), 'troupe_take_trace', status, message)
  end subroutine

  subroutine troupe_trace_tasks(trace, tasks, status, message)
    type(troupe_trace), intent(in) :: trace
    integer(int64), intent(out) :: tasks
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    tasks = 0
    call conclude(c_trace_tasks(trace%c, tasks), 'troupe_trace_tasks', status, message)
  end subroutine

  ! Writes a trace. `path` ends in ".json", for Perfetto, or ".paje", for ViTE.
  subroutine troupe_trace_write(trace, path, title, status, message)
    type(troupe_trace), intent(in) :: trace
    character(*), intent(in) :: path
    character(*), intent(in), optional :: title
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code

    if (present(title)) then
      code = c_trace_write(trace%c, to_c(path), to_c(title))
    else
      code = c_trace_write(trace%c, to_c(path))
    end if
    call conclude(code, 'troupe_trace_write', status, message)
  end subroutine

  ! Stores a report of where the time went, with the critical path.
  subroutine troupe_trace_report(trace, text, format, status, message)
    type(troupe_trace), intent(in) :: trace
    character(:), allocatable, intent(out) :: text
    integer(c_int), intent(in), optional :: format
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: c_text

    c_text = c_null_ptr
    call conclude(c_trace_report(trace%c, format_of(format), c_text), 'troupe_trace_report', status, message)
    call take(c_text, text)
  end subroutine

  subroutine free_trace(trace)
    type(troupe_trace), intent(inout) :: trace

    call c_trace_free(trace%c)
    trace%c = c_null_ptr
  end subroutine
end module
