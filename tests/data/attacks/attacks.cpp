// What a program that nobody trusts may try against its user. One attack a run: `attacks NAME [ARGUMENT…]` prints `done`, or the name of the
// error that stopped it. Arguments name what belongs to the user: a file, a process, an object of System V. `hold KIND:FILE` locks FILE and stays.
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace {

const char *path;  // the first argument, and the same as a number
long number;

long call(long result)
{
    return result;
}

int opened(int flags, mode_t mode = 0600)
{
    return open(path, flags, mode);
}

long with_file(const std::function<long(int)> &act, int flags = O_RDONLY)
{
    const int file = opened(flags);
    return file < 0 ? -1 : act(file);
}

long signalled_by_input(int owner)
{
    int pipes[2];
    if (pipe(pipes) != 0 || fcntl(pipes[0], F_SETOWN, owner) != 0 || fcntl(pipes[0], F_SETSIG, SIGUSR1) != 0) return -1;
    if (fcntl(pipes[0], F_SETFL, O_ASYNC) != 0) return -1;
    return write(pipes[1], "x", 1) == 1 ? 0 : -1;
}

long read_memory(const char *name)
{
    const std::string file = "/proc/" + std::string(path) + "/" + name;
    const int opened_file = open(file.c_str(), O_RDONLY);
    char byte;
    if (opened_file < 0) return -1;
    return std::strcmp(name, "mem") == 0 || read(opened_file, &byte, 1) == 1 ? 0 : -1;
}

long vm(long which)
{
    static char own[8];
    iovec here = {own, sizeof own}, there = {own, sizeof own};
    return syscall(which, number, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT ? 0 : -1;
}

long in_old_calling_convention()
{
    long result = 20;  // getpid of 32-bit programs
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
    if (result > 0) return 0;
    errno = static_cast<int>(-result);
    return -1;
}

long new_user_namespace()
{
    struct {
        uint64_t flags, rest[10];
    } arguments = {CLONE_NEWUSER, {}};
    arguments.rest[3] = SIGCHLD;
    const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) _exit(0);
    if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
    return child < 0 ? -1 : 0;
}

long file_attribute()
{
    return with_file([](int file) {
        int flags = 0;
        if (ioctl(file, _IOR('f', 1, long), &flags) != 0) return -1;
        flags ^= 0x40;  // no dump
        return ioctl(file, _IOW('f', 2, long), &flags);
    });
}

long extended_file_attribute()
{
    return with_file([](int file) {
        struct {
            uint32_t flags, rest[6];
        } attributes = {};
        if (ioctl(file, _IOR('X', 31, decltype(attributes)), &attributes) != 0) return -1;
        attributes.flags ^= 0x80;
        return ioctl(file, _IOW('X', 32, decltype(attributes)), &attributes);
    });
}

long scheduling(const char *which)
{
    sched_param lowest = {};
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t rest[3];
    } attributes = {48, SCHED_BATCH, 0, 5, 0, {}};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    const auto process = static_cast<pid_t>(number);
    if (std::strcmp(which, "scheduler") == 0) return sched_setscheduler(process, SCHED_IDLE, &lowest);
    if (std::strcmp(which, "parameter") == 0) return sched_setparam(process, &lowest);
    if (std::strcmp(which, "attributes") == 0) return syscall(SYS_sched_setattr, process, &attributes, 0);
    return sched_setaffinity(process, sizeof one, &one);
}

long connect_to_path()
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int end = socket(AF_UNIX, SOCK_STREAM, 0);
    return end < 0 ? -1 : connect(end, reinterpret_cast<sockaddr *>(&address), sizeof address);
}

long message(bool is_sent)
{
    struct {
        long kind;
        char text[8];
    } one = {1, "hello"};
    if (is_sent) return msgsnd(static_cast<int>(number), &one, sizeof one.text, IPC_NOWAIT);
    return msgrcv(static_cast<int>(number), &one, sizeof one.text, 0, IPC_NOWAIT) >= 0 ? 0 : -1;
}

