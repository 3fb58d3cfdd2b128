// SPDX-License-Identifier: MIT
// server.go PORT: answers "hello" over HTTP while goroutines compute, allocate and sleep. Prints only what is wrong.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

func deep(n int) int {
	var room [64]int
	if n == 0 {
		return 0
	}
	room[n%64] = n
	return deep(n-1) + room[n%64]
}

func work() {
	for {
		if deep(200) != 200*201/2 {
			fmt.Println("wrong sum")
		}
		start := time.Now()
		time.Sleep(2 * time.Millisecond)
		if time.Since(start) < 2*time.Millisecond {
			fmt.Println("a sleep ended early")
		}
	}
}

func main() {
	for i := 0; i < 8; i++ {
		go work()
	}
	net.LookupPort("tcp", "http")
	http.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		fmt.Fprint(w, "hello")
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
