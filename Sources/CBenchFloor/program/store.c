// Copy and paste: a store of one sequence of bytes, and two clients. One stores standard input, the other one writes
// the bytes to standard output.
//
// store store|copy|paste SOCKET

#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "floor.h"

enum { COPY = 1, PASTE = 2 };

static uint8_t frame[FRAME];

// Sends the payload that is in `frame`.
static void send_frame(int socket, uint8_t kind, int last, size_t count) {
    struct header header = {.length = (uint32_t)count, .kind = kind, .flags = last ? LAST : 0};
    memcpy(frame, &header, HEADER);
    write_all(socket, frame, HEADER + count);
}

// Reads `count` bytes. Returns 0 if the connection ended before.
static int read_all(int socket, void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        size_t more = read_some(socket, (uint8_t *)bytes + done, count - done);
        if (more == 0) return 0;
        done += more;
    }
    return 1;
}

static int read_header(int socket, struct header *header) {
    if (!read_all(socket, header, HEADER)) return 0;
    check(header->length <= PAYLOAD, "length of a frame");
    return 1;
}

static void serve(int socket) {
    static uint8_t *stored;
    static size_t stored_count, capacity;
    struct header header;
    size_t count = 0;
    while (read_header(socket, &header)) {
        if (header.kind == PASTE) {
            size_t sent = 0;
            do {
                size_t part = least(stored_count - sent, PAYLOAD);
                if (part > 0) memcpy(frame + HEADER, stored + sent, part);
                sent += part;
                send_frame(socket, PASTE, sent == stored_count, part);
            } while (sent < stored_count);
            continue;
        }
        if (count + header.length > capacity) {
            capacity = 2 * (count + header.length);
            stored = realloc(stored, capacity);
            check(stored != NULL, "memory");
        }
        check(read_all(socket, stored + count, header.length), "copy");
        count += header.length;
        if ((header.flags & LAST) == 0) continue;
        stored_count = count;
        send_frame(socket, COPY, 1, 0);
    }
}

static void store(int listener) {
    ready();
    for (;;) {
        int socket = accept_connection(listener);
        serve(socket);
        close(socket);
    }
}

static void copy(int socket) {
    size_t count = 1;
    while (count > 0) {
        count = read_some(STDIN_FILENO, frame + HEADER, PAYLOAD);
        send_frame(socket, COPY, count == 0, count);
    }
    struct header header;
    check(read_header(socket, &header), "answer");
}

static void paste(int socket) {
    send_frame(socket, PASTE, 1, 0);
    struct header header = {0};
    while ((header.flags & LAST) == 0) {
        check(read_header(socket, &header) && read_all(socket, frame + HEADER, header.length), "answer");
        write_all(STDOUT_FILENO, frame + HEADER, header.length);
    }
}

int main(int count, char **arguments) {
    check(count == 3, "arguments");
    if (strcmp(arguments[1], "store") == 0 && bench_die_with_parent() == 0) store(open_listener(arguments[2]));
    if (strcmp(arguments[1], "copy") == 0) copy(open_connection(arguments[2]));
    if (strcmp(arguments[1], "paste") == 0) paste(open_connection(arguments[2]));
    return 0;
}
