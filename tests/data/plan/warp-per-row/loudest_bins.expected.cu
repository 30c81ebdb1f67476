// kernel=loudest_bins line=23 finding=KO101
#include <cstdio>
#include <vector>
#include <algorithm>

#define PEAKS 6

// for every frame of a recording the six loudest bins of its spectrum
__global__ void loudest_bins(const float* spectra, int* bins, float* levels, int frames, int binCount)
{
    int frame = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (frame >= frames) return;

    const float* spectrum = spectra + (size_t)frame * binCount;
    float level[PEAKS];
    int bin[PEAKS];
    for (int p = 0; p < PEAKS; p++) {
        level[p] = -1.0f;
        bin[p] = -1;
    }

    float energy = 0.0f;
    for (int b = lane; b < binCount; b += 32) {
        float v = spectrum[b];
        energy += v * v;
        if (v > level[PEAKS - 1]) {
            int p = PEAKS - 1;
            while (p > 0 && level[p - 1] < v) {
                level[p] = level[p - 1];
                bin[p] = bin[p - 1];
                p--;
            }
            level[p] = v;
            bin[p] = b;
        }
    }
    // the lanes' lists become one
    #pragma unroll
    for (int place = 0; place < PEAKS; place++) {
        float firstLevel = level[place];
        int firstBin = bin[place];
        for (int offset = 16; offset > 0; offset /= 2) {
            float otherLevel = __shfl_xor_sync(0xffffffff, firstLevel, offset);
            int otherBin = __shfl_xor_sync(0xffffffff, firstBin, offset);
            if (otherLevel > firstLevel || (otherLevel == firstLevel && otherBin < firstBin)) {
                firstLevel = otherLevel;
                firstBin = otherBin;
            }
        }
        if (level[place] != firstLevel || bin[place] != firstBin) {
            #pragma unroll
            for (int k = PEAKS - 1; k > place; k--) {
                level[k] = level[k - 1];
                bin[k] = bin[k - 1];
            }
            level[place] = firstLevel;
            bin[place] = firstBin;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2)
        energy += __shfl_xor_sync(0xffffffff, energy, offset);

    // levels relative to the frame's energy
    if (lane == 0) {
        for (int p = 0; p < PEAKS; p++) {
            bins[frame * PEAKS + p] = bin[p];
            levels[frame * PEAKS + p] = level[p] / sqrtf(energy);
        }
    }
}

int main()
{
    const int frames = 200, binCount = 513;
    float *spectra, *levels;
    int* bins;
    cudaMallocManaged(&spectra, frames * binCount * sizeof(float));
    cudaMallocManaged(&levels, frames * PEAKS * sizeof(float));
    cudaMallocManaged(&bins, frames * PEAKS * sizeof(int));
    for (int i = 0; i < frames * binCount; i++) spectra[i] = (i * 7919 % 251) * 0.01f;
    loudest_bins<<<(frames + 1) / 2, 64>>>(spectra, bins, levels, frames, binCount);
    cudaDeviceSynchronize();
    for (int f = 0; f < frames; f++) {
        std::vector<int> all(binCount);
        for (int b = 0; b < binCount; b++) all[b] = b;
        std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return spectra[f * binCount + a] > spectra[f * binCount + b]; });
        for (int p = 0; p < PEAKS; p++)
            if (bins[f * PEAKS + p] != all[p]) return printf("FAIL %d\n", f), 1;
    }
    return puts("PASS"), 0;
}
