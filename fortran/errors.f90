! Errors, and texts from and for C.
!
! All procedures that can fail end in the optional arguments `status` and `message`. If the caller gives one of them,
! it gets the error; `status` is then a constant such as troupe_invalid_argument, and troupe_ok without an error.
! Without both, the program stops with the error's text.
module troupe_errors
  use, intrinsic :: iso_c_binding
  use troupe_functions
  use troupe_objects, only: troupe_ok
  implicit none
  private
  public :: conclude, refuse, to_c, troupe_string, troupe_error_name, troupe_version

contains

  ! Reports the outcome of a call of the C interface. `procedure` names the caller's procedure.
  subroutine conclude(code, procedure, status, message)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: procedure
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    if (code /= troupe_ok) then
      call refuse(int(code), troupe_string(c_error_message()), procedure, status, message)
      return
    end if
    if (present(status)) status = troupe_ok
    if (present(message)) message = ''
  end subroutine

  ! Reports an error with its text.
  subroutine refuse(code, text, procedure, status, message)
    integer, intent(in) :: code
    character(*), intent(in) :: text, procedure
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message

    if (.not. present(status) .and. .not. present(message)) error stop procedure // ': ' // text
    if (present(status)) status = code
    if (present(message)) message = text
  end subroutine

  ! Returns a copy of a text in C that ends in 0; empty for a null pointer.
  function troupe_string(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer(c_size_t) :: i, length

    length = 0
    if (c_associated(text)) length = c_strlen(text)
    allocate (character(length) :: copy)
    if (length == 0) return
    call c_f_pointer(text, letters, [length])
    do i = 1, length
      copy(i:i) = letters(i)
    end do
  end function

  ! Returns the text without trailing blanks as an array that ends in 0, whose address C can take.
  pure function to_c(text) result(letters)
    character(*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: i

    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(len_trim(text) + 1) = c_null_char
  end function

  ! Returns the name of a status, such as "kernel_failed".
  function troupe_error_name(status) result(name)
    integer, intent(in) :: status
    character(:), allocatable :: name

    name = troupe_string(c_error_name(int(status, c_int)))
  end function

  ! Returns the version, such as "0.1.0".
  function troupe_version() result(version)
    character(:), allocatable :: version

    version = troupe_string(c_version())
  end function
end module
