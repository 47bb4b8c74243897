! The functions and structs of <troupe/troupe.h>, for the other modules of this folder. Programs use module troupe.
!
! Results are intent(inout): a call that fails leaves them as they are.
module troupe_functions
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(c) :: c_handle
    integer(c_int64_t) :: slot = 0, id = 0
  end type

  type, bind(c) :: c_block
    integer(c_int64_t) :: row, col, rows, cols
  end type

  type, bind(c) :: c_box
    integer(c_int64_t) :: row, col, plane, rows, cols, planes, col_step, plane_step
  end type

  type, bind(c) :: c_shape
    integer(c_int64_t) :: rows = 0, cols = 0, planes = 0, ld = 0, plane_stride = 0
  end type

  type, bind(c) :: c_access
    type(c_handle) :: handle
    integer(c_int) :: mode
  end type

  type, bind(c) :: c_value
    integer(c_int) :: type
    type(c_ptr) :: value
  end type

  type, bind(c) :: c_rebinding
    type(c_handle) :: recorded, now
  end type

  type, bind(c) :: c_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: cores = 0, gpus = 0
    type(c_ptr) :: policy = c_null_ptr
    integer(c_int) :: trace = 0
    real(c_double) :: why_after = 0
    type(c_funptr) :: on_stall = c_null_funptr, on_warning = c_null_funptr
    type(c_ptr) :: user = c_null_ptr, platform = c_null_ptr
    integer(c_int) :: execute = 0
    type(c_ptr) :: more = c_null_ptr
  end type

  type, bind(c) :: c_task_options
    integer(c_int) :: priority = 0
    type(c_ptr) :: name = c_null_ptr, after = c_null_ptr
    integer(c_size_t) :: after_count = 0
    type(c_funptr) :: callback = c_null_funptr
    type(c_ptr) :: user = c_null_ptr, devices = c_null_ptr
    real(c_double) :: deadline_s = 0
    integer(c_int) :: nested = 0
    type(c_ptr) :: weak = c_null_ptr
    integer(c_size_t) :: weak_count = 0
  end type

  ! A task that was submitted. It owns nothing, and may be copied.
  type, bind(c) :: troupe_future
    integer(c_int64_t) :: runtime = 0
    type(c_ptr) :: task = c_null_ptr
    integer(c_int64_t) :: id = 0
  end type

  interface
    type(c_ptr) function c_error_message() bind(c, name='troupe_error_message')
      import :: c_ptr
    end function

    type(c_ptr) function c_error_name(error) bind(c, name='troupe_error_name')
      import :: c_ptr, c_int
      integer(c_int), value :: error
    end function

    integer(c_int) function c_type_define(name, size, alignment, type) bind(c, name='troupe_type_define')
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: size, alignment
      integer(c_int), intent(inout) :: type
    end function

    integer(c_int) function c_type_size(type, size) bind(c, name='troupe_type_size')
      import :: c_int, c_size_t
      integer(c_int), value :: type
      integer(c_size_t), intent(inout) :: size
    end function

    type(c_ptr) function c_version() bind(c, name='troupe_version')
      import :: c_ptr
    end function

    subroutine c_text_free(text) bind(c, name='troupe_text_free')
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine

    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

  ! Runtimes and their reports.
  interface
    integer(c_int) function c_start_with(options, runtime) bind(c, name='troupe_start_with')
      import :: c_int, c_options, c_ptr
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: runtime
    end function

    integer(c_int) function c_connect(folder, name, runtime) bind(c, name='troupe_connect')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in), optional :: folder(*), name(*)
      type(c_ptr), intent(inout) :: runtime
    end function

    integer(c_int) function c_runtime_free(runtime) bind(c, name='troupe_runtime_free')
      import :: c_int, c_ptr
      type(c_ptr), value :: runtime
    end function

    integer(c_int) function c_workers(runtime, workers) bind(c, name='troupe_workers')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: runtime
      integer(c_size_t), intent(inout) :: workers
    end function

    integer(c_int) function c_progress(runtime, submitted, ended) bind(c, name='troupe_progress')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: runtime
      integer(c_int64_t), intent(inout) :: submitted, ended
    end function

    integer(c_int) function c_wait(runtime) bind(c, name='troupe_wait')
      import :: c_int, c_ptr
      type(c_ptr), value :: runtime
    end function

    integer(c_int) function c_wait_for(runtime, handle) bind(c, name='troupe_wait_for')
      import :: c_handle, c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_handle), value :: handle
    end function

    integer(c_int) function c_cancel(runtime) bind(c, name='troupe_cancel')
      import :: c_int, c_ptr
      type(c_ptr), value :: runtime
    end function

    integer(c_int) function c_regroup(runtime, clusters) bind(c, name='troupe_regroup')
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: runtime
      character(kind=c_char), intent(in) :: clusters(*)
    end function

    integer(c_int) function c_why(runtime, format, text) bind(c, name='troupe_why')
      import :: c_int, c_ptr
      type(c_ptr), value :: runtime
      integer(c_int), value :: format
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int) function c_metrics(runtime, format, text) bind(c, name='troupe_metrics')
      import :: c_int, c_ptr
      type(c_ptr), value :: runtime
      integer(c_int), value :: format
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int) function c_report(runtime, text) bind(c, name='troupe_report')
      import :: c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int) function c_virtual_time(runtime, seconds) bind(c, name='troupe_virtual_time')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: runtime
      real(c_double), intent(inout) :: seconds
    end function

    integer(c_int) function c_take_trace(runtime, trace) bind(c, name='troupe_take_trace')
      import :: c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_ptr), intent(inout) :: trace
    end function

    integer(c_int) function c_trace_tasks(trace, tasks) bind(c, name='troupe_trace_tasks')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trace
      integer(c_int64_t), intent(inout) :: tasks
    end function

    integer(c_int) function c_trace_write(trace, path, title) bind(c, name='troupe_trace_write')
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: path(*)
      character(kind=c_char), intent(in), optional :: title(*)
    end function

    integer(c_int) function c_trace_report(trace, format, text) bind(c, name='troupe_trace_report')
      import :: c_int, c_ptr
      type(c_ptr), value :: trace
      integer(c_int), value :: format
      type(c_ptr), intent(inout) :: text
    end function

    subroutine c_trace_free(trace) bind(c, name='troupe_trace_free')
      import :: c_ptr
      type(c_ptr), value :: trace
    end subroutine
  end interface

  ! Data.
  interface
    integer(c_int) function c_register(runtime, type, memory, rows, cols, ld, name, data) &
        bind(c, name='troupe_register')
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: runtime
      integer(c_int), value :: type
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: rows, cols, ld
      character(kind=c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: data
    end function

    integer(c_int) function c_allocate(runtime, type, rows, cols, name, data) bind(c, name='troupe_allocate')
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: runtime
      integer(c_int), value :: type
      integer(c_int64_t), value :: rows, cols
      character(kind=c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: data
    end function

    integer(c_int) function c_register_volume(runtime, type, memory, shape, name, data) &
        bind(c, name='troupe_register_volume')
      import :: c_char, c_int, c_ptr, c_shape
      type(c_ptr), value :: runtime
      integer(c_int), value :: type
      type(c_ptr), value :: memory
      type(c_shape), intent(in) :: shape
      character(kind=c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: data
    end function

    integer(c_int) function c_allocate_volume(runtime, type, shape, name, data) bind(c, name='troupe_allocate_volume')
      import :: c_char, c_int, c_ptr, c_shape
      type(c_ptr), value :: runtime
      integer(c_int), value :: type
      type(c_shape), intent(in) :: shape
      character(kind=c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: data
    end function

    integer(c_int) function c_data_free(data) bind(c, name='troupe_data_free')
      import :: c_int, c_ptr
      type(c_ptr), value :: data
    end function

    type(c_handle) function c_data_handle(data) bind(c, name='troupe_data_handle')
      import :: c_handle, c_ptr
      type(c_ptr), value :: data
    end function

    integer(c_int) function c_partition(runtime, whole, blocks, count, parts) bind(c, name='troupe_partition')
      import :: c_block, c_handle, c_int, c_ptr, c_size_t
      type(c_ptr), value :: runtime
      type(c_handle), value :: whole
      type(c_block), intent(in) :: blocks(*)
      integer(c_size_t), value :: count
      type(c_handle), intent(inout) :: parts(*)
    end function

    integer(c_int) function c_repartition(runtime, whole, blocks, count, parts) bind(c, name='troupe_repartition')
      import :: c_block, c_handle, c_int, c_ptr, c_size_t
      type(c_ptr), value :: runtime
      type(c_handle), value :: whole
      type(c_block), intent(in) :: blocks(*)
      integer(c_size_t), value :: count
      type(c_handle), intent(inout) :: parts(*)
    end function

    integer(c_int) function c_halos(runtime, whole, blocks, count, rim_rows, rim_cols, halos) &
        bind(c, name='troupe_halos')
      import :: c_block, c_handle, c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: runtime
      type(c_handle), value :: whole
      type(c_block), intent(in) :: blocks(*)
      integer(c_size_t), value :: count
      integer(c_int64_t), value :: rim_rows, rim_cols
      type(c_handle), intent(inout) :: halos(*)
    end function

    integer(c_int) function c_partition_volume(runtime, whole, boxes, count, parts) &
        bind(c, name='troupe_partition_volume')
      import :: c_box, c_handle, c_int, c_ptr, c_size_t
      type(c_ptr), value :: runtime
      type(c_handle), value :: whole
      type(c_box), intent(in) :: boxes(*)
      integer(c_size_t), value :: count
      type(c_handle), intent(inout) :: parts(*)
    end function

    integer(c_int) function c_repartition_volume(runtime, whole, boxes, count, parts) &
        bind(c, name='troupe_repartition_volume')
      import :: c_box, c_handle, c_int, c_ptr, c_size_t
      type(c_ptr), value :: runtime
      type(c_handle), value :: whole
      type(c_box), intent(in) :: boxes(*)
      integer(c_size_t), value :: count
      type(c_handle), intent(inout) :: parts(*)
    end function

    integer(c_int) function c_halos_volume(runtime, whole, boxes, count, rim_rows, rim_cols, rim_planes, halos) &
        bind(c, name='troupe_halos_volume')
      import :: c_box, c_handle, c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: runtime
      type(c_handle), value :: whole
      type(c_box), intent(in) :: boxes(*)
      integer(c_size_t), value :: count
      integer(c_int64_t), value :: rim_rows, rim_cols, rim_planes
      type(c_handle), intent(inout) :: halos(*)
    end function

    integer(c_int) function c_discard(runtime, handle) bind(c, name='troupe_discard')
      import :: c_handle, c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_handle), value :: handle
    end function

    integer(c_int) function c_set_sum(runtime, handle, type) bind(c, name='troupe_set_sum')
      import :: c_handle, c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_handle), value :: handle
      integer(c_int), value :: type
    end function

    integer(c_int) function c_set_reduction(runtime, handle, initialize, combine, user, destroy) &
        bind(c, name='troupe_set_reduction')
      import :: c_funptr, c_handle, c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_handle), value :: handle
      type(c_funptr), value :: initialize, combine
      type(c_ptr), value :: user
      type(c_funptr), value :: destroy
    end function

    integer(c_int) function c_acquire(runtime, handle, mode, hold) bind(c, name='troupe_acquire')
      import :: c_handle, c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_handle), value :: handle
      integer(c_int), value :: mode
      type(c_ptr), intent(inout) :: hold
    end function

    type(c_ptr) function c_hold_memory(hold, rows, cols, ld) bind(c, name='troupe_hold_memory')
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: hold
      integer(c_int64_t), intent(inout) :: rows, cols, ld
    end function

    type(c_ptr) function c_hold_volume(hold, shape) bind(c, name='troupe_hold_volume')
      import :: c_ptr, c_shape
      type(c_ptr), value :: hold
      type(c_shape), intent(inout) :: shape
    end function

    subroutine c_hold_free(hold) bind(c, name='troupe_hold_free')
      import :: c_ptr
      type(c_ptr), value :: hold
    end subroutine
  end interface

  ! Codelets and kernels.
  interface
    integer(c_int) function c_codelet_find(name, codelet) bind(c, name='troupe_codelet_find')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: codelet
    end function

    integer(c_int) function c_codelet_declare(name, modes, mode_count, arguments, argument_count, codelet) &
        bind(c, name='troupe_codelet_declare')
      import :: c_char, c_int, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(in) :: modes(*)
      integer(c_size_t), value :: mode_count
      integer(c_int), intent(in) :: arguments(*)
      integer(c_size_t), value :: argument_count
      type(c_ptr), intent(inout) :: codelet
    end function

    integer(c_int) function c_codelet_define(name, modes, mode_count, arguments, argument_count, kernel, user, &
        destroy, codelet) bind(c, name='troupe_codelet_define')
      import :: c_char, c_funptr, c_int, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(in) :: modes(*)
      integer(c_size_t), value :: mode_count
      integer(c_int), intent(in) :: arguments(*)
      integer(c_size_t), value :: argument_count
      type(c_funptr), value :: kernel
      type(c_ptr), value :: user
      type(c_funptr), value :: destroy
      type(c_ptr), intent(inout) :: codelet
    end function

    integer(c_int) function c_codelet_set_flops(codelet, flops) bind(c, name='troupe_codelet_set_flops')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: codelet
      type(c_funptr), value :: flops
    end function

    integer(c_int) function c_codelet_timed_as(codelet, kernel) bind(c, name='troupe_codelet_timed_as')
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: codelet
      character(kind=c_char), intent(in) :: kernel(*)
    end function

    subroutine c_codelet_free(codelet) bind(c, name='troupe_codelet_free')
      import :: c_ptr
      type(c_ptr), value :: codelet
    end subroutine

    integer(c_size_t) function c_kernel_data_count(context) bind(c, name='troupe_kernel_data_count')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: context
    end function

    type(c_ptr) function c_kernel_data(context, index, rows, cols, ld) bind(c, name='troupe_kernel_data')
      import :: c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_size_t), value :: index
      integer(c_int64_t), intent(inout) :: rows, cols, ld
    end function

    type(c_ptr) function c_kernel_volume(context, index, shape) bind(c, name='troupe_kernel_volume')
      import :: c_ptr, c_shape, c_size_t
      type(c_ptr), value :: context
      integer(c_size_t), value :: index
      type(c_shape), intent(inout) :: shape
    end function

    integer(c_int) function c_kernel_data_type(context, index, type) bind(c, name='troupe_kernel_data_type')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_size_t), value :: index
      integer(c_int), intent(inout) :: type
    end function

    type(c_ptr) function c_kernel_argument(context, index) bind(c, name='troupe_kernel_argument')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_size_t), value :: index
    end function

    integer(c_int) function c_kernel_argument_type(context, index, type) bind(c, name='troupe_kernel_argument_type')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_size_t), value :: index
      integer(c_int), intent(inout) :: type
    end function

    integer(c_int) function c_kernel_worker(context) bind(c, name='troupe_kernel_worker')
      import :: c_int, c_ptr
      type(c_ptr), value :: context
    end function

    integer(c_int) function c_kernel_cancelled(context) bind(c, name='troupe_kernel_cancelled')
      import :: c_int, c_ptr
      type(c_ptr), value :: context
    end function

    subroutine c_kernel_fail(context, why) bind(c, name='troupe_kernel_fail')
      import :: c_char, c_ptr
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: why(*)
    end subroutine
  end interface

  ! Tasks, recordings and factorizations.
  interface
    integer(c_int) function c_submit(runtime, codelet, accesses, access_count, arguments, argument_count, options, &
        future) bind(c, name='troupe_submit')
      import :: c_access, c_int, c_ptr, c_size_t, c_task_options, c_value, troupe_future
      type(c_ptr), value :: runtime, codelet
      type(c_access), intent(in) :: accesses(*)
      integer(c_size_t), value :: access_count
      type(c_value), intent(in) :: arguments(*)
      integer(c_size_t), value :: argument_count
      type(c_task_options), intent(in) :: options
      type(troupe_future), intent(inout) :: future
    end function

    integer(c_int) function c_future_wait(future) bind(c, name='troupe_future_wait')
      import :: c_int, troupe_future
      type(troupe_future), value :: future
    end function

    integer(c_int) function c_future_status(future, status) bind(c, name='troupe_future_status')
      import :: c_int, troupe_future
      type(troupe_future), value :: future
      integer(c_int), intent(inout) :: status
    end function

    integer(c_int) function c_future_cancel(future) bind(c, name='troupe_future_cancel')
      import :: c_int, troupe_future
      type(troupe_future), value :: future
    end function

    integer(c_int) function c_record(runtime, program, user, name, recording) bind(c, name='troupe_record')
      import :: c_char, c_funptr, c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_funptr), value :: program
      type(c_ptr), value :: user
      character(kind=c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout) :: recording
    end function

    integer(c_int) function c_run(recording, rebindings, count, future) bind(c, name='troupe_run')
      import :: c_int, c_ptr, c_rebinding, c_size_t, troupe_future
      type(c_ptr), value :: recording
      type(c_rebinding), intent(in) :: rebindings(*)
      integer(c_size_t), value :: count
      type(troupe_future), intent(inout) :: future
    end function

    subroutine c_recording_free(recording) bind(c, name='troupe_recording_free')
      import :: c_ptr
      type(c_ptr), value :: recording
    end subroutine

    integer(c_int) function c_factorize(runtime, application, type, matrix, rows, cols, ld, tile, factorization) &
        bind(c, name='troupe_factorize')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: runtime
      integer(c_int), value :: application, type
      type(c_ptr), value :: matrix
      integer(c_int64_t), value :: rows, cols, ld, tile
      type(c_ptr), intent(inout) :: factorization
    end function

    integer(c_int) function c_factorization_solve(factorization, right_hand_sides, rows, cols, ld) &
        bind(c, name='troupe_factorization_solve')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: factorization, right_hand_sides
      integer(c_int64_t), value :: rows, cols, ld
    end function

    subroutine c_factorization_free(factorization) bind(c, name='troupe_factorization_free')
      import :: c_ptr
      type(c_ptr), value :: factorization
    end subroutine
  end interface
end module
