// A host function at the end of the stream wakes the thread that waits for it.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <cuda_runtime.h>

std::mutex mutex;
std::condition_variable changed;
bool is_ready = false;

__global__ void add(float* x, int n) {
    int i = threadIdx.x;
    if (i < n) x[i] += i * 2.0f;
}

void CUDART_CB wake(void*) {
    std::lock_guard<std::mutex> hold(mutex);
    is_ready = true;
    changed.notify_one();
}

int main() {
    float *device, *host;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocAsync((void**)&device, 256, stream);
    cudaMallocHost(&host, 256);
    cudaMemsetAsync(device, 0, 256, stream);
    add<<<1, 64, 0, stream>>>(device, 64);
    cudaMemcpyAsync(host, device, 256, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(device, stream);
    cudaLaunchHostFunc(stream, wake, nullptr);
    {
        std::unique_lock<std::mutex> hold(mutex);
        changed.wait(hold, [] { return is_ready; });
    }
    printf("%g\n", host[63]);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
}
