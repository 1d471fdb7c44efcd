// Frames and sockets of the floor: programs that move the same bytes as the project over the same kind of sockets, and
// do not interpret them. Whatever fails ends the process with a message.

#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// The header of the protocol's frames.
struct header {
    uint32_t length;
    uint8_t kind;
    uint8_t flags;
    uint8_t descriptors;
    uint8_t version;
    uint64_t stream;
};

enum { LAST = 1, HEADER = sizeof(struct header), PAYLOAD = 256 * 1024, FRAME = HEADER + PAYLOAD };

static inline void check(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static inline int open_socket(const char *path, int (*use)(int, const struct sockaddr *, socklen_t)) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    check(strlen(path) < sizeof address.sun_path, "path of the socket");
    strcpy(address.sun_path, path);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(file >= 0 && use(file, (const struct sockaddr *)&address, sizeof address) == 0, path);
    return file;
}

// Gives a socket buffers of 1 MiB, as the project's have.
static inline int enlarge_buffers(int file) {
    int size = 1 << 20;
    check(setsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) == 0, "SO_SNDBUF");
    check(setsockopt(file, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0, "SO_RCVBUF");
    return file;
}

static inline int open_connection(const char *path) { return enlarge_buffers(open_socket(path, connect)); }

static inline int open_listener(const char *path) {
    int listener = open_socket(path, bind);
    check(listen(listener, 128) == 0, "listen");
    return listener;
}

static inline int accept_connection(int listener) {
    int file = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    check(file >= 0, "accept");
    return enlarge_buffers(file);
}

// Reads at most `capacity` bytes, waiting for the first. Returns 0 at the end.
static inline size_t read_some(int file, void *bytes, size_t capacity) {
    ssize_t count = read(file, bytes, capacity);
    check(count >= 0 || errno == ECONNRESET, "read");
    return count < 0 ? 0 : (size_t)count;
}

static inline void write_all(int file, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t written = write(file, (const uint8_t *)bytes + done, count - done);
        check(written >= 0, "write");
        done += (size_t)written;
    }
}

// Prints the line that the benchmark waits for.
static inline void ready(void) { write_all(STDOUT_FILENO, "ready\n", 6); }

static inline size_t least(size_t left, size_t right) { return left < right ? left : right; }
