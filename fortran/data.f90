! Data: types of the program, memory that is given by its address or by the runtime, parts, reductions, holds.
! Arrays of the program are registered by arrays.f90.in.
module troupe_registrations
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use troupe_errors
  use troupe_functions
  use troupe_objects
  implicit none
  private
  public :: troupe_type_define, troupe_type_size, troupe_register, troupe_allocate, troupe_free, troupe_data_handle
  public :: troupe_partition, troupe_repartition, troupe_halos, troupe_discard, troupe_set_sum, troupe_set_reduction
  public :: troupe_acquire, troupe_hold_memory

  interface troupe_register
    module procedure :: register_memory
  end interface

  interface troupe_free
    module procedure :: free_data, free_hold
  end interface

  ! troupe_partition(runtime, whole, blocks, parts) makes parts of the given blocks, which are disjoint;
  ! troupe_partition(runtime, whole, rows, cols, parts) cuts the whole into tiles of that size; the last may be smaller.
  ! Parts of an array with three dimensions are boxes: troupe_partition(runtime, whole, boxes, parts).
  interface troupe_partition
    module procedure :: partition_blocks, partition_tiles, partition_boxes
  end interface

  interface troupe_repartition
    module procedure :: repartition_blocks, repartition_boxes
  end interface

  interface troupe_halos
    module procedure :: halos_of_blocks, halos_of_boxes
  end interface

  ! troupe_allocate(runtime, type, rows, cols, data), or troupe_allocate(runtime, type, rows, cols, planes, data).
  interface troupe_allocate
    module procedure :: allocate_matrix, allocate_volume
  end interface

