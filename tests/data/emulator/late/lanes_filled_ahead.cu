// Blocks go through two lanes, each with a stream and a buffer; a block begins with the end of the one before, which lies in the other lane's
// buffer. The host is up to four blocks ahead. Nothing keeps a lane from being filled again too early.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int TAIL = 32, BLOCK = 256, ROUNDS = 12, RING = 4, LANES = 2;

__global__ void sum(const int* block, int* out) {
    int total = 0;
    for (int i = 0; i < TAIL + BLOCK; i++) total += block[i] * (i % 7 + 1);
    *out = total;
}

int main() {
    int *block[LANES], *out[LANES], *in[RING], *result[RING];
    cudaStream_t stream[LANES];
    cudaEvent_t uploaded[LANES], taken[LANES], done[RING];
    for (int l = 0; l < LANES; l++) {
        cudaMalloc(&block[l], (TAIL + BLOCK) * sizeof(int));
        cudaMalloc(&out[l], sizeof(int));
        cudaStreamCreateWithFlags(&stream[l], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&uploaded[l], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&taken[l], cudaEventDisableTiming);
    }
    for (int r = 0; r < RING; r++) {
        cudaMallocHost(&in[r], BLOCK * sizeof(int));
        cudaMallocHost(&result[r], sizeof(int));
        cudaEventCreateWithFlags(&done[r], cudaEventDisableTiming);
    }
    cudaMemset(block[0], 0, TAIL * sizeof(int));
    cudaDeviceSynchronize();
    long long total = 0;
    for (int round = 0; round < ROUNDS + RING; round++) {
        int l = round % LANES, before = 1 - l, r = round % RING;
        if (round >= RING) {
            cudaEventSynchronize(done[r]);
            total = total * 31 + *result[r];
        }
        if (round >= ROUNDS) continue;
        for (int i = 0; i < BLOCK; i++) in[r][i] = round * 1000 + i;
        cudaMemcpyAsync(block[l] + TAIL, in[r], BLOCK * sizeof(int), cudaMemcpyHostToDevice, stream[l]);
        cudaEventRecord(uploaded[l], stream[l]);
        if (round > 0) {
            cudaStreamWaitEvent(stream[l], uploaded[before], 0);
            cudaMemcpyAsync(block[l], block[before] + BLOCK, TAIL * sizeof(int), cudaMemcpyDeviceToDevice, stream[l]);
            cudaEventRecord(taken[before], stream[l]);
        }
        sum<<<1, 1, 0, stream[l]>>>(block[l], out[l]);
        cudaMemcpyAsync(result[r], out[l], sizeof(int), cudaMemcpyDeviceToHost, stream[l]);
        cudaEventRecord(done[r], stream[l]);
    }
    printf("%lld\n", total);
    return 0;
}
