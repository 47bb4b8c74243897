! Checks for the tests in Fortran. A check that fails is printed; the program then ends with an error.
module expectations
  use troupe, only: troupe_error_name
  implicit none
  private
  public :: expect, expect_error, expect_text, conclude_expectations
  integer :: held = 0, failed = 0

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (condition) then
      held = held + 1
    else
      failed = failed + 1
      print '(2a)', 'not so: ', what
    end if
  end subroutine

  ! Expects this status, and a message that contains the text.
  subroutine expect_error(status, wanted, message, text)
    integer, intent(in) :: status, wanted
    character(*), intent(in) :: message, text

    call expect(status == wanted, 'status ' // troupe_error_name(status) // ' is ' // troupe_error_name(wanted) // &
        ': ' // trim(message))
    call expect_text(message, text)
  end subroutine

  subroutine expect_text(text, part)
    character(*), intent(in) :: text, part

    call expect(index(text, part) > 0 .and. len(part) > 0, '"' // trim(text) // '" has "' // part // '"')
  end subroutine

  subroutine conclude_expectations()
    print '(i0, a, i0, a)', held, ' expectations held, ', failed, ' did not'
    if (failed > 0 .or. held == 0) error stop 1
  end subroutine
end module
