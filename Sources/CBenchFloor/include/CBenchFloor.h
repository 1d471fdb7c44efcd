// Calls that Swift cannot make. A negative result is an error.

#pragma once

#include <stdint.h>
#include <sys/types.h>

/// Lets the kernel kill this process when the one that started it ends.
int bench_die_with_parent(void);

/// Binds this process, and all that it starts, to the last processor that it may use.
int bench_pin(void);

/// The processor time that a process has used, in nanoseconds.
uint64_t bench_processor_time(pid_t process);
