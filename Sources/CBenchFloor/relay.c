#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "frame.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// One direction: what was read from its sender and not yet written to the other side.
struct direction {
    struct floor_position position;
    size_t head;
    size_t tail;
    uint8_t bytes[FLOOR_BUFFER];
};

struct side {
    int socket;
    uint32_t interest;
    struct direction outgoing;  // from this side to the other
};

static struct side sides[2];

static void set_interest(int epoll, int index, int operation) {
    struct side *side = &sides[index];
    uint32_t interest = 0;
    if (side->outgoing.head == side->outgoing.tail) interest |= EPOLLIN;
    if (sides[1 - index].outgoing.head != sides[1 - index].outgoing.tail) interest |= EPOLLOUT;
    if (operation == EPOLL_CTL_MOD && interest == side->interest) return;
    struct epoll_event event = {.events = interest, .data.u32 = (uint32_t)index};
    if (epoll_ctl(epoll, operation, side->socket, &event) < 0) floor_die("epoll_ctl");
    side->interest = interest;
}

// False where the receiver is gone.
static int drain(struct direction *direction, int receiver) {
    while (direction->head < direction->tail) {
        ssize_t written =
            send(receiver, direction->bytes + direction->head, direction->tail - direction->head, MSG_NOSIGNAL);
        if (written < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) return 1;
            if (errno == EPIPE || errno == ECONNRESET) return 0;
            floor_die("send");
        }
        direction->head += (size_t)written;
    }
    direction->head = direction->tail = 0;
    return 1;
}

// False where the sender is gone.
static int fill(struct direction *direction, int sender) {
    ssize_t count = read(sender, direction->bytes, sizeof direction->bytes);
    if (count < 0) {
        if (errno == EAGAIN || errno == EINTR) return 1;
        if (errno == ECONNRESET) return 0;
        floor_die("read");
    }
    floor_advance(&direction->position, direction->bytes, (size_t)count);
    direction->tail = (size_t)count;
    return count > 0;
}

int floor_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        floor_die(path);
    }
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) floor_die("socket");
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) < 0) floor_die(path);
    if (listen(listener, 128) < 0) floor_die("listen");
    return listener;
}

void floor_relay(int listener) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) floor_die("epoll_create1");
    for (int index = 0; index < 2; index++) {
        sides[index].socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (sides[index].socket < 0) floor_die("accept");
        floor_enlarge_buffers(sides[index].socket);
        set_interest(epoll, index, EPOLL_CTL_ADD);
    }
    for (;;) {
        struct epoll_event events[2];
        int count = epoll_wait(epoll, events, 2, -1);
        if (count < 0 && errno != EINTR) floor_die("epoll_wait");
        for (int at = 0; at < count; at++) {
            int index = (int)events[at].data.u32;
            struct side *side = &sides[index];
            struct side *other = &sides[1 - index];
            uint32_t what = events[at].events;
            int alive = 1;
            if (what & EPOLLOUT) alive = drain(&other->outgoing, side->socket);
            if (alive && what & (EPOLLIN | EPOLLHUP) && side->outgoing.tail == 0) {
                alive = fill(&side->outgoing, side->socket) && drain(&side->outgoing, other->socket);
            }
            if (!alive) {
                // At once, before this process takes its time to end.
                close(side->socket);
                close(other->socket);
                return;
            }
        }
        for (int index = 0; index < 2; index++) set_interest(epoll, index, EPOLL_CTL_MOD);
    }
}
