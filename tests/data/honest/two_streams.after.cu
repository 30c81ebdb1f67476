// Chunks of a signal, two at a time, each in a stream of its own: copied in, their frames' energies taken, copied out.
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
    cudaHostRegister(signal.data(), signal.size() * sizeof(float), cudaHostRegisterDefault);
    cudaHostRegister(result.data(), result.size() * sizeof(float), cudaHostRegisterDefault);
    float *x[2], *e[2];
    cudaStream_t streams[2];
    for (int k = 0; k < 2; k++) {
        cudaMalloc(&x[k], CHUNK * sizeof(float));
        cudaMalloc(&e[k], FRAMES * sizeof(float));
        cudaStreamCreate(&streams[k]);
    }
    for (int c = 0; c < CHUNKS; c++) {
        int k = c % 2;
        cudaMemcpyAsync(x[k], &signal[c * CHUNK], CHUNK * sizeof(float), cudaMemcpyHostToDevice, streams[k]);
        energy<<<2, 32, 0, streams[k]>>>(x[k], e[k], FRAMES);
        cudaMemcpyAsync(&result[c * FRAMES], e[k], FRAMES * sizeof(float), cudaMemcpyDeviceToHost, streams[k]);
    }
    for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
    double total = 0.0;
    for (float value : result) total += value;
    printf("energy %.5f\n", total);
    cudaHostUnregister(signal.data());
    cudaHostUnregister(result.data());
    for (int k = 0; k < 2; k++) {
        cudaStreamDestroy(streams[k]);
        cudaFree(x[k]);
        cudaFree(e[k]);
    }
    return 0;
}
