! Codelets, and questions of kernels about their task. arrays.f90.in has the kernels' arrays and arguments.
module troupe_codelets
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use troupe_errors
  use troupe_functions
  use troupe_objects
  implicit none
  private
  public :: troupe_codelet_find, troupe_codelet_declare, troupe_codelet_define, troupe_codelet_set_flops
  public :: troupe_codelet_timed_as, troupe_free, troupe_kernel_data_count, troupe_kernel_data, troupe_kernel_argument
  public :: troupe_kernel_worker, troupe_kernel_cancelled, troupe_kernel_fail

  interface troupe_free
    module procedure :: free_codelet
  end interface

contains

  ! Finds a kernel that comes with Troupe, such as "gemm_nt/double"; `troupe info --kernels` lists them.
  subroutine troupe_codelet_find(name, codelet, status, message)
    character(*), intent(in) :: name
    type(troupe_codelet), intent(out) :: codelet
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_codelet_find(to_c(name), codelet%c), 'troupe_codelet_find', status, message)
  end subroutine

  ! Declares a codelet of a service's plug-in; it has no kernel in this program. `arguments` are the types of the
  ! arguments by value, such as [troupe_double, troupe_int32].
  subroutine troupe_codelet_declare(name, modes, codelet, arguments, status, message)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: modes(:)
    type(troupe_codelet), intent(out) :: codelet
    integer(c_int), intent(in), optional :: arguments(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int), allocatable :: types(:)

    allocate (types(0))
    if (present(arguments)) types = arguments
    call conclude(c_codelet_declare(to_c(name), modes, size(modes, kind=c_size_t), types, size(types, kind=c_size_t), &
        codelet%c), 'troupe_codelet_declare', status, message)
  end subroutine

  ! Defines a codelet with a kernel of the program, for CPU cores. `user` is the kernel's second argument; `destroy` is
  ! called with it once, when no task needs it any more.
  subroutine troupe_codelet_define(name, modes, kernel, codelet, arguments, user, destroy, status, message)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: modes(:)
    procedure(troupe_kernel) :: kernel
    type(troupe_codelet), intent(out) :: codelet
    integer(c_int), intent(in), optional :: arguments(:)
    type(c_ptr), intent(in), optional :: user
    procedure(troupe_destroy), optional :: destroy
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int), allocatable :: types(:)
    type(c_ptr) :: owned
    type(c_funptr) :: last

    allocate (types(0))
    owned = c_null_ptr
    last = c_null_funptr
    if (present(arguments)) types = arguments
    if (present(user)) owned = user
    if (present(destroy)) last = c_funloc(destroy)
    call conclude(c_codelet_define(to_c(name), modes, size(modes, kind=c_size_t), types, size(types, kind=c_size_t), &
        c_funloc(kernel), owned, last, codelet%c), 'troupe_codelet_define', status, message)
  end subroutine

  ! Sets a function that returns a task's floating-point operations. Call this before the codelet is first submitted.
  subroutine troupe_codelet_set_flops(codelet, flops, status, message)
    type(troupe_codelet), intent(in) :: codelet
    procedure(troupe_flops) :: flops
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_codelet_set_flops(codelet%c, c_funloc(flops)), 'troupe_codelet_set_flops', status, message)
  end subroutine

  ! Sets the kernel of a described machine whose times this codelet takes, such as "cholesky/gemm/double".
  subroutine troupe_codelet_timed_as(codelet, kernel, status, message)
    type(troupe_codelet), intent(in) :: codelet
    character(*), intent(in) :: kernel
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_codelet_timed_as(codelet%c, to_c(kernel)), 'troupe_codelet_timed_as', status, message)
  end subroutine

  subroutine free_codelet(codelet)
    type(troupe_codelet), intent(inout) :: codelet

    call c_codelet_free(codelet%c)
    codelet%c = c_null_ptr
  end subroutine

  ! Returns the number of data of the running task.
  integer function troupe_kernel_data_count(context)
    type(c_ptr), intent(in) :: context

    troupe_kernel_data_count = int(c_kernel_data_count(context))
  end function

  ! Stores address and shape of the data number `index`, for types that the program defines and for data without memory.
  ! All results are 0 if there are no such data.
  subroutine troupe_kernel_data(context, index, memory, rows, cols, ld)
    type(c_ptr), intent(in) :: context
    integer, intent(in) :: index
    type(c_ptr), intent(out) :: memory
    integer(int64), intent(out) :: rows, cols, ld

    memory = c_null_ptr
    rows = 0
    cols = 0
    ld = 0
    if (index >= 1) memory = c_kernel_data(context, int(index - 1, c_size_t), rows, cols, ld)
  end subroutine

  ! Returns the address of the argument number `index`, for types that the program defines; null if there is none.
  type(c_ptr) function troupe_kernel_argument(context, index) result(address)
    type(c_ptr), intent(in) :: context
    integer, intent(in) :: index

    address = c_null_ptr
    if (index >= 1) address = c_kernel_argument(context, int(index - 1, c_size_t))
  end function

  ! Returns the worker that runs the kernel, counted from 0; -1 outside of a runtime.
  integer function troupe_kernel_worker(context)
    type(c_ptr), intent(in) :: context

    troupe_kernel_worker = c_kernel_worker(context)
  end function

  ! Returns true if nobody wants the result of the kernel's task any more, which then ends as cancelled.
  logical function troupe_kernel_cancelled(context)
    type(c_ptr), intent(in) :: context

    troupe_kernel_cancelled = c_kernel_cancelled(context) /= 0
  end function

  ! Makes the task fail with this text, whatever the kernel returns.
  subroutine troupe_kernel_fail(context, why)
    type(c_ptr), intent(in) :: context
    character(*), intent(in) :: why

    call c_kernel_fail(context, to_c(why))
  end subroutine
end module
