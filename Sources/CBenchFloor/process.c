#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "frame.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

pid_t bench_spawn(const char *program, char *const arguments[], int core, int *output) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) floor_die("pipe");
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) floor_die("fork");
    if (child == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) floor_die("prctl");
        // The parent may have died before the line above took effect.
        if (getppid() != parent) _exit(1);
        if (core >= 0) {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET(core, &set);
            if (sched_setaffinity(0, sizeof set, &set) < 0) floor_die("sched_setaffinity");
        }
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (dup2(ends[1], STDOUT_FILENO) < 0) floor_die("dup2");
        execv(program, arguments);
        floor_die(program);
    }
    close(ends[1]);
    *output = ends[0];
    return child;
}

int bench_last_core(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) floor_die("sched_getaffinity");
    int last = 0;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &set)) last = core;
    }
    return last;
}

uint64_t bench_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    errno = clock_getcpuclockid(process, &clock);
    if (errno != 0 || clock_gettime(clock, &time) < 0) floor_die("processor time of the relay");
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int bench_interrupts(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) floor_die("sigprocmask");
    int descriptor = signalfd(-1, &set, SFD_CLOEXEC);
    if (descriptor < 0) floor_die("signalfd");
    return descriptor;
}
