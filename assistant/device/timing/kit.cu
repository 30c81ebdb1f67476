// Kernels of the timing itself: what calls are queued behind, what is subtracted, what empties L2, what peaks are measured with.
// Compiled for the GPU at hand when it is first timed on. No includes, so that NVRTC takes it as it is.

__device__ inline unsigned long long now_ns() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// Holds the stream until the host writes *is_open, or for limit_ns: a host that died must not hang the GPU. One thread.
extern "C" __global__ void kernelopt_gate(volatile unsigned* is_open, volatile unsigned* was_late, unsigned long long limit_ns) {
    const unsigned long long start = now_ns();
    while (*is_open == 0) {
        if (now_ns() - start > limit_ns) {
            *was_late = 1;
            __threadfence_system();
            return;
        }
    }
}

extern "C" __global__ void kernelopt_empty() {}

// Keeps every SM busy for so many of its clocks, all blocks alike.
extern "C" __global__ void kernelopt_spin(long long clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

// Reads `count` vectors of 16 bytes; what was in L2 before is then pushed out by lines that are clean.
extern "C" __global__ void kernelopt_read(const uint4* data, unsigned long long count, unsigned* sink) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    unsigned seen = 0;
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * step < count; i += 4 * step) {
        const uint4 a = __ldcg(data + i), b = __ldcg(data + i + step), c = __ldcg(data + i + 2 * step), d = __ldcg(data + i + 3 * step);
        seen |= (a.x ^ a.y ^ a.z ^ a.w) | (b.x ^ b.y ^ b.z ^ b.w) | (c.x ^ c.y ^ c.z ^ c.w) | (d.x ^ d.y ^ d.z ^ d.w);
    }
    for (; i < count; i += step) {
        const uint4 a = __ldcg(data + i);
        seen |= a.x ^ a.y ^ a.z ^ a.w;
    }
    if (seen == 0x9e3779b9u) *sink = seen;  // hardly ever, but the compiler cannot know
}

// Reads the same `count` vectors `repeats` times over, each block starting elsewhere.
extern "C" __global__ void kernelopt_read_again(const uint4* data, unsigned long long count, unsigned repeats, unsigned* sink) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    unsigned seen = 0;
    for (unsigned r = 0; r < repeats; ++r) {
        unsigned long long i = (unsigned long long)((blockIdx.x + r) % gridDim.x) * blockDim.x + threadIdx.x;
        for (; i + 3 * step < count; i += 4 * step) {
            const uint4 a = __ldcg(data + i), b = __ldcg(data + i + step), c = __ldcg(data + i + 2 * step), d = __ldcg(data + i + 3 * step);
            seen |= (a.x ^ a.y ^ a.z ^ a.w) | (b.x ^ b.y ^ b.z ^ b.w) | (c.x ^ c.y ^ c.z ^ c.w) | (d.x ^ d.y ^ d.z ^ d.w);
        }
    }
    if (seen == 0x9e3779b9u) *sink = seen;
}

extern "C" __global__ void kernelopt_copy(uint4* target, const uint4* source, unsigned long long count) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * step < count; i += 4 * step) {
        const uint4 a = __ldcg(source + i), b = __ldcg(source + i + step), c = __ldcg(source + i + 2 * step), d = __ldcg(source + i + 3 * step);
        target[i] = a;
        target[i + step] = b;
        target[i + 2 * step] = c;
        target[i + 3 * step] = d;
    }
    for (; i < count; i += step) target[i] = source[i];
}

// Counts bytes in which two buffers differ.
extern "C" __global__ void kernelopt_compare(const unsigned char* a, const unsigned char* b, unsigned long long count,
                                             unsigned long long* differences) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long found = 0;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) found += a[i] != b[i];
    if (found) atomicAdd(differences, found);
}

// 8 independent chains of fused multiply-adds, `rounds` times 8 long, in each thread.
template <typename T>
__device__ inline void multiply_add(unsigned rounds, T* sink) {
    T x[8];
    const T factor = T(1.0000001), addend = T(threadIdx.x) * T(1e-9);
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = addend + T(k);
    for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
#pragma unroll
            for (int k = 0; k < 8; ++k) x[k] = x[k] * factor + addend;
        }
    }
    T sum = T(0);
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == T(-1)) *sink = sum;
}

extern "C" __global__ void kernelopt_fma32(unsigned rounds, float* sink) { multiply_add<float>(rounds, sink); }
extern "C" __global__ void kernelopt_fma64(unsigned rounds, double* sink) { multiply_add<double>(rounds, sink); }

extern "C" __global__ void kernelopt_half2(unsigned rounds, unsigned* sink) {
    unsigned x[8];
    const unsigned factor = 0x3c003c00u ^ (rounds >> 31), addend = 0x00010001u * (blockDim.x >> 8);  // registers: ones, the least halves
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = 0x00010001u * (threadIdx.x + k);
    for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
#pragma unroll
            for (int k = 0; k < 8; ++k) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(factor), "r"(addend));
        }
    }
    unsigned all = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) all ^= x[k];
    if (all == 0x9e3779b9u) *sink = all;
}
