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

// As above with one source, the first connection, and many destinations that each wait for their answer.
void floor_relay_many(int listener);

// As floor_relay, for small messages that each may carry a descriptor.
void floor_relay_descriptors(int listener);

// ---- Ends

int floor_connect(const char *path);

// Answers requests until the connection ends.
void floor_serve(int socket);

// Waits for a request and does not answer.
void floor_await_request(int socket);

// Asks once, and does not wait.
void floor_ask(int socket);

// Asks `count` times for `bytes` bytes, one after the other, and notes how long each took.
void floor_load_each(int socket, size_t count, uint64_t bytes, uint64_t *nanoseconds);

// As above with `depth` requests under way all the time, and without the times.
void floor_load_pipelined(int socket, size_t count, uint64_t bytes, size_t depth);

// As above with one request under way on each of `connections` connections to a relay of many.
void floor_load_connections(const int *sockets, size_t connections, size_t count, uint64_t bytes);

// ---- Descriptors

// Answers each request with a descriptor until the connection ends.
void floor_serve_descriptor(int socket, int descriptor);

// Asks, and returns the descriptor that comes.
int floor_load_descriptor(int socket);

// Maps a file, unmaps it again, and returns the time at which it was mapped, in nanoseconds.
uint64_t bench_map(int descriptor, size_t count);

// The sum of a file's words of 8 bytes, which are mapped, without what overflows.
uint64_t bench_sum_mapped(int descriptor, size_t count);

// Reads a file's bytes once, piece by piece, and returns how many there are.
size_t bench_read_all(int descriptor, size_t count);

// ---- Processes

// This process is killed when the one that started it ends.
void bench_die_with_parent(void);

// Binds this process, and all it starts, to the last processor that it may use.
void bench_pin(void);

// Processor time that a process has used so far, user and system, in nanoseconds.
uint64_t bench_processor_time(pid_t process);

// Blocks SIGINT and SIGTERM and returns a descriptor that becomes readable when one arrives.
int bench_interrupts(void);

// Reads to the end and returns how many bytes came; -1 where nothing comes for so long, -2 where `interrupts` is readable.
int64_t bench_drain(int descriptor, int interrupts, int milliseconds);

// Removes a directory and all in it; 0 if it is gone.
int bench_remove_tree(const char *path);
