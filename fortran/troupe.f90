! Troupe for Fortran: docs/fortran.md. Programs use only this module, which uses all other modules.
!
! The names are those of the C interface (include/troupe/troupe.h), whose comments hold here too. Rows, columns, data
! and arguments are counted from 1.
module troupe
  use troupe_arrays_real32
  use troupe_arrays_real64
  use troupe_arrays_complex_real32
  use troupe_arrays_complex_real64
  use troupe_arrays_int8
  use troupe_arrays_int16
  use troupe_arrays_int32
  use troupe_arrays_int64
  use troupe_arrays_logical
  use troupe_codelets
  use troupe_errors, only: troupe_error_name, troupe_string, troupe_version
  use troupe_factorizations
  use troupe_objects
  use troupe_observation
  use troupe_registrations
  use troupe_runtimes
  use troupe_tasks
  implicit none
  public
end module
