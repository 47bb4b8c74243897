! Blocks of memory and their types, for the procedures that arrays.f90.in has for each type of elements.
module troupe_views
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use troupe_errors
  use troupe_functions
  use troupe_objects
  implicit none
  private
  public :: kernel_view, kernel_argument, hold_view, checked_view, vector_layout, volume_layout, register_block
  public :: register_box, is_scalar, is_matrix, type_text

contains

  ! Returns a type's name in Fortran.
  function type_text(type) result(text)
    integer(c_int), intent(in) :: type
    character(:), allocatable :: text
    character(*), parameter :: names(0:12) = [character(48) :: 'real(real32)', 'real(real64)', 'integer(int32)', &
        'integer(int64)', 'unsigned integers of 32 bits', 'unsigned integers of 64 bits', 'integer(int8)', &
        'unsigned integers of 8 bits', 'integer(int16)', 'unsigned integers of 16 bits', 'complex(real32)', &
        'complex(real64)', 'logical(c_bool)']
    character(12) :: digits

    if (type >= lbound(names, 1) .and. type <= ubound(names, 1)) then
      text = trim(names(type))
    else
      write (digits, '(i0)') type
      text = 'troupe_type ' // trim(digits)
    end if
  end function

  function number_text(number) result(text)
    integer(int64), intent(in) :: number
    character(:), allocatable :: text
    character(20) :: digits

    write (digits, '(i0)') number
    text = trim(digits)
  end function

  function shape_text(view) result(text)
    type(troupe_view), intent(in) :: view
    character(:), allocatable :: text

    text = number_text(view%rows) // ' x ' // number_text(view%cols)
    if (view%planes /= 1) text = text // ' x ' // number_text(view%planes)
  end function

  ! Returns true if kernels may use elements of type `has` as elements of type `wanted`: unsigned integers pass as
  ! integers of their size, because Fortran has none.
  logical function fits(has, wanted)
    integer(c_int), intent(in) :: has, wanted

    fits = has == wanted
    select case (wanted)
    case (troupe_int8)
      fits = fits .or. has == troupe_uint8
    case (troupe_int16)
      fits = fits .or. has == troupe_uint16
    case (troupe_int32)
      fits = fits .or. has == troupe_uint32
    case (troupe_int64)
      fits = fits .or. has == troupe_uint64
    end select
  end function

  ! Reports an error; in a kernel, where there is a context, the running task fails even if its kernel goes on.
  subroutine refuse_in_kernel(context, code, text, procedure, status, message)
    type(c_ptr), intent(in), optional :: context
    integer, intent(in) :: code
    character(*), intent(in) :: text, procedure
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    if (present(context)) call c_kernel_fail(context, to_c(procedure // ': ' // text))
    call refuse(code, text, procedure, status, message)
  end subroutine

  ! Finds the data number `index`, counted from 1, of the running task. Returns false after an error.
  logical function kernel_view(context, index, type, procedure, view, status, message)
    type(c_ptr), intent(in) :: context
    integer, intent(in) :: index
    integer(c_int), intent(in) :: type
    character(*), intent(in) :: procedure
    type(troupe_view), intent(out) :: view
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_size_t) :: count
    integer(c_int) :: has
    type(c_shape) :: layout

    kernel_view = .false.
    has = -1
    count = c_kernel_data_count(context)
    if (index < 1 .or. index > count) then
      call refuse_in_kernel(context, troupe_invalid_argument, 'the kernel asks for data ' // &
          number_text(int(index, int64)) // ', and the task has ' // number_text(int(count, int64)) // &
          ', counted from 1', procedure, status, message)
      return
    end if
    if (c_kernel_data_type(context, int(index - 1, c_size_t), has) /= troupe_ok) has = -1
    if (.not. fits(has, type)) then
      call refuse_in_kernel(context, troupe_signature_mismatch, 'data ' // number_text(int(index, int64)) // &
          ' of the task are of ' // type_text(has) // ', and the kernel asks for ' // type_text(type), procedure, &
          status, message)
      return
    end if
    view%data = c_kernel_volume(context, int(index - 1, c_size_t), layout)
    call take_layout(layout, view)
    if (view%rows * view%cols * view%planes /= 0 .and. .not. c_associated(view%data)) then
      call refuse_in_kernel(context, troupe_invalid_argument, 'data ' // number_text(int(index, int64)) // &
          ' have no memory in virtual time: ask for the shape alone, with troupe_kernel_data', procedure, status, &
          message)
      return
    end if
    if (present(status)) status = troupe_ok
    if (present(message)) message = ''
    kernel_view = .true.
  end function

  subroutine take_layout(layout, view)
    type(c_shape), intent(in) :: layout
    type(troupe_view), intent(inout) :: view

    view%rows = layout%rows
    view%cols = layout%cols
    view%planes = layout%planes
    view%ld = layout%ld
    view%plane_stride = layout%plane_stride
  end subroutine

  ! Finds the address of the argument by value number `index`, counted from 1. Returns false after an error.
  logical function kernel_argument(context, index, type, address, status, message)
    type(c_ptr), intent(in) :: context
    integer, intent(in) :: index
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(out) :: address
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: has
    character(*), parameter :: procedure = 'troupe_argument'

    kernel_argument = .false.
    has = -1
    address = c_null_ptr
    if (index >= 1) address = c_kernel_argument(context, int(index - 1, c_size_t))
    if (.not. c_associated(address)) then
      call refuse_in_kernel(context, troupe_invalid_argument, 'the task has no argument ' // &
          number_text(int(index, int64)) // ', counted from 1', procedure, status, message)
      return
    end if
    if (c_kernel_argument_type(context, int(index - 1, c_size_t), has) /= troupe_ok) has = -1
    if (.not. fits(has, type)) then
      call refuse_in_kernel(context, troupe_signature_mismatch, 'argument ' // number_text(int(index, int64)) // &
          ' of the task is of ' // type_text(has) // ', and the kernel asks for ' // type_text(type), procedure, &
          status, message)
      return
    end if
    if (present(status)) status = troupe_ok
    if (present(message)) message = ''
    kernel_argument = .true.
  end function

  ! Finds the memory of a hold. Returns false after an error.
  logical function hold_view(hold, type, procedure, view, status, message)
    type(troupe_hold), intent(in) :: hold
    integer(c_int), intent(in) :: type
    character(*), intent(in) :: procedure
    type(troupe_view), intent(out) :: view
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_shape) :: layout

    hold_view = .false.
    layout%rows = -1
    if (c_associated(hold%c)) view%data = c_hold_volume(hold%c, layout)
    call take_layout(layout, view)
    if (view%rows < 0) then
      call refuse(troupe_stopped, 'the hold was freed, or its runtime', procedure, status, message)
    else if (.not. fits(hold%type, type)) then
      call refuse(troupe_signature_mismatch, 'the data are of ' // type_text(hold%type) // &
          ', and the program asks for ' // type_text(type), procedure, status, message)
    else
      if (present(status)) status = troupe_ok
      if (present(message)) message = ''
      hold_view = .true.
    end if
  end function

  ! Checks the size of the elements that a reduction sees. Returns false after an error.
  logical function checked_view(view, type, element_size, procedure, status, message)
    type(troupe_view), intent(in) :: view
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: element_size
    character(*), intent(in) :: procedure
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    checked_view = view%element_size == element_size
    if (.not. checked_view) then
      call refuse(troupe_signature_mismatch, 'the elements have ' // number_text(int(view%element_size, int64)) // &
          ' bytes, and those of ' // type_text(type) // ' have ' // number_text(int(element_size, int64)), procedure, &
          status, message)
      return
    end if
    if (present(status)) status = troupe_ok
    if (present(message)) message = ''
  end function

  ! Stores number and distance of the elements of data that are used as a vector. Returns false after an error.
  logical function vector_layout(view, count, stride, status, message, context)
    type(troupe_view), intent(in) :: view
    integer(int64), intent(out) :: count, stride
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr), intent(in), optional :: context

    count = view%rows * view%cols * view%planes
    stride = 1
    vector_layout = .true.
    if (view%rows == 1 .and. view%planes == 1) then
      stride = view%ld
    else if ((view%cols > 1 .and. view%ld /= view%rows) .or. &
        (view%planes > 1 .and. view%plane_stride /= view%rows * view%cols)) then
      vector_layout = .false.
      call refuse_in_kernel(context, troupe_signature_mismatch, 'the data are ' // trim(merge('a matrix', 'a volume', &
          view%planes == 1)) // ' of ' // shape_text(view) // ' elements with gaps between its columns: use ' // &
          trim(merge('troupe_matrix', 'troupe_volume', view%planes == 1)), 'troupe_vector', status, message)
      return
    end if
    if (present(status)) status = troupe_ok
    if (present(message)) message = ''
  end function

  ! Checks that data that are used as a scalar are one element. Returns false after an error.
  logical function is_scalar(view, status, message, context)
    type(troupe_view), intent(in) :: view
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr), intent(in), optional :: context

    is_scalar = view%rows == 1 .and. view%cols == 1 .and. view%planes == 1
    if (is_scalar) then
      if (present(status)) status = troupe_ok
      if (present(message)) message = ''
    else
      call refuse_in_kernel(context, troupe_signature_mismatch, 'the data are ' // shape_text(view) // &
          ' elements, and not a scalar: use troupe_vector or troupe_matrix', 'troupe_scalar', status, message)
    end if
  end function

  ! Checks that data that are used as a matrix have one plane. Returns false after an error.
  logical function is_matrix(view, procedure, status, message, context)
    type(troupe_view), intent(in) :: view
    character(*), intent(in) :: procedure
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr), intent(in), optional :: context

    is_matrix = view%planes == 1
    if (.not. is_matrix) call refuse_in_kernel(context, troupe_signature_mismatch, 'the data are ' // &
        shape_text(view) // ' elements, and not a matrix: use troupe_volume', procedure, status, message)
  end function

  ! Describes an array of which the view is a section: the `length` of its columns, the number of `columns` in each
  ! plane, and `step`: the view has every `step`-th column. Returns false after an error: such an array exists in
  ! Fortran only if these are whole numbers.
  logical function volume_layout(view, length, columns, step, status, message, context)
    type(troupe_view), intent(in) :: view
    integer(int64), intent(out) :: length, columns, step
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr), intent(in), optional :: context

    length = view%ld
    columns = view%cols
    step = 1
    volume_layout = .true.
    if (view%planes <= 1 .or. view%plane_stride == 0) return
    length = view%plane_stride
    if (view%cols > 1) length = greatest_divisor(view%ld, view%plane_stride)
    volume_layout = length >= view%rows
    if (.not. volume_layout) then
      call refuse_in_kernel(context, troupe_signature_mismatch, 'planes lie ' // &
          number_text(view%plane_stride) // ' elements apart and columns ' // number_text(view%ld) // &
          ', and no array of Fortran with columns of ' // number_text(view%rows) // ' has this shape', &
          'troupe_volume', status, message)
      return
    end if
    columns = view%plane_stride / length
    if (view%cols > 1) step = view%ld / length
  end function

  pure integer(int64) function greatest_divisor(a, b) result(divisor)
    integer(int64), intent(in) :: a, b
    integer(int64) :: other, rest

    divisor = a
    other = b
    do while (other /= 0)
      rest = mod(divisor, other)
      divisor = other
      other = rest
    end do
  end function

  ! Registers an array with three dimensions. `apart` are the distances in bytes to the next element in each of them.
  subroutine register_box(runtime, type, first, extents, apart, element_size, data, name, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: first
    integer(int64), intent(in) :: extents(3), apart(3), element_size
    type(troupe_data), intent(out) :: data
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_shape) :: layout
    integer(c_int) :: code
    character(*), parameter :: procedure = 'troupe_register'

    data%rows = extents(1)
    data%cols = extents(2)
    if (apart(1) /= element_size .or. any(apart < 0) .or. any(mod(apart, element_size) /= 0)) then
      call refuse(troupe_invalid_argument, 'neighbours lie ' // number_text(apart(1)) // ', ' // &
          number_text(apart(2)) // ' and ' // number_text(apart(3)) // ' bytes apart, and an element has ' // &
          number_text(element_size) // ': give an array or a section whose columns are contiguous and run forwards', &
          procedure, status, message)
      return
    end if
    if (extents(3) > huge(data%planes)) then
      call refuse(troupe_invalid_argument, 'there are ' // number_text(extents(3)) // ' planes, and at most ' // &
          number_text(int(huge(data%planes), int64)) // ' are possible: put another dimension last', procedure, &
          status, message)
      return
    end if
    data%planes = int(extents(3), c_int)
    layout = c_shape(extents(1), extents(2), extents(3), apart(2) / element_size, apart(3) / element_size)
    if (present(name)) then
      code = c_register_volume(runtime%c, type, first, layout, to_c(name), data%owner)
    else
      code = c_register_volume(runtime%c, type, first, layout, data=data%owner)
    end if
    if (code == troupe_ok) data%c = c_data_handle(data%owner)
    data%type = type
    call conclude(code, procedure, status, message)
  end subroutine

  ! Registers rows x cols elements. `down` and `right` are the distances in bytes to the next element of a column and of
  ! a row; they are 0 if there is none. A vector whose elements lie apart becomes a matrix of one row.
  subroutine register_block(runtime, type, first, rows, cols, down, right, element_size, data, name, status, message)
    type(troupe_runtime), intent(in) :: runtime
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: first
    integer(int64), intent(in) :: rows, cols, down, right, element_size
    type(troupe_data), intent(out) :: data
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: ld
    integer(c_int) :: code
    character(*), parameter :: procedure = 'troupe_register'

    data%rows = rows
    data%cols = cols
    ld = max(rows, 1_int64)
    if (cols > 1 .and. right /= 0) ld = right / element_size
    if (down /= 0 .and. down /= element_size) then
      if (cols /= 1 .or. down < 0 .or. mod(down, element_size) /= 0) then
        call refuse(troupe_invalid_argument, 'neighbours in a column lie ' // number_text(down) // &
            ' bytes apart, and an element has ' // number_text(element_size) // &
            ': give an array or a section whose columns are contiguous and run forwards', procedure, status, message)
        return
      end if
      data%rows = 1
      data%cols = rows
      ld = down / element_size
    else if (mod(right, element_size) /= 0) then
      call refuse(troupe_invalid_argument, 'neighbouring columns lie ' // number_text(right) // &
          ' bytes apart, which is no multiple of the ' // number_text(element_size) // ' bytes of an element', &
          procedure, status, message)
      return
    end if
    if (present(name)) then
      code = c_register(runtime%c, type, first, data%rows, data%cols, ld, to_c(name), data%owner)
    else
      code = c_register(runtime%c, type, first, data%rows, data%cols, ld, data=data%owner)
    end if
    if (code == troupe_ok) data%c = c_data_handle(data%owner)
    data%type = type
    call conclude(code, procedure, status, message)
  end subroutine
end module
