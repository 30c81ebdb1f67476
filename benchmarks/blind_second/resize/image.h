#pragma once

#include <cstddef>
#include <cuda_runtime.h>

// A stack of frames of the same size, RGBA with 8 bits each, without padding.
struct FrameStack {
    uchar4* pixels;
    int width;
    int height;
    int frames;

    size_t count() const { return static_cast<size_t>(width) * height * frames; }
    size_t bytes() const { return count() * sizeof(uchar4); }
};

// Bilinear, centres of pixels aligned (as OpenCV's INTER_LINEAR), edges repeated.
cudaError_t resizeBilinear(const FrameStack& source, const FrameStack& target, cudaStream_t stream);
