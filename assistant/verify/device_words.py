"""Names that device code may use without a doubt: CUDA's own functions and types, C++'s keywords; and names that never belong there.

Host compilers, and the emulator with them, take a call of ``system`` in a kernel; only nvcc refuses it. So what a kernel calls is held
against what CUDA C++ Programming Guide 13.0 ("C++ Language Extensions") and the CUDA Math API list. Example::

    is_device_function("__shfl_down_sync")    # True
"""

from __future__ import annotations

import re

__all__ = ["ARITHMETIC", "KEYWORDS", "OF_HOST", "is_device_function", "is_device_namespace", "is_reserved"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
    concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default defined
    delete do double dynamic_cast else enum explicit export extern false final float for friend goto if import inline
    int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected
    public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
    while xor xor_eq main
    """
)
"""Words of C++ (ISO C++20, [lex.key]), those with a meaning in places only, and the name of the program's start."""
_VECTORS = _words("char uchar short ushort int uint long ulong longlong ulonglong float double")
ARITHMETIC = _words(
    """
    bool char short int long unsigned signed float double size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t
    uint16_t uint32_t uint64_t intptr_t uintptr_t uchar ushort uint half half2 __half __half2 nv_bfloat16 nv_bfloat162
    __nv_bfloat16 __nv_bfloat162 dim3
    """
) | frozenset(f"{kind}{width}" for kind in sorted(_VECTORS) for width in "1234")
"""Types whose objects run no code of anyone when they are made from literals."""
OF_HOST = _words(
    """
    system popen pclose exit _exit _Exit quick_exit abort atexit at_quick_exit fork vfork clone execl execle execlp
    execv execve execvp execvpe fexecve posix_spawn posix_spawnp kill raise signal sigaction abort_handler_s getenv
    secure_getenv setenv putenv unsetenv environ fopen fopen64 freopen fdopen fclose fread fwrite fgets fgetc fputs
    fputc fprintf vfprintf fscanf scanf sscanf getc getchar gets puts putc putchar perror tmpfile tmpnam mkstemp mkdtemp
    rename remove unlink rmdir mkdir chmod chown link symlink readlink open open64 openat creat close read write pread
    pwrite lseek stat lstat fstat opendir readdir closedir chdir chroot getcwd mmap munmap mprotect mremap shm_open
    shm_unlink dlopen dlsym dlclose dlmopen syscall ioctl fcntl pipe pipe2 dup dup2 dup3 socket connect bind listen
    accept send sendto recv recvfrom getaddrinfo gethostbyname select poll ptrace prctl setjmp longjmp _setjmp sigsetjmp
    siglongjmp pthread_create pthread_exit thrd_create sleep usleep nanosleep alarm setuid setgid FILE stdin stdout
    stderr ofstream ifstream fstream filebuf filesystem cin cout cerr clog jthread async promise random_device
    basic_fstream basic_ofstream basic_ifstream constructor destructor __constructor__ __destructor__ init_priority
    __init_priority__ ifunc __ifunc__ section __section__ cleanup __cleanup__ _Pragma __COUNTER__ __has_include
    __has_embed
    """
)
"""Functions and types of the C and C++ libraries that reach files, processes and the network, and words that make code run by itself."""

_DEVICE_FUNCTION = re.compile(
    r"__(?!builtin_|libc)\w+|__builtin_(?:assume(?:_aligned)?|expect|unreachable|constant_p|clz(?:ll)?|ctz(?:ll)?|popcount(?:ll)?|mem(?:cpy|set))"
    r"|(?:atomic[A-Z]\w*|make_\w+|tex[123]D\w*|tex2Dgather|texCubemap\w*|surf[123]D\w*|surfCubemap\w*)"
    r"|h(?:add|sub|mul|div|fma|neg|abs|exp|log|sqrt|rsqrt|rcp|sin|cos|tanh|ceil|floor|rint|trunc|eq|ne|lt|gt|le|ge|max|min|isnan|isinf)"
    r"(?:2|10)?\w{0,6}"
    r"|(?:acosh?|asinh?|atan[2h]?|cbrt|ceil|copysign|cosh?|cospi|cyl_bessel_i[01]|erf|erfc|erfcinv|erfcx|erfinv|exp|exp10|exp2|expm1|fabs|fdim"
    r"|fdivide|floor|fma|fmax|fmin|fmod|frexp|hypot|ilogb|j[01n]|ldexp|lgamma|l?lrint|l?lround|log|log10|log1p|log2|logb|modf|nearbyint"
    r"|nextafter|norm[34]?d?|normcdf|normcdfinv|pow|powi|rcbrt|remainder|remquo|rhypot|rint|rnorm[34]?d?|round|rsqrt|scalbl?n|sin|sincos|sincospi"
    r"|sinh|sinpi|sqrt|tanh?|tgamma|trunc|y[01n])f?"
    r"|abs|labs|llabs|min|max|u?l?l?min|u?l?l?max|mul24|mulhi|umulhi|mul64hi|umul64hi|saturate|isnan|isinf|isfinite|signbit|div|clock|clock64"
    r"|printf|assert|memcpy|memset|mma_sync|load_matrix_sync|store_matrix_sync|fill_fragment|nv_\w+|float_as_\w+|int_as_\w+|float_to_tf32"
    r"|clamp|lerp|swap|this_thread_block|this_grid|tiled_partition|coalesced_threads|this_cluster|sync|labeled_partition|binary_partition"
    r"|memcpy_async|wait|wait_prior|reduce|inclusive_scan|exclusive_scan|invoke_one\w*"
)
_NAMESPACE = re.compile(
    r"(?:cg|cooperative_groups|wmma|nvcuda|cub|thrust)(?:::\w+)*"
    r"|cuda(?:::(?:std|device|ptx|experimental))?(?:::\w+)*"
)
_RESERVED = re.compile(r"_[A-Z_]\w*|\w*__\w*")


def is_device_function(name: str) -> bool:
    """Whether CUDA lets device code call it by this name alone."""
    return _DEVICE_FUNCTION.fullmatch(name) is not None


def is_device_namespace(name: str) -> bool:
    """Whether what stands in this namespace is made for device code."""
    return _NAMESPACE.fullmatch(name) is not None


def is_reserved(name: str) -> bool:
    """Whether a program may not define it: compilers and their headers do (ISO C++20, [lex.name])."""
    return _RESERVED.fullmatch(name) is not None