long semaphore(bool is_timed)
{
    sembuf more = {0, 1, IPC_NOWAIT};
    const auto id = static_cast<int>(number);
    return is_timed ? semtimedop(id, &more, 1, nullptr) : semop(id, &more, 1);
}

long attach_memory()
{
    void *memory = shmat(static_cast<int>(number), nullptr, 0);
    if (memory == reinterpret_cast<void *>(-1)) return -1;
    std::memset(memory, 'x', 1);
    return shmdt(memory);
}

long take_message()
{
    const mqd_t queue = mq_open(path, O_RDWR | O_NONBLOCK);
    if (queue == static_cast<mqd_t>(-1)) return -1;
    char text[8192];
    return mq_receive(queue, text, sizeof text, nullptr) >= 0 ? 0 : -1;
}

long read_byte(int flags = 0)
{
    return with_file(
        [](int file) {
            char byte;
            return read(file, &byte, 1) == 1 ? 0L : -1L;
        },
        O_RDONLY | O_NOCTTY | flags);
}

long written(const std::string &name)
{
    const int file = open(name.c_str(), O_WRONLY | O_CREAT, 0600);
    return file >= 0 && write(file, "x", 1) == 1 ? 0 : -1;
}

long moved_in()
{
    return rename(path, "stolen");
}

long linked_in()
{
    return link(path, "linked") == 0 ? written("linked") : -1;
}

long written_through_link()
{
    return symlink(path, "through") == 0 ? written("through") : -1;
}

long held_lock()
{
    const std::string named = path;
    const std::string kind = named.substr(0, named.find(':'));
    path += kind.size() + 1;
    const int file = opened(O_RDWR) >= 0 ? opened(O_RDWR) : opened(O_RDONLY);
    struct flock whole = {};
    whole.l_type = kind == "lock" || (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY ? F_RDLCK : F_WRLCK;
    const int command = kind == "file-lock" ? F_OFD_SETLK : F_SETLK;
    if ((kind == "lock" ? flock(file, LOCK_EX) : fcntl(file, command, &whole)) != 0) return -1;
    std::puts("held");
    std::fflush(stdout);
    return pause();
}

long beyond_file_limit()
{
    signal(SIGXFSZ, SIG_IGN);
    const int file = open("large", O_WRONLY | O_CREAT, 0600);
    return file >= 0 && pwrite(file, "x", 1, 17LL << 30) == 1 ? 0 : -1;
}

long gains_privileges()
{
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 0;
    uint32_t header[2] = {0x20080522, 0}, capabilities[6] = {};
    if (syscall(SYS_capget, header, capabilities) != 0) return -1;
    const uint32_t reading = (1U << 1) | (1U << 2);
    if ((capabilities[1] & ~reading) != 0 || capabilities[4] != 0) return 0;
    errno = EPERM;
    return -1;
}

long leaves_a_core()
{
    rlimit limit = {};
    getrlimit(RLIMIT_CORE, &limit);
    const rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_CORE, &unlimited) == 0 || limit.rlim_max > 1) return 0;
    errno = EPERM;
    return -1;
}

