! SPDX-License-Identifier: Apache-2.0
! Locks, workshare, loops and taskloops of a Fortran program.
program f
 use omp_lib
 implicit none
 integer(omp_lock_kind) :: l
 integer(omp_nest_lock_kind) :: nl
 integer :: i,n,d
 integer(8) :: big
 real(8) :: a(1000),b(1000)
 call omp_init_lock(l); call omp_init_nest_lock(nl)
 n=0
 call omp_set_num_threads(4_8)
!$omp parallel reduction(+:n) private(d)
 do i=1,10
 call omp_set_lock(l); n=n+1; call omp_unset_lock(l)
 call omp_set_nest_lock(nl); d=omp_test_nest_lock(nl); n=n+d; call omp_unset_nest_lock(nl); call omp_unset_nest_lock(nl)
 end do
 if (omp_test_lock(l)) call omp_unset_lock(l)
!$omp end parallel
 print *,'locks',n
 call omp_destroy_lock(l); call omp_destroy_nest_lock(nl)
 do i=1,1000; b(i)=i; end do
!$omp parallel workshare
 a=b*2
!$omp end parallel workshare
 print *,sum(a)
 big=0
!$omp parallel do schedule(dynamic) reduction(+:big)
 do i=1,1000
  big=big+i
 end do
!$omp end parallel do
!$omp parallel
!$omp single
!$omp taskloop
 do i=1,10
!$omp atomic
  big=big+i
 end do
!$omp end taskloop
!$omp end single
!$omp end parallel
 print *,big
end program
