// Loads the first item of a pasteboard and writes its bytes to standard output.
//
//     destination [-b BOARD] [-t TYPE ...] [-f BYTES] [-i]
//
// TYPE is an accepted type, best first; without it, any type is accepted. The load is cancelled after the first BYTES. With
// -i, no file descriptor is accepted.

#include "connection.h"

enum { WINDOW = 1 << 19, STREAM = 1 };  // the bytes that are granted beyond those that were written

static uint64_t written, first = UINT64_MAX;

static void cancel(void) {
    send_frame(CANCEL, 0, STREAM, "", 0, -1);
    die("cancelled after %" PRIu64 " bytes", written);
}

static void write_bytes(const uint8_t *bytes, size_t count) {
    if (count > first - written) count = first - written;
    while (count > 0) {
        ssize_t added = write(STDOUT_FILENO, bytes, count);
        if (added < 0 && errno == EINTR) continue;
        if (added < 0) die("standard output: %s", strerror(errno));
        bytes += added;
        count -= (size_t)added;
        written += (uint64_t)added;
    }
    if (written == first) cancel();
}

// Reads by offset, because the source shares the position of the file and may shorten it (U8).
static void write_file(int descriptor, uint64_t count) {
    static uint8_t chunk[1 << 18];
    while (written < count) {
        size_t wanted = count - written < sizeof chunk ? count - written : sizeof chunk;
        ssize_t added = pread(descriptor, chunk, wanted, (off_t)written);
        if (added <= 0) die("source-truncated: %" PRIu64 " of %" PRIu64 " bytes arrived", written, count);
        write_bytes(chunk, (size_t)added);
    }
}

static void grant(uint64_t offset) {
    struct message credit = {.count = 0};
    put_number(&credit, 1, offset);
    send_message(CREDIT, STREAM, &credit);
}

int main(int count, char **arguments) {
    static struct frame frame;
    struct message load = {.count = 0};
    bool wants_descriptors = true;
    for (int option; (option = getopt(count, arguments, "b:t:f:i")) != -1;) {
        struct message accept = {.count = 0};
        switch (option) {
        case 'b': put_string(&load, 2, optarg); break;
        case 't': put_string(&accept, 1, optarg); put_bytes(&load, 5, accept.bytes, accept.count); break;
        case 'f': first = strtoull(optarg, NULL, 10); break;
        case 'i': wants_descriptors = false; break;
        default: return 2;
        }
    }
    bool passes_descriptors = connect_broker("c-destination", wants_descriptors, &frame);
    put_number(&load, 6, 1);  // preference: the order of the accept list
    put_number(&load, 8, WINDOW);
    put_number(&load, 9, passes_descriptors);
    send_message(LOAD, STREAM, &load);

    char type[513] = "";
    uint64_t granted = WINDOW;
    const char *way = "in frames";
    for (bool is_over = false; !is_over;) {
        receive(&frame, true);
        if (frame.stream != STREAM) continue;
        struct field field;
        switch (frame.kind) {
        case ERROR:
            fail(&frame);
        case ANSWER:
            if (number_in(&frame, 8, 0) > 1) cancel();  // V1: an unknown form of content
            if (find(frame.payload, frame.count, 3, BYTES, &field))
                snprintf(type, sizeof type, "%.*s", (int)field.count, (const char *)field.bytes);
            if (frame.descriptor >= 0) {
                write_file(frame.descriptor, number_in(&frame, 4, 0));
                way = "as a file";
                is_over = true;
            }
            break;
        case DATA:
            write_bytes(frame.payload, frame.count);
            is_over = frame.flags & LAST;
            if (!is_over && granted - written <= WINDOW / 2) grant(granted = written + WINDOW);  // O5
            break;
        case END:
            if (number_in(&frame, 1, written) != written) die("source-truncated: %" PRIu64 " bytes arrived", written);  // S7
            is_over = true;
            break;
        }
    }
    fprintf(stderr, "%s: %" PRIu64 " bytes %s\n", type, written, way);
    return 0;
}
