// Scales a stack of RGBA frames.
// resize SOURCE_WIDTH SOURCE_HEIGHT TARGET_WIDTH TARGET_HEIGHT FRAMES
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "image.h"

static void check(cudaError_t status, const char* what)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(EXIT_FAILURE);
}

static uint32_t hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

int main(int argc, char** argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "usage: %s SOURCE_WIDTH SOURCE_HEIGHT TARGET_WIDTH TARGET_HEIGHT FRAMES\n", argv[0]);
        return EXIT_FAILURE;
    }
    FrameStack source{nullptr, std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[5])};
    FrameStack target{nullptr, std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5])};
    if (source.width < 1 || source.height < 1 || target.width < 1 || target.height < 1 || source.frames < 1) {
        std::fprintf(stderr, "sizes must be positive\n");
        return EXIT_FAILURE;
    }

    std::vector<uchar4> pixels(source.count());
    for (size_t i = 0; i < pixels.size(); ++i) {
        const uint32_t x = static_cast<uint32_t>(i % source.width);
        const uint32_t y = static_cast<uint32_t>(i / source.width % source.height);
        const uint32_t noise = hash(static_cast<uint32_t>(i));
        pixels[i] = make_uchar4(x * 191 / source.width + (noise & 63), y * 191 / source.height + (noise >> 8 & 63),
                                noise >> 16 & 255, 255 - (noise >> 24 & 15));
    }

    check(cudaMalloc(&source.pixels, source.bytes()), "memory for the source");
    check(cudaMalloc(&target.pixels, target.bytes()), "memory for the target");
    check(cudaMemcpy(source.pixels, pixels.data(), source.bytes(), cudaMemcpyHostToDevice), "upload");
    check(resizeBilinear(source, target, nullptr), "resize");
    pixels.resize(target.count());
    check(cudaMemcpy(pixels.data(), target.pixels, target.bytes(), cudaMemcpyDeviceToHost), "download");

    double sums[4] = {};
    for (const uchar4& p : pixels) {
        sums[0] += p.x;
        sums[1] += p.y;
        sums[2] += p.z;
        sums[3] += p.w;
    }
    std::printf("means %.3f %.3f %.3f %.3f\n", sums[0] / target.count(), sums[1] / target.count(), sums[2] / target.count(),
                sums[3] / target.count());
    for (size_t i : {size_t{0}, target.count() / 3, target.count() / 2, target.count() - 1})
        std::printf("pixel %zu: %d %d %d %d\n", i, pixels[i].x, pixels[i].y, pixels[i].z, pixels[i].w);

    check(cudaFree(source.pixels), "free");
    check(cudaFree(target.pixels), "free");
    return EXIT_SUCCESS;
}
