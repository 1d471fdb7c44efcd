// A file system of one file, `file`, which stops answering when it is told to: what is left of a network mount whose
// server has gone. It speaks the kernel's FUSE protocol itself, so that nothing has to be installed.
//
//     dead-file-system DIRECTORY
//
// Says `ready` once it is mounted, or `cannot: REASON`. After the line `silent` on standard input it answers nothing any
// more and says `silent`. After the line `end`, or at the end of standard input, it takes the mount away, which fails
// whatever still waits for it.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FILE_NODE = 2, FILE_SIZE = 4096, FOREVER = 3600 };

static int device;

static int cannot(const char *what) {
    printf("cannot: %s: %s\n", what, strerror(errno));
    fflush(stdout);
    return 0;
}

static void reply(const struct fuse_in_header *request, int error, const void *body, size_t count) {
    struct fuse_out_header header = {
        .len = (uint32_t)(sizeof header + count), .error = -error, .unique = request->unique,
    };
    struct iovec pieces[2] = {{&header, sizeof header}, {(void *)body, count}};
    (void)!writev(device, pieces, 2);
}

static struct fuse_attr attributes(uint64_t node) {
    struct fuse_attr attributes = {.ino = node, .nlink = 1, .uid = getuid(), .gid = getgid(), .blksize = 4096};
    attributes.mode = node == FILE_NODE ? S_IFREG | 0444 : S_IFDIR | 0555;
    attributes.size = node == FILE_NODE ? FILE_SIZE : 0;
    return attributes;
}

static void answer(const struct fuse_in_header *request, const void *body) {
    switch (request->opcode) {
    case FUSE_INIT: {
        const struct fuse_init_in *in = body;
        struct fuse_init_out out = {
            .major = FUSE_KERNEL_VERSION,
            .minor = in->minor < FUSE_KERNEL_MINOR_VERSION ? in->minor : FUSE_KERNEL_MINOR_VERSION,
            .max_readahead = in->max_readahead,
            .max_write = 4096,
        };
        reply(request, 0, &out, sizeof out);
        break;
    }
    case FUSE_LOOKUP: {
        if (strcmp(body, "file") != 0) return reply(request, ENOENT, NULL, 0);
        struct fuse_entry_out out = {.nodeid = FILE_NODE, .attr = attributes(FILE_NODE)};
        reply(request, 0, &out, sizeof out);
        break;
    }
    case FUSE_GETATTR: {
        // Valid for no time: whoever wants the newest has to ask.
        struct fuse_attr_out out = {.attr = attributes(request->nodeid)};
        reply(request, 0, &out, sizeof out);
        break;
    }
    case FUSE_OPEN:
    case FUSE_OPENDIR: {
        struct fuse_open_out out = {0};
        reply(request, 0, &out, sizeof out);
        break;
    }
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
        break;
    default:
        reply(request, ENOSYS, NULL, 0);
    }
}

int main(int count, char **arguments) {
    static union {
        struct fuse_in_header header;
        char bytes[1 << 17];
    } request;
    if (count != 2) return 2;
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0) return cannot("/dev/fuse");
    char options[96];
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device, getuid(), getgid());
    if (mount("dead-file-system", arguments[1], "fuse", MS_NOSUID | MS_NODEV, options) < 0) return cannot("mount");
    printf("ready\n");
    fflush(stdout);
    int isSilent = 0;
    for (;;) {
        struct pollfd waits[2] = {{.fd = isSilent ? -1 : device, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
        if (poll(waits, 2, FOREVER * 1000) <= 0) continue;
        if (waits[1].revents) {
            char line[64];
            if (read(0, line, sizeof line) <= 0 || line[0] == 'e') break;
            isSilent = 1;
            printf("silent\n");
            fflush(stdout);
        } else if (waits[0].revents) {
            ssize_t size = read(device, &request, sizeof request);
            if (size > (ssize_t)sizeof request.header) answer(&request.header, request.bytes + sizeof request.header);
        }
    }
    umount2(arguments[1], MNT_DETACH);
    return 0;
}
