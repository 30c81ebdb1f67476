"""Names that device code may use without a doubt: CUDA's own functions and types; and names that never belong there.

Host compilers, and the emulator with them, take a call of ``system`` in a kernel; only nvcc refuses it. So what a kernel calls is held
against what CUDA C++ Programming Guide 13.0 ("C++ Language Extensions") and the CUDA Math API list. Example::

    is_device_function("__shfl_down_sync")    # True
"""

from __future__ import annotations

import re

__all__ = ["ARITHMETIC", "OF_HOST", "STD_FUNCTIONS", "is_device_function", "is_device_namespace", "is_reserved"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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

STD_FUNCTIONS = _words(
    """
    accumulate adjacent_difference adjacent_find advance all_of any_of apply binary_search bit_and bit_or bit_xor bsearch
    clamp copy copy_backward copy_if copy_n count count_if distance divides equal equal_range equal_to exchange
    exclusive_scan fill fill_n find find_end find_first_of find_if find_if_not for_each for_each_n forward gcd generate
    generate_n get greater greater_equal hash includes inclusive_scan inner_product inplace_merge invoke iota is_heap
    is_partitioned is_permutation is_sorted iter_swap lcm less less_equal lexicographical_compare lower_bound make_heap
    make_pair make_tuple max max_element merge midpoint min min_element minmax minmax_element minus mismatch modulus move
    move_backward multiplies negate next next_permutation none_of norm nth_element partial_sort partial_sum partition plus
    polar pop_heap prev prev_permutation proj push_heap real reduce remove remove_copy remove_if replace replace_copy
    replace_if reverse reverse_copy rotate rotate_copy sample search search_n set_difference set_intersection set_union
    shuffle sort sort_heap stable_partition stable_sort swap swap_ranges tie transform transform_exclusive_scan
    transform_inclusive_scan transform_reduce unique unique_copy upper_bound
    """
)
"""Functions and functors of the C++ library that the emulator knows whether a program includes their headers or not (``emu_prelude.h``)."""
_INTRINSIC = re.compile(
    r"__(?:syncthreads(?:_count|_and|_or)?|syncwarp|threadfence(?:_block|_system)?|activemask|nanosleep|trap|brkpt|prof_trigger|assume"
    r"|(?:shfl(?:_up|_down|_xor)?|any|all|ballot|uni|match_any|match_all|reduce_(?:add|min|max|and|or|xor))(?:_sync)?"
    r"|ld(?:g|cg|ca|cs|lu|cv)|st(?:wb|cg|cs|wt)|is(?:Global|Shared|Constant|Local|GridConstant|ClusterShared)|cvta_\w+|cluster\w+"
    r"|[fd](?:add|sub|mul|div|rcp|sqrt|rsqrt|ma|maf)_r[nzud](?:_(?:sat|ftz))?|f(?:ma|maf)_(?:ieee_)?r[nzud]|f(?:add|mul|sub)f?_\w+|drcp_\w+"
    r"|(?:exp|exp10|log|log2|log10|sin|cos|tan|tanh|pow|sincos|fdivide|saturate)f|saturate|fdividef|fsqrt_\w+|frsqrt_rn|frcp_\w+|fdiv_\w+"
    r"|(?:brev|clz|ffs|popc)(?:ll)?|byte_perm|fns|funnelshift_[lr]c?|u?mul24|u?mulhi|u?mul64hi|u?sad|u?r?hadd|ur?hadd|dp[24]a\w*|v\w+[24]"
    r"|(?:u?int|u?short|u?char|ll|ull|l|ul|float|double|half|bfloat16|hiloint|half2|bfloat162|float2|halves|floats)\d?2\w+"
    r"|\w+_as_\w+|double2\w+|float22\w+|halves2\w+|(?:low|high|lows|highs)2\w+|lowhigh2highlow|low2\w+|half_raw|half2_raw"
    r"|h(?:add|sub|mul|fma|div|neg|abs|eq|ne|lt|le|gt|ge|max|min|isnan|isinf|cmadd|b?u?eq|b?u?ne|b?u?lt|b?u?le|b?u?gt|b?u?ge|lts|les)\w{0,10}"
    r"|h2div|nv_cvt_\w+|pipeline_\w+|mbarrier_\w+|launch_bounds__|align__|restrict__|noinline__|forceinline__|grid_constant__"
    r"|(?:global|device|host|shared|constant|managed|maxnreg|cluster_dims|block_size)__|restrict|half2?|nv_\w+|nvvm_\w+)"
)
"""CUDA's own functions and words that begin with two underscores (CUDA Math API 13.0; CUDA C++ Programming Guide 13.0, "C++ Language
Extensions"). Every other such name is a compiler's or a library's: the C library has ``__open`` and ``__read``."""
_DEVICE_FUNCTION = re.compile(
    r"__builtin_(?:assume(?:_aligned)?|expect|unreachable|constant_p|clz(?:ll)?|ctz(?:ll)?|popcount(?:ll)?|mem(?:cpy|set))"
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
    r"(?:cg|cooperative_groups|wmma|nvcuda|cub|thrust|cute|cutlass)(?:::\w+)*"
    r"|cuda(?:::(?:std|device|ptx|experimental))?(?:::\w+)*"
)
_RESERVED = re.compile(r"_[A-Z_]\w*|\w*__\w*")


def is_device_function(name: str) -> bool:
    """Whether CUDA lets device code call it by this name alone."""
    return _DEVICE_FUNCTION.fullmatch(name) is not None or _INTRINSIC.fullmatch(name) is not None


def is_device_namespace(name: str) -> bool:
    """Whether what stands in this namespace is made for device code."""
    return _NAMESPACE.fullmatch(name) is not None


def is_reserved(name: str) -> bool:
    """Whether a program may not define it: compilers and their headers do (ISO C++20, [lex.name])."""
    return _RESERVED.fullmatch(name) is not None