contains

  ! Defines a type of the program: bytes that can be copied. `alignment` is a power of two.
  subroutine troupe_type_define(name, size, alignment, type, status, message)
    character(*), intent(in) :: name
    integer(c_size_t), intent(in) :: size
    integer, intent(in) :: alignment
    integer(c_int), intent(out) :: type
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    type = -1
    call conclude(c_type_define(to_c(name), size, int(alignment, c_size_t), type), 'troupe_type_define', status, &
        message)
  end subroutine

  ! Stores the bytes of an element.
  subroutine troupe_type_size(type, size, status, message)
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(out) :: size
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    size = 0
    call conclude(c_type_size(type, size), 'troupe_type_size', status, message)
  end subroutine

  ! Registers column-major memory of any type by its address. The first elements of two columns are `ld` elements apart.
  subroutine register_memory(runtime, type, memory, rows, cols, ld, data, name, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: memory
    integer(int64), intent(in) :: rows, cols, ld
    type(troupe_data), intent(out) :: data
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code

    if (present(name)) then
      code = c_register(runtime%c, type, memory, rows, cols, ld, to_c(name), data%owner)
    else
      code = c_register(runtime%c, type, memory, rows, cols, ld, data=data%owner)
    end if
    call complete(data, type, rows, cols)
    call conclude(code, 'troupe_register', status, message)
  end subroutine

  ! Allocates memory of the runtime, uninitialized, without gaps between its columns.
  subroutine allocate_matrix(runtime, type, rows, cols, data, name, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: type
    integer, intent(in) :: rows, cols
    type(troupe_data), intent(out) :: data
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code

    if (present(name)) then
      code = c_allocate(runtime%c, type, int(rows, int64), int(cols, int64), to_c(name), data%owner)
    else
      code = c_allocate(runtime%c, type, int(rows, int64), int(cols, int64), data=data%owner)
    end if
    call complete(data, type, int(rows, int64), int(cols, int64))
    call conclude(code, 'troupe_allocate', status, message)
  end subroutine

  subroutine allocate_volume(runtime, type, rows, cols, planes, data, name, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: type
    integer, intent(in) :: rows, cols, planes
    type(troupe_data), intent(out) :: data
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_shape) :: layout
    integer(c_int) :: code

    layout = c_shape(int(rows, int64), int(cols, int64), int(planes, int64), 0_int64, 0_int64)
    if (present(name)) then
      code = c_allocate_volume(runtime%c, type, layout, to_c(name), data%owner)
    else
      code = c_allocate_volume(runtime%c, type, layout, data=data%owner)
    end if
    call complete(data, type, int(rows, int64), int(cols, int64))
    data%planes = planes
    call conclude(code, 'troupe_allocate', status, message)
  end subroutine

  ! Writes what a handle knows of its data; the handle stays empty if the data were not registered.
  subroutine complete(data, type, rows, cols)
    type(troupe_data), intent(inout) :: data
    integer(c_int), intent(in) :: type
    integer(int64), intent(in) :: rows, cols

    if (.not. c_associated(data%owner)) return
    data%c = c_data_handle(data%owner)
    data%type = type
    data%rows = rows
    data%cols = cols
  end subroutine

  ! Waits for the last use of the data, and ends the registration. Memory of the runtime is freed without a wait.
  subroutine free_data(data, status, message)
    type(troupe_data), intent(inout) :: data
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code

    code = c_data_free(data%owner)
    ! After an error the data are still registered. The handle stays, so that its later use is an error, too.
    if (code == troupe_ok) data%owner = c_null_ptr
    call conclude(code, 'troupe_free', status, message)
  end subroutine

  ! Returns the handle of the data, for arrays of handles.
  elemental type(troupe_handle) function troupe_data_handle(data)
    type(troupe_data), intent(in) :: data

    troupe_data_handle = data%troupe_handle
  end function

  subroutine partition_blocks(runtime, whole, blocks, parts, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    type(troupe_block), intent(in) :: blocks(:)
    type(troupe_handle), allocatable, intent(out) :: parts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call partition_boxes(runtime, whole, flat(blocks), parts, status, message)
  end subroutine

  ! Returns a block as a box of one plane.
  elemental type(troupe_box) function flat(block)
    type(troupe_block), intent(in) :: block

    flat = troupe_box(block%row, block%col, 1, block%rows, block%cols, 1)
  end function

  ! Replaces all parts by new parts, even while tasks use the old parts. The handles of the old parts become invalid.
  subroutine repartition_blocks(runtime, whole, blocks, parts, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    type(troupe_block), intent(in) :: blocks(:)
    type(troupe_handle), allocatable, intent(out) :: parts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call repartition_boxes(runtime, whole, flat(blocks), parts, status, message)
  end subroutine

  ! Makes halo parts: the blocks with `rim_rows` rows above and below and `rim_cols` columns on the left and on the
  ! right, as far as the whole goes. They may overlap, and tasks only read them. In the array of a kernel, block i
  ! begins at row min(blocks(i)%row, rim_rows + 1) and column min(blocks(i)%col, rim_cols + 1).
  subroutine halos_of_blocks(runtime, whole, blocks, rim_rows, rim_cols, halos, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    type(troupe_block), intent(in) :: blocks(:)
    integer, intent(in) :: rim_rows, rim_cols
    type(troupe_handle), allocatable, intent(out) :: halos(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call halos_of_boxes(runtime, whole, flat(blocks), rim_rows, rim_cols, 0, halos, status, message)
  end subroutine

  ! Returns the number of rows of a block with its rim. The block has `count` rows from row `first` on; the matrix has
  ! `whole` rows.
  elemental integer(int64) function grown(first, count, rim, whole)
    integer(int64), intent(in) :: first, count, rim, whole

    grown = min(first - 1, rim) + count + min(whole - (first - 1) - count, rim)
  end function

  subroutine partition_boxes(runtime, whole, boxes, parts, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    type(troupe_box), intent(in) :: boxes(:)
    type(troupe_handle), allocatable, intent(out) :: parts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call divide(c_partition_volume, 'troupe_partition', runtime, whole, boxes, parts, status, message)
  end subroutine

  subroutine repartition_boxes(runtime, whole, boxes, parts, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    type(troupe_box), intent(in) :: boxes(:)
    type(troupe_handle), allocatable, intent(out) :: parts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call divide(c_repartition_volume, 'troupe_repartition', runtime, whole, boxes, parts, status, message)
  end subroutine

  ! Makes parts by a function of C.
  subroutine divide(by, procedure, runtime, whole, boxes, parts, status, message)
    procedure(c_partition_volume) :: by
    character(*), intent(in) :: procedure
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    type(troupe_box), intent(in) :: boxes(:)
    type(troupe_handle), allocatable, intent(out) :: parts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_handle) :: handles(size(boxes))
    type(c_box) :: cut(size(boxes))

    cut = c_boxes(boxes)
    parts = boxes_of(whole, boxes)
    call conclude(by(runtime%c, whole%c, cut, size(boxes, kind=c_size_t), handles), procedure, status, message)
    parts%c = handles
  end subroutine

  ! Makes halo parts of boxes, with `rim_planes` planes more on either side, and with rims of rows and columns.
  subroutine halos_of_boxes(runtime, whole, boxes, rim_rows, rim_cols, rim_planes, halos, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    type(troupe_box), intent(in) :: boxes(:)
    integer, intent(in) :: rim_rows, rim_cols, rim_planes
    type(troupe_handle), allocatable, intent(out) :: halos(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_handle) :: handles(size(boxes))
    type(c_box) :: cut(size(boxes))

    cut = c_boxes(boxes)
    halos = boxes_of(whole, boxes)
    halos%rows = grown(boxes%row, boxes%rows, int(rim_rows, int64), whole%rows)
    halos%cols = grown(boxes%col, boxes%cols, int(rim_cols, int64), whole%cols)
    halos%planes = int(grown(boxes%plane, boxes%planes, int(rim_planes, int64), int(whole%planes, int64)), c_int)
    call conclude(c_halos_volume(runtime%c, whole%c, cut, size(boxes, kind=c_size_t), int(rim_rows, int64), &
        int(rim_cols, int64), int(rim_planes, int64), handles), 'troupe_halos', status, message)
    halos%c = handles
  end subroutine

  ! Returns handles that have the type of the whole and the shapes of the boxes, but belong to no data yet.
  function boxes_of(whole, boxes)
    class(troupe_handle), intent(in) :: whole
    type(troupe_box), intent(in) :: boxes(:)
    type(troupe_handle) :: boxes_of(size(boxes))

    boxes_of%type = whole%type
    boxes_of%rows = boxes%rows
    boxes_of%cols = boxes%cols
    boxes_of%planes = int(boxes%planes, c_int)
  end function

  ! Returns the boxes as C counts them, from 0.
  function c_boxes(boxes)
    type(troupe_box), intent(in) :: boxes(:)
    type(c_box) :: c_boxes(size(boxes))
    integer :: i

    do i = 1, size(boxes)
      c_boxes(i) = c_box(boxes(i)%row - 1, boxes(i)%col - 1, boxes(i)%plane - 1, boxes(i)%rows, boxes(i)%cols, &
          boxes(i)%planes, boxes(i)%col_step, boxes(i)%plane_step)
    end do
  end function

  subroutine partition_tiles(runtime, whole, rows, cols, parts, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: whole
    integer, intent(in) :: rows, cols
    type(troupe_handle), allocatable, intent(out) :: parts(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(troupe_handle), allocatable :: list(:)
    type(troupe_block), allocatable :: blocks(:, :)
    integer(int64) :: i, j, down, right

    if (rows < 1 .or. cols < 1) then
      call refuse(troupe_invalid_argument, 'tiles have at least one row and one column', 'troupe_partition', status, &
          message)
      return
    end if
    if (whole%planes /= 1) then
      call refuse(troupe_invalid_argument, 'tiles are of a matrix, and the data have several planes: give boxes, as ' // &
          '[troupe_box(row, col, plane, rows, cols, planes), ...]', 'troupe_partition', status, message)
      return
    end if
    down = (whole%rows + rows - 1) / rows
    right = (whole%cols + cols - 1) / cols
    allocate (blocks(down, right))
    do j = 1, right
      do i = 1, down
        blocks(i, j)%row = (i - 1) * rows + 1
        blocks(i, j)%col = (j - 1) * cols + 1
        blocks(i, j)%rows = min(int(rows, int64), whole%rows - (i - 1) * rows)
        blocks(i, j)%cols = min(int(cols, int64), whole%cols - (j - 1) * cols)
      end do
    end do
    call partition_blocks(runtime, whole, reshape(blocks, [size(blocks)]), list, status, message)
    parts = reshape(list, shape(blocks))
  end subroutine

  ! Discards the content of the data, in the order of submission: reading them before a task writes them is refused.
  subroutine troupe_discard(runtime, handle, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: handle
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_discard(runtime%c, handle%c), 'troupe_discard', status, message)
  end subroutine

  ! Allows mode reduce for the data, with sums.
  subroutine troupe_set_sum(runtime, handle, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: handle
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    call conclude(c_set_sum(runtime%c, handle%c, handle%type), 'troupe_set_sum', status, message)
  end subroutine

  ! Allows mode reduce for the data, with procedures of the program. Several threads may call them at once.
  subroutine troupe_set_reduction(runtime, handle, initialize, combine, user, destroy, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: handle
    procedure(troupe_initialize) :: initialize
    procedure(troupe_combine) :: combine
    type(c_ptr), intent(in), optional :: user
    procedure(troupe_destroy), optional :: destroy
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: owned
    type(c_funptr) :: last

    owned = c_null_ptr
    last = c_null_funptr
    if (present(user)) owned = user
    if (present(destroy)) last = c_funloc(destroy)
    call conclude(c_set_reduction(runtime%c, handle%c, c_funloc(initialize), c_funloc(combine), owned, last), &
        'troupe_set_reduction', status, message)
  end subroutine

  ! Waits until the program may use the data in mode read, write or read_write; tasks that conflict wait until the hold
  ! is freed. troupe_scalar, troupe_vector and troupe_matrix point to the memory of a hold.
  subroutine troupe_acquire(runtime, handle, mode, hold, status, message)
    type(troupe_runtime), intent(in) :: runtime
    class(troupe_handle), intent(in) :: handle
    integer(c_int), intent(in) :: mode
    type(troupe_hold), intent(out) :: hold
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    hold%type = handle%type
    call conclude(c_acquire(runtime%c, handle%c, mode, hold%c), 'troupe_acquire', status, message)
  end subroutine

  ! Stores address and shape of the memory of a hold, for types that the program defines.
  subroutine troupe_hold_memory(hold, memory, rows, cols, ld, status, message)
    type(troupe_hold), intent(in) :: hold
    type(c_ptr), intent(out) :: memory
    integer(int64), intent(out) :: rows, cols, ld
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_shape) :: layout

    memory = c_null_ptr
    layout%rows = -1
    if (c_associated(hold%c)) memory = c_hold_volume(hold%c, layout)
    rows = layout%rows
    cols = layout%cols
    ld = layout%ld
    if (rows < 0) then
      call refuse(troupe_stopped, 'the hold was freed, or its runtime', 'troupe_hold_memory', status, message)
    else if (layout%planes /= 1) then
      memory = c_null_ptr
      call refuse(troupe_signature_mismatch, 'the data have several planes, and are no matrix of a type of the program', &
          'troupe_hold_memory', status, message)
    else
      call conclude(int(troupe_ok, c_int), 'troupe_hold_memory', status, message)
    end if
  end subroutine

  subroutine free_hold(hold)
    type(troupe_hold), intent(inout) :: hold

    call c_hold_free(hold%c)
    hold%c = c_null_ptr
  end subroutine
end module
