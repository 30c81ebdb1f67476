// kernel=moments line=14 finding=KO110
#include <cstdio>
#include <vector>

struct Moments { double first, second; float3 centre; unsigned int count; };

__global__ void moments(const float *x, int n, Moments *result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double thread_first = 0;
    double thread_second = 0;
    float thread_centre_y = 0;
    unsigned int thread_count = 0;
    if (i < n) {
        float v = x[i];
        if (v < 0) v = -v;
        thread_first += v;
        thread_second += v * v;
        thread_centre_y += v;
        thread_count += 1u;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        thread_first += __shfl_down_sync(0xffffffff, thread_first, offset);
        thread_second += __shfl_down_sync(0xffffffff, thread_second, offset);
        thread_centre_y += __shfl_down_sync(0xffffffff, thread_centre_y, offset);
        thread_count += __shfl_down_sync(0xffffffff, thread_count, offset);
    }
    __shared__ double warp_first[8];
    __shared__ double warp_second[8];
    __shared__ float warp_centre_y[8];
    __shared__ unsigned int warp_count[8];
    if (threadIdx.x % 32 == 0) {
        warp_first[threadIdx.x / 32] = thread_first;
        warp_second[threadIdx.x / 32] = thread_second;
        warp_centre_y[threadIdx.x / 32] = thread_centre_y;
        warp_count[threadIdx.x / 32] = thread_count;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++) {
            thread_first += warp_first[warp];
            thread_second += warp_second[warp];
            thread_centre_y += warp_centre_y[warp];
            thread_count += warp_count[warp];
        }
        atomicAdd(&result->first, thread_first);
        atomicAdd(&result->second, thread_second);
        atomicAdd(&result->centre.y, thread_centre_y);
        atomicAdd(&(*result).count, thread_count);
    }
}

int main()
{
    const int n = 20000;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = (i * 31 % 97) * 0.25f - 12;
    float *x;
    Moments *result, m;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&result, sizeof(Moments));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(result, 0, sizeof(Moments));
    moments<<<(n + 255) / 256, 256>>>(x, n, result);
    cudaMemcpy(&m, result, sizeof(Moments), cudaMemcpyDeviceToHost);
    printf("%.3f %.3f %.3f %u\n", m.first, m.second, m.centre.y, m.count);
    return 0;
}
