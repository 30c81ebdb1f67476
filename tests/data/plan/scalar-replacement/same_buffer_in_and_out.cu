// kernel=decay line=8 finding=KO107
#include <cstdio>

__global__ void decay(float *state, const float *input, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        state[i] = 0.0f;
        for (int s = 0; s < steps; ++s) state[i] += input[s * n + i];
    }
}

int main() {
    float *buffer;
    cudaMallocManaged(&buffer, 64 * 4 * sizeof(float));
    for (int i = 0; i < 256; ++i) buffer[i] = 1;
    decay<<<1, 64>>>(buffer, buffer + 64, 64, 3);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i)
        if (buffer[i] != 3) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
