// All blocks are staged at first, and one buffer on the device is enough: the next block may be uploaded into it while the energies of the
// one before are still taken.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int FRAME = 64, FRAMES = 64, BLOCK = FRAME * FRAMES, ROUNDS = 5;

__global__ void energy(const float* x, float* e, int frames) {
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= frames) return;
    float sum = 0.0f;
    for (int k = 0; k < FRAME; k++) sum += x[f * FRAME + k] * x[f * FRAME + k];
    e[f] = sum;
}

__global__ void clear(float* e, int frames) {
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < frames) e[f] = 0.0f;
}

void fill(float* block, int round) {
    unsigned state = 12345u + 977u * round;
    for (int i = 0; i < BLOCK; i++) {
        state = state * 1664525u + 1013904223u;
        block[i] = (state >> 8) / 16777216.0f - 0.5f * (round % 2);
    }
}

int main() {
    float *staging, *result, *raw, *energies;
    cudaStream_t front, back;
    cudaEvent_t uploaded;
    cudaStreamCreateWithFlags(&front, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&back, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming);
    cudaMallocHost(&result, ROUNDS * FRAMES * sizeof(float));
    cudaMallocHost(&staging, ROUNDS * BLOCK * sizeof(float));
    cudaMalloc(&energies, ROUNDS * FRAMES * sizeof(float));
    cudaMalloc(&raw, BLOCK * sizeof(float));
    for (int round = 0; round < ROUNDS; round++) fill(staging + round * BLOCK, round);
    for (int round = 0; round < ROUNDS; round++) {
        cudaMemcpyAsync(raw, staging + round * BLOCK, BLOCK * sizeof(float), cudaMemcpyHostToDevice, front);
        cudaEventRecord(uploaded, front);
        clear<<<1, 64, 0, back>>>(energies + round * FRAMES, FRAMES);
        cudaStreamWaitEvent(back, uploaded, 0);
        energy<<<1, 64, 0, back>>>(raw, energies + round * FRAMES, FRAMES);
    }
    cudaMemcpyAsync(result, energies, ROUNDS * FRAMES * sizeof(float), cudaMemcpyDeviceToHost, back);
    cudaStreamSynchronize(back);
    double total = 0.0;
    for (int i = 0; i < ROUNDS * FRAMES; i++) total += result[i];
    printf("energy %.5f\n", total);
    cudaDeviceSynchronize();
    cudaFreeHost(staging);
    cudaFree(raw);
    cudaEventDestroy(uploaded);
    cudaStreamDestroy(front);
    cudaStreamDestroy(back);
    cudaFreeHost(result);
    cudaFree(energies);
    return 0;
}
