! SPDX-License-Identifier: Apache-2.0
!
! fortran_paths - spends its time in spin() below one construct after the other, and prints the call
! path of each, one a line.
module paths
    use omp_lib
    implicit none
    double precision, volatile :: sink = 0
    double precision :: share = 0.05d0 ! seconds of one spin()
contains
    subroutine spin()
        double precision :: end, seconds
        integer :: i
        call cpu_now(end)
        end = end + share
        do
            do i = 1, 5000
                sink = sink + i
            end do
            call cpu_now(seconds)
            if (seconds >= end) exit
        end do
    end subroutine

    subroutine cpu_now(seconds)
        double precision, intent(out) :: seconds
        seconds = omp_get_wtime()
    end subroutine

    subroutine loop()
        integer :: i
        !$omp parallel do schedule(dynamic, 1) num_threads(2)
        do i = 1, 4
            call spin()
        end do
        !$omp end parallel do
        sink = sink + 1
    end subroutine

    subroutine in_sections()
        !$omp parallel sections num_threads(2)
        !$omp section
        call spin()
        !$omp section
        call spin()
        !$omp end parallel sections
        sink = sink + 1
    end subroutine

    subroutine one_thread_alone()
        !$omp parallel num_threads(2)
        !$omp single
        call spin()
        !$omp end single
        !$omp end parallel
        sink = sink + 1
    end subroutine

    subroutine in_critical()
        !$omp parallel num_threads(2)
        !$omp critical (of_paths)
        call spin()
        !$omp end critical (of_paths)
        !$omp end parallel
        sink = sink + 1
    end subroutine

    subroutine reduced()
        integer :: i
        double precision :: total
        total = 0
        !$omp parallel do reduction(+ : total) num_threads(2)
        do i = 1, 4
            call spin()
            total = total + i
        end do
        !$omp end parallel do
        sink = total
    end subroutine

    subroutine in_tasks()
        integer :: i
        !$omp parallel num_threads(2)
        !$omp single
        do i = 1, 4
            !$omp task
            call spin()
            !$omp end task
        end do
        !$omp end single
        !$omp end parallel
        sink = sink + 1
    end subroutine

    subroutine workshared()
        double precision :: a(1000)
        integer :: i
        !$omp parallel num_threads(2)
        !$omp workshare
        a = 1
        !$omp end workshare
        !$omp do
        do i = 1, 2
            call spin()
        end do
        !$omp end do
        !$omp end parallel
        sink = a(1)
    end subroutine
end module

program known_paths
    use paths
    implicit none
    integer :: i
    character(len=20) :: seconds
    character(len=20) :: names(7) = [character(len=20) :: 'loop', 'in_sections', &
        'one_thread_alone', 'in_critical', 'reduced', 'in_tasks', 'workshared']
    if (command_argument_count() > 0) then
        call get_command_argument(1, seconds)
        read (seconds, *) share
    end if
    call loop()
    call in_sections()
    call one_thread_alone()
    call in_critical()
    call reduced()
    call in_tasks()
    call workshared()
    do i = 1, size(names)
        print '(10a)', '1 main;known_paths;paths::', trim(names(i)), ';paths::', trim(names(i)), &
            ' [region];paths::spin'
    end do
end program
