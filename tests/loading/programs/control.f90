! SPDX-License-Identifier: Apache-2.0
!
! control - the Fortran program itself controls its tool. gfortran's module lacks the function, so it
! is declared here as libomp's omp_lib has it: the arguments by value, whatever OpenMP says.
program control
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function omp_control_tool(command, modifier) bind(c)
      import :: c_int
      integer(c_int), value :: command, modifier
    end function
  end interface
  call region()
  print '(a,i0)', 'pause ', omp_control_tool(2, 0)
  call region()
  print '(a,i0)', 'flush ', omp_control_tool(3, 0)
  print '(a,i0)', 'start ', omp_control_tool(1, 0)
  call region()
  print '(a,i0)', 'end ', omp_control_tool(4, 0)
  call region()
  print '(a,i0)', 'start ', omp_control_tool(1, 0)
contains
  subroutine region()
    integer :: total
    total = 0
    !$omp parallel num_threads(2) reduction(+ : total)
    total = total + 1
    !$omp end parallel
    if (total /= 2) stop 1
  end subroutine
end program
