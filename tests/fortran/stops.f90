! Makes a mistake without asking for the error, so that the program stops with the error's text. The program's argument
! names the mistake.
module wrong_kernel
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use troupe
  implicit none

contains

  integer(c_int) function wrong_type(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    integer(int32), pointer :: wrong(:)

    call troupe_vector(context, 1, wrong)
    wrong = 1
    outcome = 0
  end function
end module

program stops
  use wrong_kernel
  implicit none
  character(20) :: mistake
  type(troupe_runtime) :: runtime, absent
  type(troupe_data) :: data
  type(troupe_codelet) :: codelet
  real(real64), target :: x(4) = 0

  call get_command_argument(1, mistake)
  call troupe_start(runtime, cores=1)
  call troupe_register(runtime, x, data)
  call troupe_codelet_define('wrong type', [troupe_read_write], wrong_type, codelet)
  select case (mistake)
  case ('absent')
    call troupe_wait(absent)
  case ('released')
    call troupe_free(data)
    call troupe_submit(runtime, codelet, [data])
  case ('kernel')
    call troupe_submit(runtime, codelet, [data])
    call troupe_wait(runtime)
  end select
  print '(a)', 'the program went on'
end program
