// The floor of loads: a relay, a source and a destination that move the same bytes as the project over the same kind of
// sockets, and do not interpret them. The relay knows the lengths of frames, and to whom an answer belongs. Whatever
// fails ends the process with a message.
//
// floor relay SOCKET DESTINATIONS
// floor source SOCKET
// floor destination SOCKET SHAPE COUNT BYTES RELAY-PROCESS

#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
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

// LOADS is the number of loads at the same time, on one connection or each on its own.
enum { LAST = 1, LOADS = 64, HEADER = sizeof(struct header), PAYLOAD = 256 * 1024, FRAME = HEADER + PAYLOAD };

// A request with a payload of 64 bytes. The relay sets the stream to the number of the destination's connection.
struct request {
    struct header header;
    uint64_t bytes;
    uint8_t rest[56];
};

static void check(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static size_t least(size_t left, size_t right) { return left < right ? left : right; }

// ---- Sockets

static int open_socket(const char *path, int (*use)(int, const struct sockaddr *, socklen_t)) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    check(strlen(path) < sizeof address.sun_path, "path of the socket");
    strcpy(address.sun_path, path);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(file >= 0 && use(file, (const struct sockaddr *)&address, sizeof address) == 0, path);
    return file;
}

// Gives a socket buffers of 1 MiB, as the project's have.
static int enlarge_buffers(int file) {
    int size = 1 << 20;
    check(setsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) == 0, "SO_SNDBUF");
    check(setsockopt(file, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0, "SO_RCVBUF");
    return file;
}

static int open_connection(const char *path) { return enlarge_buffers(open_socket(path, connect)); }

// Reads at most `capacity` bytes, waiting for the first. Returns 0 at the end.
static size_t read_some(int file, void *bytes, size_t capacity) {
    ssize_t count = read(file, bytes, capacity);
    check(count >= 0 || errno == ECONNRESET, "read");
    return count < 0 ? 0 : (size_t)count;
}

static void write_all(int file, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t written = write(file, (const uint8_t *)bytes + done, count - done);
        check(written >= 0, "write");
        done += (size_t)written;
    }
}

static int watch(const int *sockets, size_t count) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t index = 0; index < count; index++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = index};
        check(epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[index], &event) == 0, "epoll_ctl");
    }
    return epoll;
}

// ---- Frames

// A connection from which frames are read. At most an incomplete header of `bytes` is not visited between two reads.
struct reader {
    int socket;
    size_t count;
    size_t visited;
    // The last frame that was visited, and the number of its bytes that are still to come.
    struct header header;
    size_t left;
    uint8_t bytes[FRAME];
};

// Reads more bytes. Returns 0 at the end.
static int fill(struct reader *reader) {
    reader->count -= reader->visited;
    memmove(reader->bytes, reader->bytes + reader->visited, reader->count);
    reader->visited = 0;
    size_t more = read_some(reader->socket, reader->bytes + reader->count, FRAME - reader->count);
    reader->count += more;
    return more > 0;
}

// Visits the next frame, or the part of it that was read. Returns the number of its bytes; 0 if none are left.
static size_t visit(struct reader *reader) {
    size_t unread = reader->count - reader->visited;
    if (reader->left == 0) {
        if (unread < HEADER) return 0;
        memcpy(&reader->header, reader->bytes + reader->visited, HEADER);
        check(reader->header.length <= PAYLOAD, "length of a frame");
        reader->left = HEADER + reader->header.length;
    }
    size_t part = least(reader->left, unread);
    reader->left -= part;
    reader->visited += part;
    return part;
}

// ---- Relay

// Moves answers from the source to the destinations. Returns 0 if the source has ended.
static int move_answers(struct reader *source, const int *sockets) {
    static size_t to = 1;
    if (!fill(source)) return 0;
    // Consecutive bytes for one destination are written together.
    size_t start = 0, part;
    while ((part = visit(source)) > 0) {
        if (source->header.stream == to) continue;
        size_t end = source->visited - part;
        write_all(sockets[to], source->bytes + start, end - start);
        start = end;
        to = source->header.stream;
        check(to > 0 && to <= LOADS, "destination of an answer");
    }
    write_all(sockets[to], source->bytes + start, source->visited - start);
    return 1;
}

