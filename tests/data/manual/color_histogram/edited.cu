// 256-bin histogram of the luminance of an interleaved RGB image.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// A thread counts in 256 cells of 16 bits that are its own, so nothing waits. Four warps share a region: bin y has the 256 bytes from 256 * y on,
// and a thread has one half of one of their 64 words, so that the lanes of a warp touch 32 banks whatever the image holds.
constexpr unsigned COUNTING_THREADS = 384;
constexpr unsigned REGION_THREADS = 128;
constexpr unsigned REGION_BYTES = 256 * 256;
constexpr unsigned REGIONS = COUNTING_THREADS / REGION_THREADS;
constexpr unsigned CELL_BYTES = REGIONS * REGION_BYTES;
constexpr unsigned CHUNK_PIXELS = 16, CHUNK_BYTES = 3 * CHUNK_PIXELS;
constexpr unsigned MOST_PASSES = 65535 / (2 * CHUNK_PIXELS);  // until a cell could overflow

struct Chunk { uint4 first, second, third; };

static __device__ __forceinline__ Chunk read_chunk(const unsigned char *rgb, unsigned chunk)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(rgb + (size_t)chunk * CHUNK_BYTES);
    Chunk result;
    result.first = from[0];
    result.second = from[1];
    result.third = from[2];
    return result;
}

// The luminance is the high byte of `weighted`: it stays where it is, as the offset of the bin.
static __device__ __forceinline__ void count_pixel(unsigned char *cells, unsigned column, unsigned weighted)
{
    unsigned short *cell = reinterpret_cast<unsigned short *>(cells + ((weighted & 0xFF00u) | column));
    *cell = (unsigned short)(*cell + 1);
}

// Four pixels of three bytes; 77, 150 and 29 are 0x4D, 0x96 and 0x1D.
static __device__ __forceinline__ void count_four(unsigned char *cells, unsigned column, unsigned a, unsigned b, unsigned c)
{
    count_pixel(cells, column, __dp4a(a, 0x001D964Du, 0u));
    count_pixel(cells, column, __dp4a(b, 0x00001D96u, __dp4a(a, 0x4D000000u, 0u)));
    count_pixel(cells, column, __dp4a(c, 0x0000001Du, __dp4a(b, 0x964D0000u, 0u)));
    count_pixel(cells, column, __dp4a(c, 0x1D964D00u, 0u));
}

static __device__ __forceinline__ void count_chunk(unsigned char *cells, unsigned column, const Chunk &chunk)
{
    count_four(cells, column, chunk.first.x, chunk.first.y, chunk.first.z);
    count_four(cells, column, chunk.first.w, chunk.second.x, chunk.second.y);
    count_four(cells, column, chunk.second.z, chunk.second.w, chunk.third.x);
    count_four(cells, column, chunk.third.y, chunk.third.z, chunk.third.w);
}

__global__ void __launch_bounds__(COUNTING_THREADS, 1) luma_histogram(const unsigned char *rgb, unsigned int *hist, int pixels)
{
    extern __shared__ __align__(16) unsigned char cells[];
    unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    unsigned column = thread / REGION_THREADS * REGION_BYTES + (warp & 1) * 128 + (warp >> 1 & 1) * 2 + lane * 4;

    bool is_aligned = (reinterpret_cast<size_t>(rgb) & 15) == 0;
    unsigned chunks = is_aligned && pixels > 0 ? (unsigned)pixels / CHUNK_PIXELS : 0;
    unsigned stride = gridDim.x * COUNTING_THREADS;
    unsigned passes = (chunks + 2 * stride - 1) / (2 * stride);
    unsigned chunk = (warp * gridDim.x + blockIdx.x) * 32 + lane;  // the last pass is shared by all blocks
    Chunk low = {}, high = {};
    if (passes) {
        low = read_chunk(rgb, min(chunk, chunks - 1));
        high = read_chunk(rgb, min(chunk + stride, chunks - 1));
    }

    uint4 *cleared = reinterpret_cast<uint4 *>(cells);
    for (unsigned i = thread; i < CELL_BYTES / 16; i += COUNTING_THREADS)
        cleared[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();

    uint4 counted = make_uint4(0, 0, 0, 0);
    for (unsigned pass = 0; pass < passes;) {
        unsigned end = min(pass + MOST_PASSES, passes);
#pragma unroll 2
        for (; pass < end; ++pass) {
            unsigned next = chunk + 2 * stride;
            Chunk next_low = read_chunk(rgb, min(next, chunks - 1));
            Chunk next_high = read_chunk(rgb, min(next + stride, chunks - 1));
            if (chunk < chunks) count_chunk(cells, column, low);
            if (chunk + stride < chunks) count_chunk(cells, column, high);
            low = next_low;
            high = next_high;
            chunk = next;
        }
        __syncthreads();
        if (thread < 256) {
            for (unsigned region = 0; region < REGIONS; ++region) {
                uint4 *row = reinterpret_cast<uint4 *>(cells + region * REGION_BYTES + thread * 256);
#pragma unroll
                for (unsigned i = 0; i < 16; ++i) {
                    unsigned at = (i + thread) & 15;  // neighbouring lanes read other banks
                    uint4 words = row[at];
                    counted.x = __dp2a_lo(words.x, 0x0101u, counted.x);
                    counted.y = __dp2a_lo(words.y, 0x0101u, counted.y);
                    counted.z = __dp2a_lo(words.z, 0x0101u, counted.z);
                    counted.w = __dp2a_lo(words.w, 0x0101u, counted.w);
                    if (pass < passes) row[at] = make_uint4(0, 0, 0, 0);
                }
            }
        }
        if (pass < passes) __syncthreads();
    }
    unsigned total = counted.x + counted.y + counted.z + counted.w;
    if (thread < 256 && total) atomicAdd(&hist[thread], total);

    // What is no whole chunk, or everything where wide loads are not possible.
    for (long long i = (long long)chunks * CHUNK_PIXELS + blockIdx.x * COUNTING_THREADS + thread; i < pixels; i += stride) {
        const unsigned char *pixel = rgb + 3 * i;
        unsigned char y = (unsigned char)((77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) >> 8);
        atomicAdd(&hist[y], 1);
    }
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 320;
    int height = argc > 2 ? atoi(argv[2]) : 240;
    int pixels = width * height;
    unsigned char *image = (unsigned char *)malloc(3 * (size_t)pixels);
    for (int i = 0; i < 3 * pixels; ++i)
        image[i] = (unsigned char)((i / 7) % 61 + (i % 3) * 20 + 90);
    unsigned char *d_image;
    unsigned int *d_hist, hist[256];
    cudaMalloc(&d_image, 3 * (size_t)pixels);
    cudaMalloc(&d_hist, sizeof hist);
    cudaMemcpy(d_image, image, 3 * (size_t)pixels, cudaMemcpyHostToDevice);
    cudaMemset(d_hist, 0, sizeof hist);
    int processors = 1;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    int wanted = (int)((pixels / CHUNK_PIXELS + COUNTING_THREADS - 1) / COUNTING_THREADS);
    int blocks = wanted < 1 ? 1 : wanted < processors ? wanted : processors;
    cudaFuncSetAttribute(luma_histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, CELL_BYTES);
    luma_histogram<<<blocks, COUNTING_THREADS, CELL_BYTES>>>(d_image, d_hist, pixels);
    cudaMemcpy(hist, d_hist, sizeof hist, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; ++i)
        if (hist[i]) printf("%d:%u ", i, hist[i]);
    printf("\n");
    cudaFree(d_image);
    cudaFree(d_hist);
    free(image);
    return 0;
}
