// Calls and constants of Linux, and macros of control messages, that Swift's Glibc module does not contain.
//
// Header only: every function is a static inline around one call, and leaves errno as the call set it.
// _GNU_SOURCE must not be defined here. It would change structures that the Glibc module has already described,
// so the few prototypes that need it are declared below by hand.

#pragma once

#if !defined(__linux__)
#error "swift-pasteboard runs on Linux"
#endif

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <linux/stat.h>
#include <malloc.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- Prototypes that glibc hides behind _GNU_SOURCE

extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int memfd_create(const char *, unsigned int);
extern int pipe2(int[2], int);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *, int);
extern ssize_t splice(int, long *, int, long *, size_t, unsigned int);
extern int pthread_setname_np(pthread_t, const char *);
extern char *secure_getenv(const char *);
extern int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
extern long syscall(long, ...);
extern int wcwidth(wchar_t);

// ---- Constants, some of them younger than the installed headers

enum {
    PBS_SEAL_ALL = 0xf,            // F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE
    PBS_SEEK_DATA = 3,
    PBS_SEEK_HOLE = 4,
    PBS_SO_PEERPIDFD = 77,         // Linux 6.5
    PBS_SO_PASSRIGHTS = 83,        // Linux 6.16
    PBS_MAX_DESCRIPTORS = 253,     // SCM_MAX_FD of the kernel
    PBS_RECEIVED_DESCRIPTORS = 4,  // per message: more than a frame has; the kernel drops the rest
    PBS_SPAWN_NEW_SESSION = 0x80,  // POSIX_SPAWN_SETSID
};

// ---- Memory files

static inline int pbs_memory_file(const char *name) {
    return memfd_create(name, 0x0001 | 0x0002);  // MFD_CLOEXEC | MFD_ALLOW_SEALING
}

static inline int pbs_add_seals(int fd) {
    return fcntl(fd, 1033, PBS_SEAL_ALL);  // F_ADD_SEALS
}

static inline int pbs_seals(int fd) {
    return fcntl(fd, 1034);  // F_GET_SEALS
}

// ---- Moving bytes between descriptors

// If `offset` is negative, starts at the input's own position and advances it.
static inline ssize_t pbs_send_file(int output, int input, int64_t offset, size_t count) {
    off_t position = (off_t)offset;
    return sendfile(output, input, offset < 0 ? NULL : &position, count);
}

static inline ssize_t pbs_splice(int input, int output, size_t count) {
    return splice(input, NULL, output, NULL, count, 1 /* SPLICE_F_MOVE */);
}

// ---- Program

// The path by which the running program was started; NULL if the kernel does not report it.
static inline const char *pbs_started_path(void) {
    return (const char *)getauxval(AT_EXECFN);
}

// ---- Descriptors

static inline int pbs_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

static inline struct epoll_event pbs_epoll_event(uint32_t mask, uint64_t token) {
    struct epoll_event event;
    event.events = mask;
    event.data.u64 = token;
    return event;
}

static inline uint64_t pbs_epoll_token(struct epoll_event event) {
    return event.data.u64;
}

