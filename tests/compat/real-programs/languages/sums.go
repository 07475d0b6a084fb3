// SPDX-License-Identifier: Apache-2.0
// Goroutines that begin regions, on whatever threads Go has for them.
package main

// #cgo LDFLAGS: -L. -lsums
// long sum_of_squares(int count);
import "C"

import (
	"fmt"
	"sync"
)

func main() {
	var wait sync.WaitGroup
	sums := make([]int64, 4)
	for i := range sums {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			for k := 0; k < 50; k++ {
				sums[i] = int64(C.sum_of_squares(C.int(1000000 * (i + 1))))
			}
		}(i)
	}
	wait.Wait()
	fmt.Println(sums)
}
