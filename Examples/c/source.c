// Offers a file on a pasteboard. Its bytes are read when a destination loads them, until other contents replace it.
//
//     source [-b BOARD] [-t TYPE] [-i] [-k] FILE
//
// TYPE is public.data if it is not given. With -i, no file descriptor is passed. With -k, the broker gets the bytes at once
// and keeps them, and the program ends.

#include "connection.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { PUBLICATION = 1 };

// A request for the bytes of the file, from `ask` to its end. The stream is 0 if there is none.
struct ask { uint64_t stream, credit, offset, size; int file; };

static struct ask asks[MOST_ASKS];
static uint8_t chunk[CHUNK];

static int open_file(const char *path, uint64_t *size) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        errno = EINVAL;
        return -1;
    }
    if (file >= 0) *size = (uint64_t)status.st_size;
    return file;
}

static void report_failure(uint64_t stream, const char *text) {
    printf("failed: %s\n", text);
    struct message failure = {.count = 0};
    put_number(&failure, 1, SOURCE_FAILED);
    put_string(&failure, 2, text);
    send_message(ERROR, stream, &failure);
}

static void close_ask(struct ask *ask) {
    close(ask->file);
    ask->stream = 0;
}

static struct ask *find_ask(uint64_t stream) {
    for (struct ask *ask = asks; ask < asks + MOST_ASKS; ask++)
        if (ask->stream == stream) return ask;
    return NULL;
}

static void begin(const struct frame *frame, const char *path, bool passes_descriptors) {
    struct field type = {0};
    struct ask *ask = find_ask(0);
    find(frame->payload, frame->count, 4, BYTES, &type);
    printf("asked for %.*s\n", (int)type.count, (const char *)type.bytes);
    if (!ask) die("the broker asks too much");  // A7
    *ask = (struct ask){.stream = frame->stream, .credit = number_in(frame, 5, 0)};
    ask->file = open_file(path, &ask->size);
    if (ask->file < 0) {
        report_failure(ask->stream, strerror(errno));
        ask->stream = 0;
        return;
    }
    struct message answer = {.count = 0};
    put_number(&answer, 4, ask->size);
    bool is_passed = passes_descriptors && number_in(frame, 7, 0);
    send_frame(ANSWER, is_passed ? LAST : 0, ask->stream, answer.bytes, answer.count, is_passed ? ask->file : -1);
    if (!is_passed) return;
    printf("passed %" PRIu64 " bytes\n", ask->size);  // The file is the whole load (U4).
    close_ask(ask);
}

// Credit covers bytes, so the end of an empty file needs none (O1).
static bool is_ready(const struct ask *ask) {
    return ask->stream && (ask->offset < ask->credit || ask->size == 0);
}

static void send_some(struct ask *ask) {
    uint64_t end = ask->credit < ask->size ? ask->credit : ask->size;
    size_t wanted = end - ask->offset < CHUNK ? end - ask->offset : CHUNK;
    ssize_t count = pread(ask->file, chunk, wanted, (off_t)ask->offset);
    if (count < 0 || (count == 0 && wanted > 0)) {
        report_failure(ask->stream, count < 0 ? strerror(errno) : "the file has become shorter");
        close_ask(ask);
        return;
    }
    ask->offset += (uint64_t)count;
    bool is_last = ask->offset == ask->size;
    send_frame(DATA, is_last ? LAST : 0, ask->stream, chunk, (size_t)count, -1);
    if (!is_last) return;
    printf("sent %" PRIu64 " bytes\n", ask->size);
    close_ask(ask);
}

// Answers asks until the publication ends. Asks that have credit get their next bytes in turn.
static void serve(const char *path, bool passes_descriptors, struct frame *frame) {
    static const char *const reasons[] = {"ended", "replaced", "cleared"};
    for (;;) {
        bool is_any_ready = false;
        for (struct ask *ask = asks; ask < asks + MOST_ASKS; ask++) is_any_ready |= is_ready(ask);
        if (!receive(frame, !is_any_ready)) {
            for (struct ask *ask = asks; ask < asks + MOST_ASKS; ask++)
                if (is_ready(ask)) send_some(ask);
            continue;
        }
        struct ask *ask = frame->stream ? find_ask(frame->stream) : NULL;
        if (frame->kind == ASK) {
            begin(frame, path, passes_descriptors);
        } else if (frame->stream == PUBLICATION && frame->kind == END) {
            uint64_t reason = number_in(frame, 2, 0);
            printf("%s\n", reasons[reason < 3 ? reason : 0]);
            return;
        } else if (ask && frame->kind == CREDIT) {
            uint64_t offset = number_in(frame, 1, 0);
            if (offset > ask->credit) ask->credit = offset;
        } else if (ask && (frame->kind == CANCEL || frame->kind == ERROR)) {
            printf("cancelled\n");
            close_ask(ask);
        }
    }
}

// Sends the bytes with the item: as a sealed memory file (U5), or in frames (W3).
static void keep(const char *path, bool passes_descriptors) {
    uint64_t size;
    int file = open_file(path, &size), memory = passes_descriptors ? memfd_create("kept", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
    if (file < 0) die("%s: %s", path, strerror(errno));
    ssize_t count;
    while ((count = read(file, chunk, CHUNK)) > 0) {
        if (memory < 0) send_frame(DATA, 0, PUBLICATION, chunk, (size_t)count, -1);
        for (ssize_t done = 0; memory >= 0 && done < count;) {
            ssize_t added = write(memory, chunk + done, (size_t)(count - done));
            if (added < 0) die("memory: %s", strerror(errno));
            done += added;
        }
    }
    if (count < 0) die("%s: %s", path, strerror(errno));
    if (memory >= 0 && fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        die("memory: %s", strerror(errno));
    send_frame(DATA, LAST, PUBLICATION, chunk, 0, memory);
}

int main(int count, char **arguments) {
    static struct frame frame;
    struct message write = {.count = 0}, item = {.count = 0}, representation = {.count = 0}, commit = {.count = 0};
    const char *type = "public.data";
    bool wants_descriptors = true, keeps = false;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int option; (option = getopt(count, arguments, "b:t:ik")) != -1;) {
        switch (option) {
        case 'b': put_string(&write, 1, optarg); break;
        case 't': type = optarg; break;
        case 'i': wants_descriptors = false; break;
        case 'k': keeps = true; break;
        default: return 2;
        }
    }
    const char *path = arguments[optind];
    if (!path) die("usage: source [-b BOARD] [-t TYPE] [-i] [-k] FILE");
    bool passes_descriptors = connect_broker("c-source", wants_descriptors, &frame);
    send_message(WRITE, PUBLICATION, &write);
    const char *slash = strrchr(path, '/');
    put_string(&representation, 1, type);
    put_number(&representation, 5, keeps);  // provision: 0 promised, 1 kept
    put_string(&item, 1, slash ? slash + 1 : path);
    put_bytes(&item, 2, representation.bytes, representation.count);
    send_message(ITEM, PUBLICATION, &item);
    if (keeps) keep(path, passes_descriptors);
    put_number(&commit, 1, 1);
    send_message(COMMIT, PUBLICATION, &commit);
    receive(&frame, true);
    if (frame.kind != COMMITTED) fail(&frame);
    printf(keeps ? "kept\n" : "offered\n");
    if (!keeps) serve(path, passes_descriptors, &frame);
    return 0;
}