static inline int pbs_signal_descriptor(const sigset_t *mask) {
    return signalfd(-1, mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Overwrites memory. The barrier keeps the compiler from removing stores to memory that is released next.
static inline void pbs_wipe(void *bytes, size_t count) {
    memset(bytes, 0, count);
    __asm__ __volatile__("" : : "r"(bytes) : "memory");
}

static inline int pbs_event_descriptor(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static inline int pbs_timer_descriptor(void) {
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

// Absolute, in nanoseconds of CLOCK_BOOTTIME.
static inline int pbs_set_timer(int descriptor, unsigned long long time) {
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(time / 1000000000ull), .tv_nsec = (long)(time % 1000000000ull)},
    };
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}

// ---- Files

struct pbs_status {
    uint32_t mode;
    uint32_t owner;
    uint64_t size;
    uint64_t device;
    uint64_t inode;
    uint64_t links;
    uint64_t allocated;  // in bytes
    uint32_t allocation_unit;
    int64_t changed;   // nanoseconds since 1970, of the contents or the attributes
    int64_t modified;  // of the contents alone; a program can set it
};

// If `path` is empty, the status of the descriptor itself. If `sync` is zero, the values that the kernel has in memory,
// so that an unresponsive network or FUSE file system cannot block the caller. A symbolic link is never followed.
static inline int pbs_status(int directory, const char *path, int sync, struct pbs_status *out) {
    struct statx raw;
    int flags = 0x100 /* AT_SYMLINK_NOFOLLOW */ | 0x1000 /* AT_EMPTY_PATH */;
    if (!sync) flags |= 0x4000;  // AT_STATX_DONT_SYNC
    if (syscall(SYS_statx, directory, path, flags, 0x7ffu /* STATX_BASIC_STATS */, &raw) < 0) return -1;
    out->mode = raw.stx_mode;
    out->owner = raw.stx_uid;
    out->size = raw.stx_size;
    out->device = ((uint64_t)raw.stx_dev_major << 32) | raw.stx_dev_minor;
    out->inode = raw.stx_ino;
    out->links = raw.stx_nlink;
    out->allocated = raw.stx_blocks * 512;
    out->allocation_unit = raw.stx_blksize;
    out->changed = raw.stx_ctime.tv_sec * 1000000000 + raw.stx_ctime.tv_nsec;
    // A program may set any time. Nanoseconds in 64 bits reach from 1677 to 2262.
    if (__builtin_mul_overflow(raw.stx_mtime.tv_sec, (int64_t)1000000000, &out->modified) ||
        __builtin_add_overflow(out->modified, (int64_t)raw.stx_mtime.tv_nsec, &out->modified))
        out->modified = raw.stx_mtime.tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return 0;
}

static inline int pbs_sync_file_system(int fd) {
    return (int)syscall(SYS_syncfs, fd);
}

// Opens a name in a directory; the constants of openat2 are younger than some installed headers, and glibc has no
// function for it. The kernel refuses a name that leads out of the directory or through a link, also where the caller
// takes it for harmless (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS, Linux 5.6).
static inline int pbs_open_beneath(int directory, const char *name, int flags, uint32_t mode) {
    struct {
        uint64_t flags;
        uint64_t mode;
        uint64_t resolve;
    } how = {(uint64_t)flags, mode, 0x08 | 0x04 | 0x02};
    return (int)syscall(437 /* openat2 */, directory, name, &how, sizeof how);
}

// If `replace` is zero, fails with EEXIST if the new name is taken (RENAME_NOREPLACE).
static inline int pbs_rename(int directory, const char *from, int target, const char *to, int replace) {
    return (int)syscall(SYS_renameat2, directory, from, target, to, replace ? 0 : 1);
}

// RENAME_EXCHANGE.
static inline int pbs_exchange(int directory, const char *first, int target, const char *second) {
    return (int)syscall(SYS_renameat2, directory, first, target, second, 2);
}

// ---- Sockets

static inline int pbs_unix_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static inline int pbs_socket_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
}

static inline int pbs_accept(int fd) {
    return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

enum { PBS_PATH_CAPACITY = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

static inline struct sockaddr_un pbs_address(const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path, PBS_PATH_CAPACITY);
    return address;
}

static inline int pbs_bind(int fd, const char *path) {
    struct sockaddr_un address = pbs_address(path);
    return bind(fd, (const struct sockaddr *)&address, sizeof address);
}

// A path that begins with @ is in the abstract name space.
static inline int pbs_connect(int fd, const char *path) {
    struct sockaddr_un address = pbs_address(path);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(address.sun_path);
    if (address.sun_path[0] != '@') return connect(fd, (const struct sockaddr *)&address, sizeof address);
    address.sun_path[0] = 0;
    return connect(fd, (const struct sockaddr *)&address, length);
}

// Opens a socket that is connected to a TCP port of this machine.
static inline int pbs_connect_local_port(uint16_t port) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

// Opens a socket that is connected to the one at which the service manager receives datagrams.
static inline int pbs_connect_datagrams(const char *path) {
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (pbs_connect(fd, path) == 0) return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

static inline int pbs_int_option(int fd, int option, int *value) {
    socklen_t length = sizeof *value;
    return getsockopt(fd, SOL_SOCKET, option, value, &length);
}

static inline int pbs_set_int_option(int fd, int option, int value) {
    return setsockopt(fd, SOL_SOCKET, option, &value, sizeof value);
}

struct pbs_credentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

static inline int pbs_peer_credentials(int fd, struct pbs_credentials *out) {
    socklen_t length = sizeof *out;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &length);
}

// Sends up to three ranges of memory in order, and the descriptors with their first byte.
static inline ssize_t pbs_send(
    int fd,
    const void *first, size_t firstCount,
    const void *second, size_t secondCount,
    const void *third, size_t thirdCount,
    const int *descriptors, int descriptorCount
) {
    struct iovec pieces[3];
    int count = 0;
    if (firstCount > 0) pieces[count++] = (struct iovec){(void *)first, firstCount};
    if (secondCount > 0) pieces[count++] = (struct iovec){(void *)second, secondCount};
    if (thirdCount > 0) pieces[count++] = (struct iovec){(void *)third, thirdCount};
    // A single range is sent without a message header, which the kernel would have to fetch and check.
    if (count == 1 && descriptorCount == 0) {
        return send(fd, pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(PBS_MAX_DESCRIPTORS * sizeof(int))];
    } control;
    struct msghdr message = {0};
    message.msg_iov = pieces;
    message.msg_iovlen = count;
    if (descriptorCount > 0) {
        if (descriptorCount > PBS_MAX_DESCRIPTORS) {
            errno = EINVAL;
            return -1;
        }
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(descriptorCount * sizeof(int));
        memset(control.bytes, 0, message.msg_controllen);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptorCount * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, descriptorCount * sizeof(int));
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Receives bytes, and the descriptors passed with them (`descriptors` has this room, at most PBS_MAX_DESCRIPTORS, or is
// null). Sets `truncated` if the kernel dropped descriptors because this process has too many open.
static inline ssize_t pbs_receive(
    int fd, void *bytes, size_t capacity, int *descriptors, int room, int *descriptorCount, int *truncated
) {
    struct iovec piece = {bytes, capacity};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(PBS_MAX_DESCRIPTORS * sizeof(int))];
    } control;
    struct msghdr message = {0};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (descriptors) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(room * sizeof(int));
    }
    *descriptorCount = 0;
    *truncated = 0;
    ssize_t count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0) return count;
    *truncated = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int found = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors + *descriptorCount, CMSG_DATA(header), found * sizeof(int));
        *descriptorCount += found;
    }
    return count;
}

