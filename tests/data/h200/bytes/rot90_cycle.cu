// Rotate square images clockwise by 90 degrees, in place.
// One thread follows one four-way cycle: 4 loads, 4 stores.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CK(x)                                                              \
    do {                                                                   \
        cudaError_t e_ = (x);                                              \
        if (e_ != cudaSuccess) {                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(e_));                               \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

template <typename T>
__global__ void rotate_cw(T *img, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n / 2 || col >= (n + 1) / 2)
        return;

    int top    = row * n + col;
    int right  = col * n + (n - 1 - row);
    int bottom = (n - 1 - row) * n + (n - 1 - col);
    int left   = (n - 1 - col) * n + row;

    T a = img[top];
    T b = img[right];
    T c = img[bottom];
    T d = img[left];

    img[right]  = a;
    img[bottom] = b;
    img[left]   = c;
    img[top]    = d;
}

// the same with a temporary, the textbook way: load, store, load, store ...
__global__ void rotate_ccw_textbook(unsigned char *m, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2 && j >= i && j < n - 1 - i) {
        unsigned char t = m[i * n + j];
        m[i * n + j] =
            m[j * n + n - 1 - i];
        m[j * n + n - 1 - i] =
            m[(n - 1 - i) * n + n - 1 - j];
        m[(n - 1 - i) * n + n - 1 - j] =
            m[(n - 1 - j) * n + i];
        m[(n - 1 - j) * n + i] = t;
    }
}

template <typename T>
static uint64_t run(int n, dim3 blk)
{
    std::vector<T> h((size_t)n * n);
    uint32_t s = 12345u + n;
    for (auto &v : h) {
        s = s * 1664525u + 1013904223u;
        v = (T)(s >> 24);
    }
    T *d;
    CK(cudaMalloc(&d, h.size() * sizeof(T)));
    CK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    dim3 grd(((n + 1) / 2 + blk.x - 1) / blk.x, (n / 2 + blk.y - 1) / blk.y);
    rotate_cw<T><<<grd, blk>>>(d, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CK(cudaFree(d));
    uint64_t sum = 0;
    for (size_t i = 0; i < h.size(); i++)
        sum = sum * 31 + (uint64_t)h[i];
    return sum;
}

int main()
{
    uint64_t total = 0;
    total += run<unsigned char>(701, dim3(16, 16));
    total += run<float>(402, dim3(32, 8));
    total += run<double>(255, dim3(8, 8));
    total += run<unsigned short>(514, dim3(7, 9));

    const int n = 333;
    std::vector<unsigned char> h(n * n);
    for (int i = 0; i < n * n; i++)
        h[i] = (unsigned char)(i * 7 + i / 251);
    unsigned char *d;
    CK(cudaMalloc(&d, n * n));
    CK(cudaMemcpy(d, h.data(), n * n, cudaMemcpyHostToDevice));
    rotate_ccw_textbook<<<dim3((n + 31) / 32, (n / 2 + 3) / 4), dim3(32, 4)>>>(d, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), d, n * n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n * n; i++)
        total = total * 131 + h[i];
    CK(cudaFree(d));
    printf("checksum %016llx\n", (unsigned long long)total);
    return 0;
}
