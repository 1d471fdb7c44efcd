#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "frame.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

// A request carries the number of its connection in the upper bits of its stream on its way to the source and back, so
// that the relay needs no table. Sockets block: requests are small, and each connection waits for its answer.
enum { CONNECTIONS = 128, SHIFT = 48 };

struct member {
    int socket;
    size_t count;
    uint8_t bytes[FLOOR_BUFFER];
};

static struct member members[CONNECTIONS];  // the source first
static uint8_t requests[2 * FLOOR_BUFFER];
static size_t request_count;

static void flush_requests(void) {
    floor_write(members[0].socket, requests, request_count);
    request_count = 0;
}

static void pass(size_t from, uint8_t *frame, size_t length) {
    struct floor_header header;
    memcpy(&header, frame, sizeof header);
    size_t to = from == 0 ? (size_t)(header.stream >> SHIFT) : 0;
    if (to >= CONNECTIONS || members[to].socket == 0) {
        errno = EPROTO;
        floor_die("an answer for nobody");
    }
    header.stream ^= (uint64_t)(from == 0 ? to : from) << SHIFT;
    memcpy(frame, &header, sizeof header);
    if (from == 0) {
        floor_write(members[to].socket, frame, length);
        return;
    }
    if (request_count + length > sizeof requests) flush_requests();
    memcpy(requests + request_count, frame, length);
    request_count += length;
}

// False where the member is gone.
static int move_frames(size_t index) {
    struct member *member = &members[index];
    size_t more = floor_read(member->socket, member->bytes + member->count, sizeof member->bytes - member->count);
    if (more == 0) return 0;
    member->count += more;
    size_t offset = 0;
    struct floor_header header;
    while (member->count - offset >= FLOOR_HEADER) {
        memcpy(&header, member->bytes + offset, sizeof header);
        if (header.length > FLOOR_LARGEST_PAYLOAD) {
            errno = EPROTO;
            floor_die("frame longer than allowed");
        }
        size_t length = FLOOR_HEADER + header.length;
        if (member->count - offset < length) break;
        pass(index, member->bytes + offset, length);
        offset += length;
    }
    memmove(member->bytes, member->bytes + offset, member->count - offset);
    member->count -= offset;
    return 1;
}

static void watch(int epoll, int socket, size_t token) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = token};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) < 0) floor_die("epoll_ctl");
}

void floor_relay_many(int listener) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) floor_die("epoll_create1");
    watch(epoll, listener, CONNECTIONS);
    size_t connected = 0;
    for (;;) {
        struct epoll_event events[256];
        int count = epoll_wait(epoll, events, 256, -1);
        if (count < 0 && errno != EINTR) floor_die("epoll_wait");
        for (int at = 0; at < count; at++) {
            size_t index = (size_t)events[at].data.u64;
            if (index < CONNECTIONS) {
                if (!move_frames(index)) return;
                continue;
            }
            int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            if (socket < 0) floor_die("accept");
            if (connected == CONNECTIONS) floor_die("too many connections");
            floor_enlarge_buffers(socket);
            members[connected].socket = socket;
            watch(epoll, socket, connected);
            connected++;
        }
        flush_requests();
    }
}

void floor_load_connections(const int *sockets, size_t connections, size_t count, uint64_t bytes) {
    static struct floor_position positions[CONNECTIONS];
    static uint8_t buffer[FLOOR_BUFFER];
    struct floor_request request = {
        .header = {.length = FLOOR_REQUEST, .flags = FLOOR_LAST, .stream = 1}, .bytes = bytes,
    };
    if (connections > CONNECTIONS) floor_die("too many connections");
    memset(positions, 0, sizeof positions);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) floor_die("epoll_create1");
    for (size_t index = 0; index < connections; index++) {
        watch(epoll, sockets[index], index);
        floor_write(sockets[index], &request, sizeof request);
    }
    size_t asked = connections;
    for (size_t done = 0; done < asked;) {
        struct epoll_event events[256];
        int ready = epoll_wait(epoll, events, 256, -1);
        if (ready < 0 && errno != EINTR) floor_die("epoll_wait");
        for (int at = 0; at < ready; at++) {
            size_t index = (size_t)events[at].data.u64;
            size_t more = floor_read(sockets[index], buffer, sizeof buffer);
            if (more == 0) {
                errno = ECONNRESET;
                floor_die("destination");
            }
            if (floor_advance(&positions[index], buffer, more) == 0) continue;
            done++;
            if (asked == count) continue;
            asked++;
            request.header.stream += 2;
            floor_write(sockets[index], &request, sizeof request);
        }
    }
    close(epoll);
}
