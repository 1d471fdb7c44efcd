#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int floor_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        floor_die(path);
    }
    strcpy(address.sun_path, path);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) floor_die("socket");
    if (connect(connection, (const struct sockaddr *)&address, sizeof address) < 0) floor_die(path);
    floor_enlarge_buffers(connection);
    return connection;
}

// ---- Source

// Answers that wait to be written together. Their payload is whatever the memory holds: making bytes is not measured.
struct answers {
    int socket;
    size_t count;
    uint8_t bytes[2 * FLOOR_BUFFER];
};

static void flush_answers(struct answers *answers) {
    floor_write(answers->socket, answers->bytes, answers->count);
    answers->count = 0;
}

static void answer(struct answers *answers, const struct floor_request *request) {
    uint64_t left = request->bytes;
    do {
        size_t count = left < FLOOR_LARGEST_PAYLOAD ? (size_t)left : FLOOR_LARGEST_PAYLOAD;
        left -= count;
        struct floor_header header = {
            .length = (uint32_t)count,
            .flags = left == 0 ? FLOOR_LAST : 0,
            .stream = request->header.stream,
        };
        if (answers->count + FLOOR_HEADER + count > sizeof answers->bytes) flush_answers(answers);
        memcpy(answers->bytes + answers->count, &header, sizeof header);
        answers->count += FLOOR_HEADER + count;
        if (count == FLOOR_LARGEST_PAYLOAD) flush_answers(answers);
    } while (left > 0);
}

void floor_serve(int socket) {
    static struct answers answers;
    static uint8_t bytes[64 * 1024];
    size_t count = 0;
    answers.socket = socket;
    for (;;) {
        size_t more = floor_read(socket, bytes + count, sizeof bytes - count);
        if (more == 0) return;
        count += more;
        size_t offset = 0;
        struct floor_request request;
        for (; count - offset >= sizeof request; offset += sizeof request) {
            memcpy(&request, bytes + offset, sizeof request);
            answer(&answers, &request);
        }
        flush_answers(&answers);
        memmove(bytes, bytes + offset, count - offset);
        count -= offset;
    }
}

void floor_await_request(int socket) {
    struct floor_request request;
    if (floor_read(socket, &request, sizeof request) == 0) floor_die("no request");
}

// ---- Destination

struct destination {
    int socket;
    uint64_t bytes;
    uint64_t stream;
    struct floor_position position;
};

static void ask(struct destination *destination, size_t count) {
    static struct floor_request requests[64];
    while (count > 0) {
        size_t piece = count < 64 ? count : 64;
        for (size_t index = 0; index < piece; index++) {
            requests[index].header = (struct floor_header){
                .length = FLOOR_REQUEST, .flags = FLOOR_LAST, .stream = destination->stream,
            };
            requests[index].bytes = destination->bytes;
            destination->stream += 2;
        }
        floor_write(destination->socket, requests, piece * sizeof requests[0]);
        count -= piece;
    }
}

// Waits for bytes and returns how many answers ended in them.
static size_t take_answers(struct destination *destination) {
    static uint8_t bytes[FLOOR_BUFFER];
    size_t count = floor_read(destination->socket, bytes, sizeof bytes);
    if (count == 0) {
        errno = ECONNRESET;
        floor_die("destination");
    }
    return floor_advance(&destination->position, bytes, count);
}

void floor_load_each(int socket, size_t count, uint64_t bytes, uint64_t *nanoseconds) {
    struct destination destination = {.socket = socket, .bytes = bytes, .stream = 1};
    for (size_t index = 0; index < count; index++) {
        uint64_t start = floor_now();
        ask(&destination, 1);
        while (take_answers(&destination) == 0) {}
        nanoseconds[index] = floor_now() - start;
    }
}

void floor_load_pipelined(int socket, size_t count, uint64_t bytes, size_t depth) {
    struct destination destination = {.socket = socket, .bytes = bytes, .stream = 1};
    size_t asked = depth < count ? depth : count;
    ask(&destination, asked);
    for (size_t done = 0; done < count;) {
        size_t ended = take_answers(&destination);
        done += ended;
        size_t more = ended < count - asked ? ended : count - asked;
        ask(&destination, more);
        asked += more;
    }
}

void floor_ask(int socket) {
    struct destination destination = {.socket = socket, .bytes = 1, .stream = 1};
    ask(&destination, 1);
}
