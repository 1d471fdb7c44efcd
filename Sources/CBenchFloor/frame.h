#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    FLOOR_HEADER = 16,
    FLOOR_REQUEST = 64,
    FLOOR_LARGEST_PAYLOAD = 256 * 1024,
    FLOOR_BUFFER = FLOOR_HEADER + FLOOR_LARGEST_PAYLOAD,
    FLOOR_LAST = 1,
};

struct floor_header {
    uint32_t length;
    uint8_t kind;
    uint8_t flags;
    uint8_t descriptors;
    uint8_t version;
    uint64_t stream;
};

struct floor_request {
    struct floor_header header;
    uint64_t bytes;
    uint8_t rest[FLOOR_REQUEST - sizeof(uint64_t)];
};

// Where in a sequence of frames a reader of its bytes is.
struct floor_position {
    struct floor_header header;
    size_t headerCount;
    size_t payloadLeft;
};

// Goes over bytes that come next, and returns how many answers end in them.
size_t floor_advance(struct floor_position *position, const uint8_t *bytes, size_t count);

_Noreturn void floor_die(const char *what);

// At most `capacity` bytes, waiting for the first; 0 at the end.
size_t floor_read(int socket, void *bytes, size_t capacity);

void floor_write(int socket, const void *bytes, size_t count);

// 1 MiB in each direction, as the broker's sockets have.
void floor_enlarge_buffers(int socket);

// Nanoseconds of the monotonic clock.
uint64_t floor_now(void);
