! Scales the blocks of a vector, and sums them up.
module kernels
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use troupe
  implicit none

contains

  integer(c_int) function scale_block(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: block(:)
    real(real64) :: factor

    call troupe_vector(context, 1, block)
    call troupe_argument(context, 1, factor)
    block = factor * block
    outcome = 0
  end function

  integer(c_int) function add_block(context, user) bind(c, name='') result(outcome)
    type(c_ptr), value :: context, user
    real(real64), pointer :: block(:), partial

    call troupe_vector(context, 1, block)
    call troupe_scalar(context, 2, partial)
    partial = partial + sum(block)
    outcome = 0
  end function
end module

program scale_and_sum
  use kernels
  implicit none
  real(real64), target :: x(1000) = 1, total = 0
  type(troupe_runtime) :: runtime
  type(troupe_data) :: vector, sum_of_all
  type(troupe_handle), allocatable :: blocks(:, :)
  type(troupe_codelet) :: scale, add
  integer :: i

  call troupe_start(runtime)  ! one worker per core
  call troupe_register(runtime, x, vector, name='x')
  call troupe_register(runtime, total, sum_of_all, name='total')
  call troupe_partition(runtime, vector, 100, 1, blocks)
  call troupe_set_sum(runtime, sum_of_all)
  call troupe_codelet_define('scale', [troupe_read_write], scale_block, scale, arguments=[troupe_double])
  call troupe_codelet_define('add', [troupe_read, troupe_reduce], add_block, add)
  do i = 1, size(blocks, 1)
    call troupe_submit(runtime, scale, [blocks(i, 1)], [troupe_value(real(i, real64))])
    call troupe_submit(runtime, add, [troupe_access(blocks(i, 1)), troupe_access(sum_of_all)])
  end do
  call troupe_wait(runtime)
  print '(a, f0.1)', 'the sum is ', total
  call troupe_free(runtime)
end program
