#include "frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct floor_header) == FLOOR_HEADER, "the header has no padding");
_Static_assert(sizeof(struct floor_request) == FLOOR_HEADER + FLOOR_REQUEST, "the request has no padding");

size_t floor_advance(struct floor_position *position, const uint8_t *bytes, size_t count) {
    size_t ended = 0;
    while (count > 0) {
        size_t piece;
        if (position->headerCount < FLOOR_HEADER) {
            piece = FLOOR_HEADER - position->headerCount;
            if (piece > count) piece = count;
            memcpy((uint8_t *)&position->header + position->headerCount, bytes, piece);
            position->headerCount += piece;
            if (position->headerCount == FLOOR_HEADER) {
                if (position->header.length > FLOOR_LARGEST_PAYLOAD) {
                    errno = EPROTO;
                    floor_die("frame longer than allowed");
                }
                position->payloadLeft = position->header.length;
            }
        } else {
            piece = position->payloadLeft < count ? position->payloadLeft : count;
            position->payloadLeft -= piece;
        }
        bytes += piece;
        count -= piece;
        if (position->headerCount == FLOOR_HEADER && position->payloadLeft == 0) {
            ended += position->header.flags & FLOOR_LAST;
            position->headerCount = 0;
        }
    }
    return ended;
}

void floor_die(const char *what) {
    fprintf(stderr, "pasteboard-bench: floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

size_t floor_read(int socket, void *bytes, size_t capacity) {
    for (;;) {
        ssize_t count = read(socket, bytes, capacity);
        if (count >= 0) return (size_t)count;
        if (errno == ECONNRESET) return 0;
        if (errno != EINTR) floor_die("read");
    }
}

void floor_write(int socket, const void *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = send(socket, bytes, count, MSG_NOSIGNAL);
        if (written < 0) {
            if (errno == EINTR) continue;
            floor_die("send");
        }
        bytes = (const uint8_t *)bytes + written;
        count -= (size_t)written;
    }
}

void floor_enlarge_buffers(int socket) {
    int size = 1 << 20;
    if (setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) < 0) floor_die("SO_SNDBUF");
    if (setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) < 0) floor_die("SO_RCVBUF");
}

uint64_t floor_now(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_MONOTONIC, &time) < 0) floor_die("clock_gettime");
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
