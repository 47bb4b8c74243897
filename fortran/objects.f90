! Constants, objects and the interfaces of procedures that a program gives to the runtime.
module troupe_objects
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, int8, real64
  use troupe_functions, only: c_handle, troupe_future
  implicit none
  private
  public :: troupe_future

  ! Values of `status`; `troupe_error_name` has their names.
  integer, parameter, public :: troupe_ok = 0, troupe_invalid_argument = 1, troupe_invalid_handle = 2, &
      troupe_conflicting_access = 3, troupe_overlapping_handles = 4, troupe_signature_mismatch = 5, &
      troupe_no_implementation = 6, troupe_wait_in_kernel = 7, troupe_stopped = 8, troupe_kernel_failed = 9, &
      troupe_cancelled = 10, troupe_callback_failed = 11, troupe_policy_failed = 12, troupe_out_of_memory = 13, &
      troupe_transfer_failed = 14, troupe_device_lost = 15, troupe_platform = 16, troupe_io = 17, &
      troupe_bad_input = 18, troupe_numerical = 19, troupe_service_lost = 20, troupe_internal = 21

  ! Types of elements and arguments. Fortran has no unsigned integers: kernels see these as integers of the same size.
  integer(c_int), parameter, public :: troupe_float = 0, troupe_double = 1, troupe_int32 = 2, troupe_int64 = 3, &
      troupe_uint32 = 4, troupe_uint64 = 5, troupe_int8 = 6, troupe_uint8 = 7, troupe_int16 = 8, troupe_uint16 = 9, &
      troupe_complex_float = 10, troupe_complex_double = 11, troupe_bool = 12

  ! Access modes. `troupe_declared`, in a task, is the mode that the codelet declares.
  integer(c_int), parameter, public :: troupe_read = 0, troupe_write = 1, troupe_read_write = 2, troupe_commute = 3, &
      troupe_reduce = 4, troupe_declared = 5

  ! Outcomes of a task.
  integer, parameter, public :: troupe_pending = 0, troupe_succeeded = 1, troupe_failed = 2, troupe_was_cancelled = 3

  ! Formats of reports.
  integer(c_int), parameter, public :: troupe_text = 0, troupe_json = 1

  ! Factorizations.
  integer(c_int), parameter, public :: troupe_cholesky = 0, troupe_lu = 1, troupe_qr = 2

  ! In the types below, `c` is the object of the C interface.
  type, public :: troupe_runtime
    type(c_ptr) :: c = c_null_ptr
  end type

  ! A reference to data, or to a part of them. It owns nothing, and may be copied.
  type, public :: troupe_handle
    type(c_handle) :: c
    integer(c_int) :: type = -1, planes = 1
    integer(int64) :: rows = 0, cols = 0
  end type

  ! A registration of data. It is a handle, too: a procedure that takes a handle also takes data.
  type, extends(troupe_handle), public :: troupe_data
    type(c_ptr) :: owner = c_null_ptr
  end type

  ! A block of a matrix: its first row and column, counted from 1, and its shape.
  type, public :: troupe_block
    integer(int64) :: row, col, rows, cols
  end type

  ! A box in an array with three dimensions: its first element, counted from 1, and its shape. With steps it has every
  ! `col_step`-th column and every `plane_step`-th plane of the whole.
  type, public :: troupe_box
    integer(int64) :: row, col, plane, rows, cols, planes
    integer(int64) :: col_step = 1, plane_step = 1
  end type

  ! A column-major block of memory, as reductions of the program see it. A matrix is one plane.
  type, bind(c), public :: troupe_view
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: rows = 0, cols = 0, ld = 0
    integer(c_size_t) :: element_size = 0
    integer(c_int64_t) :: planes = 1, plane_stride = 0
  end type

  ! Data that the program itself uses, until the hold is freed.
  type, public :: troupe_hold
    type(c_ptr) :: c = c_null_ptr
    integer(c_int) :: type = -1
  end type

  type, public :: troupe_codelet
    type(c_ptr) :: c = c_null_ptr
  end type

  ! The data of a task and their mode: troupe_access(x), or troupe_access(x, troupe_read).
  type, public :: troupe_access
    type(c_handle) :: handle
    integer(c_int) :: mode = troupe_declared
  end type

  ! An argument by value: troupe_value(2.5). A value of a type of the program is given as type and address.
  type, public :: troupe_value
    integer(c_int) :: type = -1
    integer(int8) :: bytes(16) = 0
    type(c_ptr) :: address = c_null_ptr
  end type

  type, public :: troupe_recording
    type(c_ptr) :: c = c_null_ptr
  end type

  ! Other data for a run of a recording: troupe_rebinding(recorded, now).
  type, public :: troupe_rebinding
    type(c_handle) :: recorded, now
  end type

  type, public :: troupe_trace
    type(c_ptr) :: c = c_null_ptr
  end type

  type, public :: troupe_factorization
    type(c_ptr) :: c = c_null_ptr
    integer(c_int) :: type = -1
  end type

  abstract interface
    ! A kernel. It returns 0; any other number means that the task has failed. Several threads call it at once.
    integer(c_int) function troupe_kernel(context, user) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context, user
    end function

    ! Returns the floating-point operations of a task.
    real(c_double) function troupe_flops(context, user) bind(c)
      import :: c_double, c_ptr
      type(c_ptr), value :: context, user
    end function

    ! Called once, by any thread, when nobody needs `user` any more.
    subroutine troupe_destroy(user) bind(c)
      import :: c_ptr
      type(c_ptr), value :: user
    end subroutine

    ! Writes the neutral element of a reduction everywhere.
    subroutine troupe_initialize(partial, user) bind(c)
      import :: c_ptr, troupe_view
      type(troupe_view), intent(in) :: partial
      type(c_ptr), value :: user
    end subroutine

    ! Adds one partial result of a reduction, `from`, to another partial result, `into`.
    subroutine troupe_combine(into, from, user) bind(c)
      import :: c_ptr, troupe_view
      type(troupe_view), intent(in) :: into, from
      type(c_ptr), value :: user
    end subroutine

    ! Called when a task has ended. It must not wait. `message`, a C string for troupe_string, says why the task failed.
    subroutine troupe_callback(task, status, message, user) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: task
      integer(c_int), value :: status
      type(c_ptr), value :: message, user
    end subroutine

    ! Called with a text about a stall or a problem. The text is a C string, which troupe_string converts.
    subroutine troupe_notice(text, user) bind(c)
      import :: c_ptr
      type(c_ptr), value :: text, user
    end subroutine

    ! Submits the tasks of a recording. It returns 0; any other number cancels the recording.
    integer(c_int) function troupe_program(user) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: user
    end function
  end interface
  public :: troupe_kernel, troupe_flops, troupe_destroy, troupe_initialize, troupe_combine, troupe_callback
  public :: troupe_notice, troupe_program

  ! Options of a runtime; the manual describes them (docs/c-interface.md, docs/reference/runtime-options.md).
  type, public :: troupe_options
    ! The number of workers in this program; 0 stands for one per core.
    integer :: cores = 0
    integer :: gpus = 0
    character(:), allocatable :: policy
    ! If true, a trace is recorded for troupe_take_trace.
    logical :: trace = .false.
    ! If nothing has happened for so many seconds, `on_stall` is called with the reasons; 0: never.
    real(real64) :: why_after = 0
    procedure(troupe_notice), pointer, nopass :: on_stall => null(), on_warning => null()
    ! The last argument of `on_stall` and `on_warning`.
    type(c_ptr) :: user = c_null_ptr
    ! A described machine for a run in virtual time.
    character(:), allocatable :: platform
    logical :: execute = .false.
    ! All other options, such as [character(16) :: 'seed=7', 'spin=20us']; trailing blanks do not count.
    character(:), allocatable :: more(:)
  end type
end module
