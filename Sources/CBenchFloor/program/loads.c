// Loads: a relay, a source and a destination. The relay knows the lengths of frames, and to whom an answer belongs.
//
// loads relay SOCKET DESTINATIONS PASSES-DESCRIPTORS
// loads source SOCKET FILE-BYTES
// loads destination SOCKET SHAPE COUNT BYTES RELAY-PROCESS

#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "floor.h"

#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>

// The number of loads at the same time, on one connection or each on its own.
enum { LOADS = 64 };

// A request of 64 bytes. The relay sets the stream to the number of the destination's connection.
struct request {
    struct header header;
    uint64_t bytes;
    uint8_t rest[56];
};

// ---- Descriptors

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

// Sends bytes with a descriptor.
static void pass(int socket, void *bytes, size_t count, int descriptor) {
    struct iovec piece = {.iov_base = bytes, .iov_len = count};
    union control control = {.header = {CMSG_LEN(sizeof descriptor), SOL_SOCKET, SCM_RIGHTS}};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    check(sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)count, "sendmsg");
}

// Reads as `read_some` does. Sets the descriptor that arrived with the bytes, or -1.
static size_t receive(int socket, void *bytes, size_t capacity, int *descriptor) {
    struct iovec piece = {.iov_base = bytes, .iov_len = capacity};
    union control control;
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    check(count >= 0 || errno == ECONNRESET, "recvmsg");
    struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *descriptor = -1;
    if (header != NULL) memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return count < 0 ? 0 : (size_t)count;
}

// ---- Frames

// A connection from which frames are read. At most an incomplete header of `bytes` is not visited between two reads.
struct reader {
    int socket;
    int takes_descriptors;
    size_t count;
    size_t visited;
    // The last frame that was visited, and the number of its bytes that are still to come.
    struct header header;
    size_t left;
    uint8_t bytes[FRAME];
};

// Reads more bytes. Sets the descriptor that arrived with them, or -1. Returns 0 at the end.
static int fill(struct reader *reader, int *descriptor) {
    reader->count -= reader->visited;
    memmove(reader->bytes, reader->bytes + reader->visited, reader->count);
    reader->visited = 0;
    *descriptor = -1;
    uint8_t *free = reader->bytes + reader->count;
    size_t capacity = FRAME - reader->count;
    size_t more = reader->takes_descriptors ? receive(reader->socket, free, capacity, descriptor)
                                            : read_some(reader->socket, free, capacity);
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

static int watch(const int *sockets, size_t count) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t index = 0; index < count; index++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = index};
        check(epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[index], &event) == 0, "epoll_ctl");
    }
    return epoll;
}

// ---- Relay

// Moves answers from the source to the destinations. Returns 0 if the source has ended.
static int move_answers(struct reader *source, const int *sockets) {
    static size_t to = 1;
    int descriptor;
    if (!fill(source, &descriptor)) return 0;
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
    if (descriptor < 0) {
        write_all(sockets[to], source->bytes + start, source->visited - start);
    } else {
        pass(sockets[to], source->bytes + start, source->visited - start, descriptor);
        close(descriptor);
    }
    return 1;
}

// Moves requests and answers between a source, which connects first, and destinations, until one of them ends.
//
// Sockets block: requests are so small that they always fit, and a destination reads all that it has requested.
static void relay(int listener, size_t destinations, int passes_descriptors) {
    static struct reader source;
    static struct request requests[LOADS * LOADS];
    int sockets[1 + LOADS];
    ready();
    for (size_t index = 0; index <= destinations; index++) sockets[index] = accept_connection(listener);
    int epoll = watch(sockets, 1 + destinations);
    source.socket = sockets[0];
    source.takes_descriptors = passes_descriptors;
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
    // At once, before this process takes its time to end.
    for (size_t index = 0; index <= destinations; index++) close(sockets[index]);
}

// ---- Source

