// A connection to the broker: its socket and its frames. The numbers of rules are those of Protocol.md. A failure ends the
// program.

#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "messages.h"

enum kind {
    HELLO = 1, WELCOME = 2, WRITE = 16, ITEM = 17, COMMIT = 18, LOAD = 19, ASK = 32, ANSWER = 33, COMMITTED = 34,
    DATA = 48, END = 49, ERROR = 50, CANCEL = 51, CREDIT = 52, PROGRESS = 53,
};
enum { LAST = 1, MUST_UNDERSTAND = 2, CHUNK = 65536, MOST_CONTROL = 65536, MOST_DATA = 262144, HEADER = 16 };
enum { FEATURE_DESCRIPTORS = 2, SOURCE_FAILED = 5, MOST_ASKS = 16 };

struct frame {
    uint8_t kind, flags;
    uint64_t stream;
    int descriptor;
    size_t count;
    uint8_t payload[MOST_DATA];
};

static int broker;
static struct { uint8_t *bytes; size_t count, capacity; bool is_over; int descriptors[64]; size_t descriptor_count; } input;

static inline uint64_t number_in(const struct frame *frame, uint32_t field, uint64_t otherwise) {
    struct field found;
    return find(frame->payload, frame->count, field, NUMBER, &found) ? found.value : otherwise;
}