// ---- Processes

extern char **environ;

// Null in a process that has cleared its environment. The Glibc module declares it as never null.
static inline char **pbs_environment(void) {
    return environ;
}

static inline int pbs_pidfd_open(int32_t pid) {
    return (int)syscall(434 /* pidfd_open */, pid, 0);
}

static inline int pbs_send_signal(int process, int signal, int value) {
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_int = value;
    return (int)syscall(424 /* pidfd_send_signal */, process, signal, &info, 0);
}

// The inode of a pidfd names a process for as long as the machine runs, but only in the file system of pidfds
// (Linux 6.9). Earlier, all pidfds share one inode: then this is 0.
static inline uint64_t pbs_pidfd_inode(int fd) {
    struct statfs system;
    struct stat status;
    if (fstatfs(fd, &system) != 0 || (uint32_t)system.f_type != 0x50494446u) return 0;
    return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

// Whether the disk of an open file is not full. The last blocks are root's.
static inline int pbs_has_room(int fd) {
    struct statfs disk;
    if (fstatfs(fd, &disk) != 0 || disk.f_blocks == 0) return 1;
    return (geteuid() == 0 ? disk.f_bfree : disk.f_bavail) > 0;
}

// ---- Memory

// Gives free memory of the heap back to the system.
static inline void pbs_trim_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// Gives back what earlier calls have used of the main thread's stack, below what this call and the next one use. The
// kernel maps nothing else within 128 MiB of that stack.
static inline void pbs_trim_main_stack(void) {
    char here;
    uintptr_t end = ((uintptr_t)&here & ~(uintptr_t)4095) - 2 * 4096, size = 256 << 10;
    madvise((void *)(end - size), size, MADV_DONTNEED);
}

// ---- Privileges

// Gives this process the usual priorities for the processor, the disk and the lack of memory, and all processors. What
// the system does not allow stays as it is.
static inline void pbs_reset_priorities(void) {
    struct sched_param none = {0};
    unsigned long all[16];  // 1,024 processors
    memset(all, 0xff, sizeof all);
    sched_setscheduler(0, SCHED_OTHER, &none);
    setpriority(PRIO_PROCESS, 0, 0);
    syscall(SYS_sched_setaffinity, 0, sizeof all, all);
    syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, 0 /* as the other priority */);
    // Without a privilege, the value can be lowered to that of the session, which is 100 or 200 under systemd.
    static const char *const values[] = {"0", "100", "200"};
    char text[8] = {0};
    int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    for (int index = 0; read(fd, text, sizeof text - 1) > 0 && index < 3 && atoi(values[index]) < atoi(text); index++) {
        if (pwrite(fd, values[index], strlen(values[index]), 0) > 0) break;
        lseek(fd, 0, SEEK_SET);
    }
    close(fd);
}

