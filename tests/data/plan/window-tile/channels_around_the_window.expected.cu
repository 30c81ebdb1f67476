// kernel=blur line=17 finding=KO108
#include <cstdio>
typedef unsigned char uchar;
#define R 2

__device__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

// mean of 5 x 5 pixels, those outside taken from the edge
__global__ void blur(const uchar *src, uchar *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool is_inside = x < w && y < h;

    int s = 0;
    __shared__ uchar src_tile[8 + 2 * R][32 + 2 * R];
    for (int c = 0; c < 3; c++) {
        for (int cell = threadIdx.y * 32 + threadIdx.x; cell < (8 + 2 * R) * (32 + 2 * R); cell += 256) {
            const int row = cell / (32 + 2 * R), col = cell % (32 + 2 * R);
            const int y_in = blockIdx.y * blockDim.y + row - R;
            const int x_in = blockIdx.x * blockDim.x + col - R;
            src_tile[row][col] = src[c * h * w + clampi(y_in, 0, h - 1) * w + clampi(x_in, 0, w - 1)];
        }
        __syncthreads();
        if (is_inside) {
            #pragma unroll
            for (int dy = -R; dy <= R; dy++)
                for (int dx = -R; dx <= R; dx++)
                    s += src_tile[threadIdx.y + dy + R][threadIdx.x + dx + R];
        }
        __syncthreads();
    }
    if (is_inside) dst[y * w + x] = (uchar)(s / ((2 * R + 1) * (2 * R + 1)));
}

int main()
{
    const int w = 45, h = 19;
    uchar *src, *dst;
    cudaMallocManaged(&src, 3 * w * h);
    cudaMallocManaged(&dst, w * h);
    for (int i = 0; i < 3 * w * h; ++i) src[i] = i * 37 % 251;
    blur<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(src, dst, w, h);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < w * h; ++i) sum += dst[i] * (i % 7 + 1);
    printf("%ld\n", sum);
    return 0;
}
