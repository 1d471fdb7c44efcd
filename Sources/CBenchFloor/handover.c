#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

// Sends bytes, with a descriptor unless it is negative.
static void pass(int socket, const void *bytes, size_t count, int descriptor) {
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    union control control;
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)count) floor_die("sendmsg");
}

// Returns how many bytes came, 0 at the end, and the descriptor that came with them or -1.
static size_t receive(int socket, void *bytes, size_t capacity, int *descriptor) {
    struct iovec piece = {.iov_base = bytes, .iov_len = capacity};
    union control control;
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno != ECONNRESET) floor_die("recvmsg");
    *descriptor = -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (count > 0 && header != NULL) memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return count < 0 ? 0 : (size_t)count;
}

void floor_relay_descriptors(int listener) {
    struct pollfd sides[2];
    for (int index = 0; index < 2; index++) {
        sides[index] = (struct pollfd){.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), .events = POLLIN};
        if (sides[index].fd < 0) floor_die("accept");
    }
    for (;;) {
        if (poll(sides, 2, -1) < 0) floor_die("poll");
        for (int index = 0; index < 2; index++) {
            if (sides[index].revents == 0) continue;
            uint8_t bytes[4096];
            int descriptor;
            size_t count = receive(sides[index].fd, bytes, sizeof bytes, &descriptor);
            if (count == 0) return;
            pass(sides[1 - index].fd, bytes, count, descriptor);
            if (descriptor >= 0) close(descriptor);
        }
    }
}

void floor_serve_descriptor(int socket, int descriptor) {
    struct floor_request request;
    int none;
    while (receive(socket, &request, sizeof request, &none) > 0) {
        struct floor_header header = {.flags = FLOOR_LAST, .descriptors = 1, .stream = request.header.stream};
        pass(socket, &header, sizeof header, descriptor);
    }
}

int floor_load_descriptor(int socket) {
    floor_ask(socket);
    struct floor_header header;
    int descriptor;
    if (receive(socket, &header, sizeof header, &descriptor) != sizeof header || descriptor < 0) {
        errno = EPROTO;
        floor_die("no descriptor came");
    }
    return descriptor;
}

// ---- What is done with the file

static void *map(int descriptor, size_t count) {
    void *bytes = mmap(NULL, count, PROT_READ, MAP_SHARED, descriptor, 0);
    if (bytes == MAP_FAILED) floor_die("mmap");
    return bytes;
}

uint64_t bench_map(int descriptor, size_t count) {
    void *bytes = map(descriptor, count);
    uint64_t time = floor_now();
    munmap(bytes, count);
    return time;
}

uint64_t bench_sum_mapped(int descriptor, size_t count) {
    uint64_t *words = map(descriptor, count);
    uint64_t total = 0;
    for (size_t at = 0; at < count / sizeof *words; at++) total += words[at];
    munmap(words, count);
    return total;
}

size_t bench_read_all(int descriptor, size_t count) {
    static uint8_t bytes[FLOOR_LARGEST_PAYLOAD];
    size_t total = 0;
    while (total < count) {
        ssize_t more = pread(descriptor, bytes, sizeof bytes, (off_t)total);
        if (more < 0) floor_die("pread");
        if (more == 0) break;
        total += (size_t)more;
    }
    return total;
}
