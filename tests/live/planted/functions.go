// A program of Go whose functions are watched while its stacks grow and move (tests/probes.sh).
package main

import (
	"fmt"
	"runtime"
)

//go:noinline
func add(a, b int) int {
	return a + b
}

//go:noinline
func deep(n int, room [64]int) int {
	if n == 0 {
		return room[0]
	}
	room[0]++
	return deep(n-1, room)
}

func main() {
	sum := 0
	for i := 0; i < 1000; i++ {
		sum = add(sum, i)
	}
	done := make(chan int)
	for i := 0; i < 8; i++ {
		go func() { done <- deep(200, [64]int{}) }()
	}
	for i := 0; i < 8; i++ {
		sum += <-done
		runtime.GC()
	}
	fmt.Println("sum", sum)
}
