// kernel=conjugate_transpose line=21 finding=KO103
#include <cstdio>
#include <vector>

struct Complex {
    float re;
    float im;
};

__global__ void fill(Complex *a, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        a[i] = Complex{float(i), float(-i)};
}

__global__ void conjugate_transpose(Complex *out, const Complex *in, int tiles) {
    __shared__ Complex buffer[16][16];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        buffer[ty][tx] = in[tile * 256 + threadIdx.x];
        __syncthreads();
        Complex c = buffer[tx][ty];
        c.im = -c.im;
        out[tile * 256 + threadIdx.x] = c;
        __syncthreads();
    }
}

int main() {
    const int tiles = 6, count = tiles * 256;
    Complex *a, *b;
    cudaMalloc(&a, count * sizeof(Complex));
    cudaMalloc(&b, count * sizeof(Complex));
    fill<<<2, 128>>>(a, count);
    conjugate_transpose<<<4, 256>>>(b, a, tiles);
    std::vector<Complex> r(count);
    cudaMemcpy(r.data(), b, count * sizeof(Complex), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 16; j++) {
                const Complex c = r[t * 256 + i * 16 + j];
                const float v = float(t * 256 + j * 16 + i);
                bad += c.re != v || c.im != v;
            }
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