// Reads what has arrived. Returns false if nothing has.
static inline bool read_input(void) {
    if (input.capacity - input.count < MOST_DATA) {
        input.bytes = realloc(input.bytes, input.capacity += 2 * MOST_DATA);
        if (!input.bytes) die("no memory");
    }
    union { char bytes[CMSG_SPACE(16 * sizeof(int))]; struct cmsghdr alignment; } control;
    struct iovec part = {input.bytes + input.count, MOST_DATA};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t count = recvmsg(broker, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (count <= 0) return input.is_over = true;
    input.count += (size_t)count;
    for (struct cmsghdr *rights = CMSG_FIRSTHDR(&header); rights; rights = CMSG_NXTHDR(&header, rights)) {
        if (rights->cmsg_type != SCM_RIGHTS) continue;
        size_t added = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        if (input.descriptor_count + added > 64) die("the broker sent too many descriptors");
        memcpy(input.descriptors + input.descriptor_count, CMSG_DATA(rights), added * sizeof(int));
        input.descriptor_count += added;
    }
    return true;
}

// Sends a frame. A descriptor goes with its first bytes (U7).
static inline void send_frame(
    uint8_t kind, uint8_t flags, uint64_t stream, const void *payload, size_t count, int descriptor) {
    uint8_t head[HEADER] = {(uint8_t)count, (uint8_t)(count >> 8), (uint8_t)(count >> 16), 0, kind, flags, descriptor >= 0, 1};
    for (int index = 0; index < 8; index++) head[8 + index] = (uint8_t)(stream >> 8 * index);
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr header; } control = {0};
    control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
    for (size_t sent = 0; sent < HEADER + count;) {
        size_t left = sent < HEADER ? HEADER - sent : 0;
        struct iovec parts[] = {
            {head + HEADER - left, left}, {(uint8_t *)payload + (sent + left - HEADER), HEADER + count - sent - left},
        };
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        if (descriptor >= 0 && sent == 0) message.msg_control = &control, message.msg_controllen = sizeof control;
        ssize_t added = sendmsg(broker, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (added >= 0) {
            sent += (size_t)added;
        } else if (errno == EAGAIN) {  // The broker may wait until this program has read (O6).
            struct pollfd ready = {broker, POLLIN | POLLOUT, 0};
            if (poll(&ready, 1, -1) > 0 && ready.revents & POLLIN && !input.is_over) read_input();
        } else if (errno != EINTR) {
            return;  // What the broker sent before is still to be received (C10).
        }
    }
}

static inline void send_message(uint8_t kind, uint64_t stream, const struct message *message) {
    send_frame(kind, 0, stream, message->bytes, message->count, -1);
}

// Prints an error of the broker, and ends the program.
static inline _Noreturn void fail(const struct frame *error) {
    struct field text = {0};
    find(error->payload, error->count, 2, BYTES, &text);
    die("error %" PRIu64 ": %.*s", number_in(error, 1, 0), (int)text.count, (const char *)text.bytes);
}

static inline int next_descriptor(void) {
    if (input.descriptor_count == 0) die("a descriptor is missing");  // U3
    int descriptor = input.descriptors[0];
    memmove(input.descriptors, input.descriptors + 1, --input.descriptor_count * sizeof(int));
    return descriptor;
}

// Receives the next frame. Returns false if there is none and it must not wait.
static inline bool receive(struct frame *frame, bool waits) {
    for (;;) {
        if (input.count >= HEADER) {
            uint8_t *head = input.bytes;
            uint32_t count = head[0] | head[1] << 8 | head[2] << 16 | (uint32_t)head[3] << 24;
            if (head[7] != 1 || head[6] > 1 || count > (head[4] == DATA ? MOST_DATA : MOST_CONTROL))
                die("the broker violates the protocol");  // F3, F5, U3
            if (input.count >= HEADER + count) {
                bool is_known = head[4] == WELCOME || (head[4] >= WRITE && head[4] <= 42) || (head[4] >= DATA && head[4] <= 56);
                frame->kind = head[4];
                frame->flags = head[5];
                frame->stream = 0;
                for (int index = 7; index >= 0; index--) frame->stream = frame->stream << 8 | head[8 + index];
                frame->count = count;
                memcpy(frame->payload, head + HEADER, count);
                frame->descriptor = head[6] ? next_descriptor() : -1;
                input.count -= HEADER + count;
                memmove(input.bytes, input.bytes + HEADER + count, input.count);
                if (!is_known && frame->flags & MUST_UNDERSTAND) die("the broker sent an unknown kind of frame");  // F7
                if (!is_known) continue;
                if (frame->kind != DATA) number_in(frame, UINT32_MAX, 0);  // M7: checks all fields
                if (frame->stream == 0 && frame->kind == ERROR) fail(frame);
                return true;
            }
        }
        if (input.is_over) die("the broker has ended");
        if (!read_input()) {
            if (!waits) return false;
            poll(&(struct pollfd){broker, POLLIN, 0}, 1, -1);
        }
    }
}

static inline bool is_private(const char *directory) {
    struct stat status;
    return stat(directory, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == getuid() && !(status.st_mode & 077);
}

static inline void find_socket(char *path, size_t size) {  // P1, P2
    const char *name = getenv("PASTEBOARD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char boot[37] = "", own[32];
    struct stat status;
    snprintf(own, sizeof own, "/run/user/%u", getuid());
    if ((name && *name && *name != '/') || ((!name || !*name) && runtime && *runtime && *runtime != '/'))
        die("PASTEBOARD_SOCKET and XDG_RUNTIME_DIR must be absolute paths");
    int length;
    if (name && *name) {
        length = snprintf(path, size, "%s", name);
    } else if (runtime && *runtime && stat(runtime, &status) == 0 && S_ISDIR(status.st_mode)) {
        length = snprintf(path, size, "%s/pasteboard/socket", runtime);
    } else if (is_private(own)) {
        length = snprintf(path, size, "%s/pasteboard/socket", own);
    } else {
        FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
        if (!file || !fgets(boot, sizeof boot, file)) die("the boot id cannot be read");
        bool is_set = state && *state == '/';
        length = snprintf(
            path, size, "%s%s/pasteboard/%s/socket", is_set ? state : home ? home : "", is_set ? "" : "/.local/state", boot);
    }
    if (length >= (int)size) die("the path of the socket is too long");
}

// Connects to the broker. Returns whether descriptors can be passed.
static inline bool connect_broker(const char *label, bool wants_descriptors, struct frame *frame) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer;
    find_socket(address.sun_path, sizeof address.sun_path);
    char *slash = strrchr(address.sun_path, '/');
    *slash = 0;
    if (!is_private(address.sun_path)) die("no broker: %s is missing, or is open to others", address.sun_path);  // P3
    *slash = '/';
    broker = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(broker, (struct sockaddr *)&address, sizeof address) != 0)
        die("no broker at %s: %s", address.sun_path, strerror(errno));
    if (getsockopt(broker, SOL_SOCKET, SO_PEERCRED, &peer, &(socklen_t){sizeof peer}) != 0 || peer.uid != getuid())
        die("the broker at %s belongs to another user", address.sun_path);  // P4
    struct message hello = {.count = 0};
    put_number(&hello, 1, 1);
    put_number(&hello, 2, 1);
    if (wants_descriptors) put_number(&hello, 3, FEATURE_DESCRIPTORS);
    put_string(&hello, 5, label);
    put_number(&hello, 6, MOST_ASKS);
    send_message(HELLO, 0, &hello);
    receive(frame, true);
    if (frame->kind != WELCOME) die("the broker did not send welcome");  // C6
    // Features are packed or separate numbers (M1).
    struct reader features = {frame->payload, frame->payload + frame->count};
    bool has_descriptors = false;
    for (struct field field; read_field(&features, &field);) {
        if (field.number != 2) continue;
        if (field.type == NUMBER) has_descriptors |= field.value == FEATURE_DESCRIPTORS;
        for (struct reader packed = {field.bytes, field.bytes + field.count}; packed.at < packed.end;)
            has_descriptors |= read_varint(&packed) == FEATURE_DESCRIPTORS;
    }
    return has_descriptors;
}
