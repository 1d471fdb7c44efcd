// The floor of whole processes, built when the benchmark runs: a store that keeps one blob, and two clients that give it
// standard input and write it to standard output.
//
// floor store SOCKET READY | floor copy SOCKET | floor paste SOCKET

#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COPY = 1, PASTE = 2 };

static uint8_t chunk[FLOOR_BUFFER];

static void send_frame(int socket, uint8_t kind, int last, size_t count) {
    struct floor_header header = {.length = (uint32_t)count, .kind = kind, .flags = last ? FLOOR_LAST : 0};
    memcpy(chunk, &header, sizeof header);
    floor_write(socket, chunk, FLOOR_HEADER + count);
}

// Reads all of `count` bytes; 0 where the other side ended before the first.
static int read_all(int socket, void *bytes, size_t count) {
    size_t have = 0;
    while (have < count) {
        size_t more = floor_read(socket, (uint8_t *)bytes + have, count - have);
        if (more == 0 && have == 0) return 0;
        if (more == 0) {
            errno = ECONNRESET;
            floor_die("frame");
        }
        have += more;
    }
    return 1;
}

static int read_header(int socket, struct floor_header *header) {
    if (!read_all(socket, header, sizeof *header)) return 0;
    if (header->length <= FLOOR_LARGEST_PAYLOAD) return 1;
    errno = EPROTO;
    floor_die("frame longer than allowed");
}

static uint8_t *blob;
static size_t blob_count;
static size_t blob_capacity;

static void serve(int socket) {
    struct floor_header header;
    size_t count = 0;
    while (read_header(socket, &header)) {
        if (header.kind == PASTE) {
            size_t sent = 0;
            do {
                size_t piece = blob_count - sent < FLOOR_LARGEST_PAYLOAD ? blob_count - sent : FLOOR_LARGEST_PAYLOAD;
                memcpy(chunk + FLOOR_HEADER, blob + sent, piece);
                sent += piece;
                send_frame(socket, PASTE, sent == blob_count, piece);
            } while (sent < blob_count);
            continue;
        }
        if (count + header.length > blob_capacity) {
            blob_capacity = 2 * (count + header.length);
            blob = realloc(blob, blob_capacity);
            if (blob == NULL) floor_die("memory");
        }
        if (header.length > 0 && !read_all(socket, blob + count, header.length)) floor_die("copy");
        count += header.length;
        if ((header.flags & FLOOR_LAST) == 0) continue;
        blob_count = count;
        send_frame(socket, COPY, 1, 0);
    }
}

static void store(const char *path, int ready) {
    blob = malloc(1);
    int listener = floor_listen(path);
    if (write(ready, "r", 1) != 1) floor_die("ready");
    for (;;) {
        int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (socket < 0) floor_die("accept");
        floor_enlarge_buffers(socket);
        serve(socket);
        close(socket);
    }
}

static void copy(int socket) {
    size_t count;
    do {
        count = floor_read(STDIN_FILENO, chunk + FLOOR_HEADER, FLOOR_LARGEST_PAYLOAD);
        send_frame(socket, COPY, count == 0, count);
    } while (count > 0);
    struct floor_header header;
    if (!read_header(socket, &header)) floor_die("no answer");
}

static void paste(int socket) {
    send_frame(socket, PASTE, 1, 0);
    struct floor_header header;
    do {
        if (!read_header(socket, &header)) floor_die("no answer");
        if (header.length > 0 && !read_all(socket, chunk, header.length)) floor_die("paste");
        for (size_t sent = 0; sent < header.length;) {
            ssize_t written = write(STDOUT_FILENO, chunk + sent, header.length - sent);
            if (written < 0) floor_die("standard output");
            sent += (size_t)written;
        }
    } while ((header.flags & FLOOR_LAST) == 0);
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "store") == 0) store(arguments[2], atoi(arguments[3]));
    if (count == 3 && strcmp(arguments[1], "copy") == 0) return copy(floor_connect(arguments[2])), 0;
    if (count == 3 && strcmp(arguments[1], "paste") == 0) return paste(floor_connect(arguments[2])), 0;
    return 2;
}