// Answers requests with bytes, or with a descriptor of a memory file of that size unless it is 0. The bytes are those
// that the memory holds: producing them is not measured.
static void serve(int socket, size_t file_bytes) {
    static struct request requests[LOADS];
    static uint8_t answers[2 * FRAME];
    int file = -1;
    if (file_bytes > 0) {
        file = memfd_create("floor", MFD_CLOEXEC);
        for (size_t done = 0; done < file_bytes; done += PAYLOAD) write_all(file, answers, PAYLOAD);
    }
    ready();
    for (;;) {
        size_t more = read_some(socket, requests, sizeof requests), count = 0;
        if (more == 0) return;
        for (size_t index = 0; index < more / sizeof *requests; index++) {
            struct header header = {.stream = requests[index].header.stream};
            if (file >= 0) {
                header.flags = LAST;
                header.descriptors = 1;
                pass(socket, &header, HEADER, file);
                continue;
            }
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

// Nanoseconds of the monotonic clock.
static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void request(int socket, size_t count, uint64_t bytes) {
    struct request requests[LOADS];
    for (size_t index = 0; index < count; index++) {
        requests[index] = (struct request){.header.length = sizeof(struct request) - HEADER, .bytes = bytes};
    }
    write_all(socket, requests, count * sizeof *requests);
}

// Waits for bytes, and returns the number of answers that ended in them.
static size_t take_answers(struct reader *reader, int *descriptor) {
    check(fill(reader, descriptor), "end of the relay");
    size_t ended = 0;
    while (visit(reader) > 0) ended += reader->left == 0 && reader->header.flags & LAST;
    return ended;
}

// Loads on one connection, with `depth` requests at the same time. Sets the times of single loads if that is 1.
static void load_on_one(struct reader *reader, size_t count, uint64_t bytes, size_t depth, uint64_t *times) {
    size_t requested = least(depth, count);
    uint64_t start = now();
    request(reader->socket, requested, bytes);
    for (size_t done = 0; done < count;) {
        int descriptor;
        size_t ended = take_answers(reader, &descriptor);
        if (ended == 0) continue;
        void *mapped = descriptor < 0 ? NULL : mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
        check(mapped != MAP_FAILED, "mmap");
        if (depth == 1) times[done] = now() - start;
        if (mapped != NULL) check(munmap(mapped, bytes) == 0 && close(descriptor) == 0, "munmap");
        done += ended;
        size_t more = least(ended, count - requested);
        start = now();
        request(reader->socket, more, bytes);
        requested += more;
    }
}

// Loads with one request at the same time on each connection.
static void load_on_all(struct reader *readers, int epoll, size_t count, uint64_t bytes) {
    size_t requested = LOADS;
    for (size_t index = 0; index < LOADS; index++) request(readers[index].socket, 1, bytes);
    for (size_t done = 0; done < requested;) {
        struct epoll_event events[LOADS];
        int ready = epoll_wait(epoll, events, LOADS, -1), descriptor;
        check(ready > 0, "epoll_wait");
        for (int at = 0; at < ready; at++) {
            struct reader *reader = &readers[events[at].data.u64];
            if (take_answers(reader, &descriptor) == 0) continue;
            done++;
            if (requested == count) continue;
            requested++;
            request(reader->socket, 1, bytes);
        }
    }
}

static int compare(const void *left, const void *right) {
    uint64_t first = *(const uint64_t *)left, second = *(const uint64_t *)right;
    return (first > second) - (first < second);
}

// Measures loads, and prints the median and the 99th percentile of their times, the whole time, and the processor time
// of the relay.
static void load(const char *path, const char *shape, size_t count, uint64_t bytes, int relay) {
    static struct reader readers[LOADS];
    int sockets[LOADS];
    size_t connections = strcmp(shape, "connections") == 0 ? LOADS : 1;
    size_t depth = strcmp(shape, "pipelined") == 0 ? LOADS : 1;
    for (size_t index = 0; index < connections; index++) {
        readers[index].socket = sockets[index] = open_connection(path);
        readers[index].takes_descriptors = strcmp(shape, "descriptor") == 0;
    }
    int epoll = watch(sockets, connections);
    uint64_t *times = calloc(count + LOADS, sizeof *times);
    check(times != NULL, "memory");
    // As in the project's destinations, a tenth is loaded before the measurement, but not of large loads.
    size_t early = (count / 10 / LOADS + (count / 10 < LOADS)) * LOADS;
    size_t counts[] = {strcmp(shape, "bulk") == 0 ? 0 : early, count};
    uint64_t start = 0, used = 0;
    for (int round = 0; round < 2; round++) {
        used = bench_processor_time(relay);
        start = now();
        if (connections > 1) {
            load_on_all(readers, epoll, counts[round], bytes);
        } else {
            load_on_one(readers, counts[round], bytes, depth, times);
        }
    }
    uint64_t whole = now() - start;
    used = bench_processor_time(relay) - used;
    qsort(times, count, sizeof *times, compare);
    printf("%lu %lu %lu %lu\n", times[count / 2], times[count * 99 / 100], whole, used);
}

int main(int count, char **arguments) {
    check(count >= 4 && bench_die_with_parent() == 0, "start");
    const char *role = arguments[1], *socket = arguments[2];
    size_t number = strtoul(arguments[3], NULL, 10);
    if (strcmp(role, "relay") == 0 && count == 5) relay(open_listener(socket), number, atoi(arguments[4]));
    if (strcmp(role, "source") == 0) serve(open_connection(socket), number);
    if (strcmp(role, "destination") == 0 && count == 7) {
        size_t bytes = strtoul(arguments[5], NULL, 10);
        load(socket, arguments[3], strtoul(arguments[4], NULL, 10), bytes, atoi(arguments[6]));
    }
    return 0;
}
