// The least that the broker's work costs: the same bytes over the same sockets, by a relay that knows nothing.
//
// A destination asks with a frame of 64 bytes, a relay passes it to the source, the source answers with data frames
// and the relay passes them back. The header is the project's own: length u32, kind u8, flags u8, descriptor count u8,
// version u8, stream u64. Whatever fails ends the process with a message: a floor that limps measures nothing.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- Relay

int floor_listen(const char *path);

// Takes two connections, first the source's, and moves bytes between them until one of them ends. What the other side
// does not take yet is kept, and its sender is not read meanwhile.
void floor_relay(int listener);

// ---- Ends

int floor_connect(const char *path);

// Answers requests until the connection ends.
void floor_serve(int socket);

// Asks `count` times for `bytes` bytes, one after the other, and notes how long each took.
void floor_load_each(int socket, size_t count, uint64_t bytes, uint64_t *nanoseconds);

// As above with `depth` requests under way all the time, and without the times.
void floor_load_pipelined(int socket, size_t count, uint64_t bytes, size_t depth);

// ---- Processes

// Runs a program that dies with this process, on processor `core` alone (negative: on any), and returns its id.
// `output` becomes the end to read of a pipe from its standard output.
pid_t bench_spawn(const char *program, char *const arguments[], int core, int *output);

// The last processor that this process may use.
int bench_last_core(void);

// Processor time that a process has used so far, user and system, in nanoseconds.
uint64_t bench_processor_time(pid_t process);

// Blocks SIGINT and SIGTERM and returns a descriptor that becomes readable when one arrives.
int bench_interrupts(void);
