// Blocks of a signal are uploaded in one stream, and the energy of their frames is taken and brought back in another one. Both staging
// buffers, and both buffers on the device, are used in turn.
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

void fill(float* block, int round) {
    unsigned state = 12345u + 977u * round;
    for (int i = 0; i < BLOCK; i++) {
        state = state * 1664525u + 1013904223u;
        block[i] = (state >> 8) / 16777216.0f - 0.5f * (round % 2);
    }
}

int main() {
    float *staging[2], *result, *raw[2], *energies;
    cudaStream_t front, back;
    cudaEvent_t uploaded[2], drained[2];
    cudaStreamCreateWithFlags(&front, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&back, cudaStreamNonBlocking);
    cudaMallocHost(&result, ROUNDS * FRAMES * sizeof(float));
    cudaMalloc(&energies, ROUNDS * FRAMES * sizeof(float));
    for (int k = 0; k < 2; k++) {
        cudaMallocHost(&staging[k], BLOCK * sizeof(float));
        cudaMalloc(&raw[k], BLOCK * sizeof(float));
        cudaEventCreateWithFlags(&uploaded[k], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&drained[k], cudaEventDisableTiming);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int k = round % 2;
        while (cudaEventQuery(uploaded[k]) == cudaErrorNotReady) {}
        fill(staging[k], round);
        cudaStreamWaitEvent(front, drained[k], 0);
        cudaMemcpyAsync(raw[k], staging[k], BLOCK * sizeof(float), cudaMemcpyHostToDevice, front);
        cudaEventRecord(uploaded[k], front);
        cudaStreamWaitEvent(back, uploaded[k], 0);
        energy<<<2, 32, 0, back>>>(raw[k], energies + round * FRAMES, FRAMES);
        cudaEventRecord(drained[k], back);
    }
    cudaMemcpyAsync(result, energies, ROUNDS * FRAMES * sizeof(float), cudaMemcpyDeviceToHost, back);
    cudaStreamSynchronize(back);
    double total = 0.0;
    for (int i = 0; i < ROUNDS * FRAMES; i++) total += result[i];
    printf("energy %.5f\n", total);
    cudaDeviceSynchronize();
    for (int k = 0; k < 2; k++) {
        cudaFreeHost(staging[k]);
        cudaFree(raw[k]);
        cudaEventDestroy(uploaded[k]);
        cudaEventDestroy(drained[k]);
    }
    cudaStreamDestroy(front);
    cudaStreamDestroy(back);
    cudaFreeHost(result);
    cudaFree(energies);
    return 0;
}