static inline int pbs_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}

// Landlock takes files, programs and TCP from this thread and from the threads that it starts later, and signals and
// abstract sockets of other processes. Files may still be removed from the directory `removed`, written and linked in
// the open directories `written`, and read in /proc. Declared here, because most installed headers know only an early
// version. It checks only calls with a path, a port or an address, so it costs a load nothing. A seccomp filter would
// run at each call, and would have to know every call of the Swift runtime and of glibc.
static inline int pbs_give_up_files(const char *removed, const int *written, int count) {
    enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, PATH = 010000000 | O_DIRECTORY | O_CLOEXEC };
    enum { WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIRECTORY = 1 << 3 };
    enum { REMOVE_DIRECTORY = 1 << 4, REMOVE_FILE = 1 << 5, MAKE_DIRECTORY = 1 << 7, MAKE_FILE = 1 << 8 };
    enum { TRUNCATE = 1 << 14 };
    // Set-user-id programs; the kernel requires this before Landlock.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    long version = syscall(CREATE_RULESET, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    if (version < 0) return -1;
    // All rights that this version of Landlock knows. Version 2 added links and renames between directories; version 1
    // always denies them.
    struct {
        uint64_t files, network, scopes;
    } taken = {
        .files = (1 << (version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13)) - 1,
        .network = version >= 4 ? 3 : 0,
        .scopes = version >= 6 ? 3 : 0,
    };
    int rules = (int)syscall(CREATE_RULESET, &taken, sizeof taken, 0);
    if (rules < 0) return -1;
    uint64_t all = (WRITE_FILE | READ_FILE | READ_DIRECTORY | REMOVE_DIRECTORY | REMOVE_FILE | MAKE_DIRECTORY |
                    MAKE_FILE | TRUNCATE | 1 << 13 /* REFER */) & taken.files;
    struct __attribute__((packed)) {
        uint64_t access;
        int32_t directory;
    } exception = {REMOVE_FILE, removed ? open(removed, PATH) : -1};
    int result = 0;
    if (removed) {
        result = (int)syscall(ADD_RULE, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &exception, 0);
        if (exception.directory >= 0) close(exception.directory);
    }
    exception.access = READ_FILE;
    exception.directory = open("/proc", PATH);
    if (result == 0 && exception.directory >= 0) {
        result = (int)syscall(ADD_RULE, rules, 1, &exception, 0);
        close(exception.directory);
    }
    exception.access = all;
    for (int index = 0; index < count && result == 0; index++) {
        exception.directory = written[index];
        result = (int)syscall(ADD_RULE, rules, 1, &exception, 0);
    }
    if (result == 0) result = (int)syscall(RESTRICT_SELF, rules, 0);
    int code = errno;
    close(rules);
    errno = code;
    return result;
}