// Moves requests and answers between a source, which connects first, and destinations, until one of them ends.
//
// Sockets block: requests are so small that they always fit, and a destination reads all that it has requested.
static void relay(const char *path, size_t destinations) {
    static struct reader source;
    static struct request requests[LOADS * LOADS];
    int sockets[1 + LOADS], listener = open_socket(path, bind);
    check(listen(listener, 128) == 0, "listen");
    write_all(STDOUT_FILENO, "ready\n", 6);
    for (size_t index = 0; index <= destinations; index++) {
        sockets[index] = enlarge_buffers(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
    }
    int epoll = watch(sockets, 1 + destinations);
    source.socket = sockets[0];
    for (int is_over = 0; !is_over;) {
        struct epoll_event events[1 + LOADS];
        int count = epoll_wait(epoll, events, 1 + LOADS, -1);
        check(count > 0, "epoll_wait");
        size_t requested = 0;
        for (int at = 0; at < count; at++) {
            size_t from = (size_t)events[at].data.u64;
            if (from == 0) {
                is_over |= !move_answers(&source, sockets);
                continue;
            }
            size_t more = read_some(sockets[from], requests + requested, LOADS * sizeof *requests) / sizeof *requests;
            for (size_t index = 0; index < more; index++) requests[requested++].header.stream = from;
            is_over |= more == 0;
        }
        write_all(sockets[0], requests, requested * sizeof *requests);
    }
}

// ---- Source

// Answers requests with the bytes that the memory holds: producing them is not measured.
static void serve(int socket) {
    static struct request requests[LOADS];
    static uint8_t answers[2 * FRAME];
    write_all(STDOUT_FILENO, "ready\n", 6);
    for (;;) {
        size_t more = read_some(socket, requests, sizeof requests), count = 0;
        if (more == 0) return;
        for (size_t index = 0; index < more / sizeof *requests; index++) {
            struct header header = {.stream = requests[index].header.stream};
            for (uint64_t left = requests[index].bytes; left > 0; left -= header.length) {
                header.length = (uint32_t)least(left, PAYLOAD);
                header.flags = header.length == left ? LAST : 0;
                if (count > 0 && count + HEADER + header.length > FRAME) {
                    write_all(socket, answers, count);
                    count = 0;
                }
                memcpy(answers + count, &header, HEADER);
                count += HEADER + header.length;
            }
        }
        write_all(socket, answers, count);
    }
}

// ---- Destination

// Nanoseconds of a clock.
static uint64_t now(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void request(int socket, size_t count, uint64_t bytes) {
    struct request requests[LOADS];
    for (size_t index = 0; index < count; index++) {
        requests[index] = (struct request){.header.length = sizeof(struct request) - HEADER, .bytes = bytes};
    }
    write_all(socket, requests, count * sizeof *requests);
}

// Loads with `depth` requests at the same time on each connection. Sets the times of loads that are alone.
static void load_all(struct reader *readers, size_t connections, int epoll, size_t count, uint64_t bytes, size_t depth,
                     uint64_t *times) {
    struct epoll_event events[LOADS] = {0};
    size_t requested = least(connections * depth, count);
    uint64_t start = now(CLOCK_MONOTONIC);
    for (size_t index = 0; index < connections; index++) request(readers[index].socket, requested / connections, bytes);
    for (size_t done = 0; done < count;) {
        // One connection needs no other wait than its read.
        int ready = connections == 1 ? 1 : epoll_wait(epoll, events, LOADS, -1);
        check(ready > 0, "epoll_wait");
        for (int at = 0; at < ready; at++) {
            struct reader *reader = &readers[events[at].data.u64];
            check(fill(reader), "end of the relay");
            size_t ended = 0;
            while (visit(reader) > 0) ended += reader->left == 0 && reader->header.flags & LAST;
            if (ended == 0) continue;
            if (connections * depth == 1) times[done] = now(CLOCK_MONOTONIC) - start;
            done += ended;
            size_t more = least(ended, count - requested);
            start = now(CLOCK_MONOTONIC);
            request(reader->socket, more, bytes);
            requested += more;
        }
    }
}

static int compare(const void *left, const void *right) {
    uint64_t first = *(const uint64_t *)left, second = *(const uint64_t *)right;
    return (first > second) - (first < second);
}

// Measures loads, and prints the median and the 99th percentile of their times, the whole time, and the processor time
// of the relay.
static void load(const char *path, const char *shape, size_t count, uint64_t bytes, pid_t relay) {
    static struct reader readers[LOADS];
    int sockets[LOADS];
    clockid_t clock;
    check(clock_getcpuclockid(relay, &clock) == 0, "clock of the relay");
    size_t connections = strcmp(shape, "connections") == 0 ? LOADS : 1;
    size_t depth = strcmp(shape, "pipelined") == 0 ? LOADS : 1;
    for (size_t index = 0; index < connections; index++) {
        readers[index].socket = sockets[index] = open_connection(path);
    }
    int epoll = watch(sockets, connections);
    uint64_t *times = calloc(count + LOADS, sizeof *times);
    check(times != NULL, "memory");
    // As in the project's destinations, a tenth is loaded before the measurement, but not of large loads.
    size_t early = (count / 10 / LOADS + (count / 10 < LOADS)) * LOADS;
    size_t counts[] = {strcmp(shape, "bulk") == 0 ? 0 : early, count};
    uint64_t start = 0, used = 0;
    for (int round = 0; round < 2; round++) {
        used = now(clock);
        start = now(CLOCK_MONOTONIC);
        load_all(readers, connections, epoll, counts[round], bytes, depth, times);
    }
    uint64_t whole = now(CLOCK_MONOTONIC) - start;
    used = now(clock) - used;
    qsort(times, count, sizeof *times, compare);
    printf("%lu %lu %lu %lu\n", times[count / 2], times[count * 99 / 100], whole, used);
}

int main(int count, char **arguments) {
    check(count >= 3, "arguments");
    const char *role = arguments[1], *socket = arguments[2];
    if (strcmp(role, "relay") == 0 && count == 4) relay(socket, strtoul(arguments[3], NULL, 10));
    if (strcmp(role, "source") == 0) serve(open_connection(socket));
    if (strcmp(role, "destination") == 0 && count == 7) {
        size_t bytes = strtoul(arguments[5], NULL, 10);
        load(socket, arguments[3], strtoul(arguments[4], NULL, 10), bytes, atoi(arguments[6]));
    }
    return 0;
}