const std::map<std::string, std::function<long()>> attacks = {
    // other processes
    {"kill", [] { return call(kill(static_cast<pid_t>(number), SIGUSR1)); }},
    {"kill-all", [] { return call(kill(-1, 0)); }},
    {"tkill", [] { return syscall(SYS_tkill, number, SIGUSR1); }},
    {"tgkill", [] { return syscall(SYS_tgkill, number, number, SIGUSR1); }},
    {"queue-signal", [] {
        siginfo_t info = {};
        info.si_code = SI_QUEUE;
        return syscall(SYS_rt_sigqueueinfo, number, SIGUSR1, &info); }},
    {"pidfd-signal", [] {
        const long process = syscall(SYS_pidfd_open, number, 0);
        return process < 0 ? -1 : syscall(SYS_pidfd_send_signal, process, SIGUSR1, nullptr, 0); }},
    {"signal-by-input", [] { return signalled_by_input(static_cast<int>(number)); }},
    {"ptrace", [] { return call(ptrace(PTRACE_SEIZE, number, nullptr, nullptr)); }},
    {"vm-read", [] { return vm(SYS_process_vm_readv); }},
    {"vm-write", [] { return vm(SYS_process_vm_writev); }},
    {"proc-mem", [] { return read_memory("mem"); }},
    {"proc-environ", [] { return read_memory("environ"); }},
    {"proc-maps", [] { return read_memory("maps"); }},
    {"limits-of-another", [] {
        const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
        return call(prlimit(static_cast<pid_t>(number), RLIMIT_CORE, &none, nullptr)); }},
    {"scheduler", [] { return scheduling("scheduler"); }},
    {"scheduling-parameter", [] { return scheduling("parameter"); }},
    {"scheduling-attributes", [] { return scheduling("attributes"); }},
    {"affinity", [] { return scheduling("affinity"); }},
    {"priority", [] { return call(setpriority(PRIO_PROCESS, static_cast<id_t>(number), 19)); }},
    {"priority-of-user", [] { return call(setpriority(PRIO_USER, 0, 19)); }},
    {"io-priority", [] { return syscall(SYS_ioprio_set, 1, number, (3 << 13)); }},
    {"io-priority-of-user", [] { return syscall(SYS_ioprio_set, 3, getuid(), (3 << 13)); }},
    // objects of System V and POSIX
    {"shm", attach_memory},
    {"shm-new", [] { return call(shmget(IPC_PRIVATE, 4096, 0600)); }},
    {"shm-remove", [] { return call(shmctl(static_cast<int>(number), IPC_RMID, nullptr)); }},
    {"sem", [] { return semaphore(false); }},
    {"sem-timed", [] { return semaphore(true); }},
    {"sem-remove", [] { return call(semctl(static_cast<int>(number), 0, IPC_RMID)); }},
    {"msg-send", [] { return message(true); }},
    {"msg-receive", [] { return message(false); }},
    {"mq-receive", take_message},
    {"mq-remove", [] { return call(mq_unlink(path)); }},
    {"posix-shm", [] { return call(shm_open(path, O_RDWR, 0600)); }},
    {"memfd", [] { return syscall(SYS_memfd_create, "hidden", 0); }},
    // files
    {"write", [] { return written(path); }},
    {"write-new", [] { return written(std::string(path) + ".new"); }},
    {"write-by-proc", [] { return written("/proc/self/root" + std::string(path)); }},
    {"write-by-link", written_through_link},
    {"truncate", [] { return call(truncate(path, 0)); }},
    {"open-truncated", [] { return call(opened(O_RDONLY | O_TRUNC)); }},
    {"remove", [] { return call(unlink(path)); }},
    {"move", moved_in},
    {"link", linked_in},
    {"replace", [] { return written("own") == 0 ? call(rename("own", path)) : -1; }},
    {"make-folder", [] { return call(mkdir((std::string(path) + ".folder").c_str(), 0700)); }},
    {"make-pipe", [] { return call(mkfifo((std::string(path) + ".pipe").c_str(), 0600)); }},
    {"make-link", [] { return call(symlink("/", (std::string(path) + ".link").c_str())); }},
    {"hole", [] { return with_file([](int file) { return fallocate(file, 0x3, 0, 4); }, O_RDWR); }},
    {"attribute", file_attribute},
    {"extended-attribute", extended_file_attribute},
    {"set-xattr", [] { return call(setxattr(path, "user.mark", "x", 1, 0)); }},
    {"lease", [] { return with_file([](int file) { return fcntl(file, F_SETLEASE, F_RDLCK); }); }},
    {"hold", held_lock},
    {"large-file", beyond_file_limit},
    // devices
    {"terminal-input", [] { return read_byte(O_NONBLOCK); }},
    {"terminal-typing", [] { return with_file([](int file) { return ioctl(file, TIOCSTI, "x"); }, O_RDWR | O_NOCTTY); }},
    // the network, and the system
    {"socket-inet", [] { return call(socket(AF_INET, SOCK_STREAM, 0)); }},
    {"socket-inet6", [] { return call(socket(AF_INET6, SOCK_DGRAM, 0)); }},
    {"socket-netlink", [] { return call(socket(AF_NETLINK, SOCK_RAW, 0)); }},
    {"socket-packet", [] { return call(socket(AF_PACKET, SOCK_RAW, 0)); }},
    {"socket-unix", connect_to_path},
    {"old-convention", in_old_calling_convention},
    {"x32-convention", [] { return syscall(0x40000000L + SYS_getpid); }},
    {"user-namespace", new_user_namespace},
    {"unshare", [] { return call(unshare(CLONE_NEWUSER)); }},
    {"mount", [] { return call(mount("none", ".", "tmpfs", 0, nullptr)); }},
    {"chroot", [] { return call(chroot(".")); }},
    {"io-uring", [] {
        char parameters[120] = {};
        return syscall(SYS_io_uring_setup, 1, parameters); }},
    {"bpf", [] {
        uint32_t map[12] = {2, 4, 8, 1};
        return syscall(SYS_bpf, 0, map, sizeof map); }},
    {"perf", [] {
        uint32_t event[28] = {1, 112};
        return syscall(SYS_perf_event_open, event, 0, -1, -1, 0); }},
    {"keyring", [] { return syscall(SYS_add_key, "user", "name", "x", 1, -3); }},
    {"open-by-handle", [] {
        struct { file_handle head; unsigned char rest[128]; } handle = {};
        int mount_id = 0;
        handle.head.handle_bytes = sizeof handle.rest;
        if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount_id, 0) != 0) return -1L;
        return syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY); }},
    {"session", [] { return fork() == 0 ? call(setsid()) : (wait(nullptr), _exit(0), 0L); }},
    {"process-group", [] {  // a filter may say that it is done without doing it
        if (fork() != 0) { wait(nullptr); _exit(0); }
        const long answer = call(setpgid(0, 0));
        if (answer == 0 && getpgrp() != getpid()) { errno = EPERM; return -1L; }
        return answer; }},
    {"outlive-parent", [] { return call(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }},
    {"privileges", gains_privileges},
    {"core", leaves_a_core},
    // what programs need
    {"own-affinity", [] {
        number = 0;
        return scheduling("affinity"); }},
    {"own-priority", [] { return call(setpriority(PRIO_PROCESS, 0, 5)); }},
    {"own-signal", [] { return signal(SIGUSR1, SIG_IGN), call(raise(SIGUSR1)); }},
    {"own-child", [] {
        const pid_t child = fork();
        if (child == 0) pause();
        return kill(child, SIGKILL) == 0 && waitpid(child, nullptr, 0) == child ? 0L : -1L; }},
    {"own-pair", [] {
        int ends[2];
        return call(socketpair(AF_UNIX, SOCK_STREAM, 0, ends)); }},
    {"own-lock", [] {
        const int file = open("own", O_RDWR | O_CREAT, 0600);
        struct flock whole = {};
        whole.l_type = F_WRLCK;
        return flock(file, LOCK_EX) == 0 && fcntl(file, F_SETLK, &whole) == 0 ? 0L : -1L; }},
    {"own-mode", [] { return written("own") == 0 ? call(chmod("own", 0700)) : -1; }},
    {"own-terminal-question", [] { return isatty(1) == 0 && errno == ENOTTY ? 0L : -1L; }},
    {"random", [] { return path = "/dev/urandom", read_byte(); }},
};

}  // namespace

int main(int count, char **arguments)
{
    const auto attack = count > 1 ? attacks.find(arguments[1]) : attacks.end();
    if (attack == attacks.end()) {
        std::puts("no such attack");
        return 2;
    }
    path = count > 2 ? arguments[2] : "";
    number = std::strtol(path, nullptr, 10);
    std::puts(attack->second() >= 0 ? "done" : strerrorname_np(errno));
    return 0;
}
