#include "image.h"

namespace {

constexpr int kTileX = 32;
constexpr int kTileY = 8;

struct Tap {
    int lower;
    int upper;
    float weight;  // of the upper one
};

__device__ __forceinline__ Tap tap(int position, float scale, int size)
{
    float x = fmaf(static_cast<float>(position) + 0.5f, scale, -0.5f);
    x = fminf(fmaxf(x, 0.0f), static_cast<float>(size - 1));
    const int lower = static_cast<int>(x);
    return {lower, min(lower + 1, size - 1), x - static_cast<float>(lower)};
}

__device__ __forceinline__ float mix(float a, float b, float t)
{
    return fmaf(t, b - a, a);
}

__device__ __forceinline__ unsigned char blend(unsigned char a, unsigned char b, unsigned char c, unsigned char d, float tx, float ty)
{
    const float top = mix(a, b, tx);
    const float bottom = mix(c, d, tx);
    return static_cast<unsigned char>(mix(top, bottom, ty) + 0.5f);
}

__global__ void __launch_bounds__(kTileX* kTileY)
resizeKernel(const uchar4* __restrict__ source, uchar4* __restrict__ target, int sw, int sh, int tw, int th, float scaleX, float scaleY)
{
    const int x = blockIdx.x * kTileX + threadIdx.x;
    const int y = blockIdx.y * kTileY + threadIdx.y;
    if (x >= tw || y >= th) return;

    const Tap h = tap(x, scaleX, sw);
    const Tap v = tap(y, scaleY, sh);
    const uchar4* frame = source + static_cast<size_t>(blockIdx.z) * sw * sh;
    const uchar4* upper = frame + static_cast<size_t>(v.lower) * sw;
    const uchar4* lower = frame + static_cast<size_t>(v.upper) * sw;

    const uchar4 a = __ldg(upper + h.lower);
    const uchar4 b = __ldg(upper + h.upper);
    const uchar4 c = __ldg(lower + h.lower);
    const uchar4 d = __ldg(lower + h.upper);

    uchar4 out;
    out.x = blend(a.x, b.x, c.x, d.x, h.weight, v.weight);
    out.y = blend(a.y, b.y, c.y, d.y, h.weight, v.weight);
    out.z = blend(a.z, b.z, c.z, d.z, h.weight, v.weight);
    out.w = blend(a.w, b.w, c.w, d.w, h.weight, v.weight);
    target[(static_cast<size_t>(blockIdx.z) * th + y) * tw + x] = out;
}

}  // namespace

cudaError_t resizeBilinear(const FrameStack& source, const FrameStack& target, cudaStream_t stream)
{
    const dim3 block(kTileX, kTileY);
    const dim3 grid((target.width + kTileX - 1) / kTileX, (target.height + kTileY - 1) / kTileY, target.frames);
    resizeKernel<<<grid, block, 0, stream>>>(source.pixels, target.pixels, source.width, source.height, target.width, target.height,
                                             static_cast<float>(source.width) / target.width,
                                             static_cast<float>(source.height) / target.height);
    return cudaGetLastError();
}
