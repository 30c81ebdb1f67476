// ChaCha20 (RFC 8439) encryption in counter mode.
//
// Four neighbouring lanes share one 64-byte block: lane c keeps column c of the 4x4 state in registers,
// diagonal rounds rotate rows through shuffles, and a 4x4 transposition by shuffles makes every lane
// end up with 16 consecutive bytes, so that a warp reads and writes 512 consecutive bytes.
//
// chacha20 <blocks>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CU(call)                                                              \
    if (cudaError_t e_ = (call); e_ != cudaSuccess) {                         \
        std::fprintf(stderr, "chacha20: %s: %s\n", #call, cudaGetErrorString(e_)); \
        std::exit(3);                                                         \
    }

__constant__ uint32_t c_key[8];
__constant__ uint32_t c_nonce[3];

__device__ __forceinline__ uint32_t rotl(uint32_t x, int n)
{
    return __funnelshift_l(x, x, n);
}

__device__ __forceinline__ void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d)
{
    a += b; d = rotl(d ^ a, 16);
    c += d; b = rotl(b ^ c, 12);
    a += b; d = rotl(d ^ a, 8);
    c += d; b = rotl(b ^ c, 7);
}

__global__ void __launch_bounds__(256)
chacha20_xor(const uint4 *__restrict__ in, uint4 *__restrict__ out, uint32_t first, uint32_t nblocks)
{
    const uint32_t tid = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t blk = tid >> 2;
    const int col = tid & 3;
    const bool valid = blk < nblocks;      // all lanes stay for the shuffles

    uint4 text = make_uint4(0, 0, 0, 0);
    if (valid)
        text = in[tid];                    // early, to hide its latency behind the rounds

    const uint32_t sigma = col == 0 ? 0x61707865u : col == 1 ? 0x3320646eu : col == 2 ? 0x79622d32u : 0x6b206574u;
    const uint32_t i0 = sigma, i1 = c_key[col], i2 = c_key[4 + col];
    const uint32_t i3 = col == 0 ? first + blk : c_nonce[col - 1];
    uint32_t a = i0, b = i1, c = i2, d = i3;

    #pragma unroll
    for (int r = 0; r < 10; ++r) {
        quarter(a, b, c, d);
        b = __shfl_sync(0xffffffffu, b, col + 1, 4);
        c = __shfl_sync(0xffffffffu, c, col + 2, 4);
        d = __shfl_sync(0xffffffffu, d, col + 3, 4);
        quarter(a, b, c, d);
        b = __shfl_sync(0xffffffffu, b, col + 3, 4);
        c = __shfl_sync(0xffffffffu, c, col + 2, 4);
        d = __shfl_sync(0xffffffffu, d, col + 1, 4);
    }
    a += i0; b += i1; c += i2; d += i3;

    // transpose: column c of lane c  ->  row c in lane c
    const bool odd = col & 1, high = col & 2;
    uint32_t s, t;
    s = __shfl_xor_sync(0xffffffffu, odd ? a : b, 1);
    t = __shfl_xor_sync(0xffffffffu, odd ? c : d, 1);
    if (odd) { a = s; c = t; } else { b = s; d = t; }
    s = __shfl_xor_sync(0xffffffffu, high ? a : c, 2);
    t = __shfl_xor_sync(0xffffffffu, high ? b : d, 2);
    if (high) { a = s; b = t; } else { c = s; d = t; }

    if (valid)
        out[tid] = make_uint4(text.x ^ a, text.y ^ b, text.z ^ c, text.w ^ d);
}

int main(int argc, char **argv)
{
    const uint32_t nblocks = argc > 1 ? std::strtoul(argv[1], nullptr, 0) : 1024;
    const size_t bytes = (size_t)nblocks * 64, words = (size_t)nblocks * 16;

    uint32_t *text = static_cast<uint32_t *>(std::malloc(bytes));
    if (!text) return 2;
    for (size_t i = 0; i < words; ++i) text[i] = (uint32_t)i * 2654435761u;

    uint32_t key[8], nonce[3] = { 0x09000000u, 0x4a000000u, 0x00000000u };
    for (uint32_t i = 0; i < 8; ++i) key[i] = 0x03020100u + i * 0x04040404u;   // the RFC's test key
    CU(cudaMemcpyToSymbol(c_key, key, sizeof key));
    CU(cudaMemcpyToSymbol(c_nonce, nonce, sizeof nonce));

    uint4 *in, *out;
    CU(cudaMalloc(&in, bytes));
    CU(cudaMalloc(&out, bytes));
    CU(cudaMemcpy(in, text, bytes, cudaMemcpyHostToDevice));

    const uint32_t threads = 256;
    const uint32_t grid = (uint32_t)(((size_t)nblocks * 4 + threads - 1) / threads);
    chacha20_xor<<<grid, threads>>>(in, out, 1, nblocks);
    CU(cudaGetLastError());
    CU(cudaMemcpy(text, out, bytes, cudaMemcpyDeviceToHost));

    uint64_t sum = 0;
    for (size_t i = 0; i < words; ++i) sum = sum * 31 + text[i];
    std::printf("%08x %08x %08x %08x ... %016llx\n", text[0], text[1], text[2], text[3], (unsigned long long)sum);

    CU(cudaFree(in));
    CU(cudaFree(out));
    std::free(text);
    return 0;
}
