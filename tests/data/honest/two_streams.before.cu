// Chunks of a signal, one after the other: copied in, their frames' energies taken, copied out.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int FRAME = 64, FRAMES = 64, CHUNK = FRAME * FRAMES, CHUNKS = 6;

__global__ void energy(const float* x, float* e, int frames) {
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= frames) return;
    float sum = 0.0f;
    for (int k = 0; k < FRAME; k++) sum += x[f * FRAME + k] * x[f * FRAME + k];
    e[f] = sum;
}

int main() {
    std::vector<float> signal(CHUNK * CHUNKS), result(FRAMES * CHUNKS);
    unsigned state = 4711u;
    for (float& sample : signal) {
        state = state * 1664525u + 1013904223u;
        sample = (state >> 8) / 16777216.0f - 0.5f;
    }
    float *x, *e;
    cudaMalloc(&x, CHUNK * sizeof(float));
    cudaMalloc(&e, FRAMES * sizeof(float));
    for (int c = 0; c < CHUNKS; c++) {
        cudaMemcpy(x, &signal[c * CHUNK], CHUNK * sizeof(float), cudaMemcpyHostToDevice);
        energy<<<1, 64>>>(x, e, FRAMES);
        cudaMemcpy(&result[c * FRAMES], e, FRAMES * sizeof(float), cudaMemcpyDeviceToHost);
    }
    double total = 0.0;
    for (float value : result) total += value;
    printf("energy %.5f\n", total);
    cudaFree(x);
    cudaFree(e);
    return 0;
}