// The size of a file system and what is free of it for this user, in bytes.
struct pbs_room {
    uint64_t total, free;
    int is_memory;
};

static inline int pbs_file_system(int fd, struct pbs_room *out) {
    struct statfs status;
    if (fstatfs(fd, &status) < 0) return -1;
    uint64_t unit = (uint64_t)status.f_bsize;
    out->total = (uint64_t)status.f_blocks * unit;
    out->free = (uint64_t)status.f_bavail * unit;
    out->is_memory = status.f_type == 0x01021994; /* TMPFS_MAGIC */
    return 0;
}

// Gives this thread a table of descriptors of its own, with only these in ascending order: a thread that hangs in a call
// to a disk then keeps neither a lock nor a socket after the process was killed. The standard streams stay, so that no
// file gets their numbers. Without Linux 5.9 nothing happens.
static inline void pbs_keep_descriptors(const int *kept, int count) {
    enum { CLOSE_RANGE = 436, UNSHARE = 2 };
    unsigned first = 3;
    for (int index = 0; index < count; index++) {
        if ((unsigned)kept[index] > first) syscall(CLOSE_RANGE, first, (unsigned)kept[index] - 1, UNSHARE);
        if (kept[index] >= 3) first = (unsigned)kept[index] + 1;
    }
    syscall(CLOSE_RANGE, first, ~0U, UNSHARE);
}

static inline void pbs_separate_descriptors(void) {
    syscall(436 /* close_range */, ~0U, ~0U, 2 /* CLOSE_RANGE_UNSHARE */);
}

// Whether a file is at a path, or -1 if the disk does not answer in time. A child asks: it costs less memory than a
// thread, and one that hangs has nothing of this process that is opened later.
static inline int pbs_exists_in_time(const char *path, int milliseconds) {
    pid_t child = fork();
    if (child == 0) _exit(access(path, F_OK) == 0 ? 1 : 0);
    if (child < 0) return -1;
    int descriptor = pbs_pidfd_open(child);
    struct pollfd ended = {.fd = descriptor, .events = POLLIN};
    int ready = descriptor < 0 ? 1 : poll(&ended, 1, milliseconds);
    if (descriptor >= 0) close(descriptor);
    int status = 0;
    if (ready == 1) return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    kill(child, SIGKILL);
    return -1;
}

// Whether nobody has an open file for writing: a lease for reading is only granted then. Where no leases exist, nobody
// can tell.
static inline int pbs_has_writer(int fd) {
    enum { SET_LEASE = 1024 };
    if (fcntl(fd, SET_LEASE, F_RDLCK) < 0) return errno == EAGAIN;
    fcntl(fd, SET_LEASE, F_UNLCK);
    return 0;
}

static inline int pbs_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Writes to a descriptor, and discards the SIGPIPE that this raises.
static inline ssize_t pbs_write_without_signal(int fd, const void *bytes, size_t count) {
    sigset_t broken, old, pending;
    struct timespec none = {0, 0};
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &old);
    // One that is pending already belongs to the host program.
    int was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    ssize_t written = write(fd, bytes, count);
    int code = errno;
    if (written < 0 && code == EPIPE && !was_pending) sigtimedwait(&broken, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = code;
    return written;
}

static inline int pbs_exited(int status) { return WIFEXITED(status); }
static inline int pbs_exit_code(int status) { return WEXITSTATUS(status); }
static inline int pbs_ending_signal(int status) { return WTERMSIG(status); }
