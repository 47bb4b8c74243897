! Runs the tests in Fortran.
program troupe_tests
  use data_test
  use expectations
  use factorization_test
  use failure_test
  use nested_test
  use runtime_test
  use task_test
  use troupe
  implicit none
  type(troupe_runtime) :: runtime
  type(troupe_options) :: options

  options%cores = 2
  options%more = [character(20) :: 'oversubscribe=true', 'bind=false']
  call troupe_start(runtime, options)
  call test_data(runtime)
  call test_tasks(runtime)
  call test_failures(runtime)
  call test_factorizations(runtime)
  call test_nested_tasks(runtime)
  call troupe_free(runtime)
  call test_runtimes()
  call conclude_expectations()
end program
