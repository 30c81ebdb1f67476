// Templates, records, 64-bit arithmetic and layers of a small network.
#include <cstdio>
#include <cuda_runtime.h>

struct Particle { float x, y, z, vx, vy, vz, mass; int alive; };

template <typename T, int UNROLL>
__global__ void axpy_unrolled(T a, const T *x, T *y, long long n) {
    long long base = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * UNROLL;
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (base + u < n) y[base + u] = a * x[base + u] + y[base + u];
}

__global__ void advance(Particle *p, int n, float dt, int substeps) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n || !p[i].alive) return;
    Particle me = p[i];
    for (int s = 0; s < substeps; s++) {
        float r = sqrtf(me.x * me.x + me.y * me.y + me.z * me.z) + 0.01f;
        float k = -me.mass / (r * r * r);
        me.vx += k * me.x * dt; me.vy += k * me.y * dt; me.vz += k * me.z * dt;
        me.x += me.vx * dt; me.y += me.vy * dt; me.z += me.vz * dt;
        if (me.x > 10.0f || me.x < -10.0f) me.vx = -me.vx;
    }
    p[i] = me;
}

__global__ void dense_layer(const float *x, const float *w, const float *bias, float *y, int in, int out) {
    extern __shared__ float xs[];
    for (int i = threadIdx.x; i < in; i += blockDim.x) xs[i] = x[blockIdx.x * in + i];
    __syncthreads();
    for (int o = threadIdx.x; o < out; o += blockDim.x) {
        float acc = bias[o];
        for (int i = 0; i < in; i++) acc += xs[i] * w[i * out + o];
        y[blockIdx.x * out + o] = acc > 0 ? acc : 0.01f * acc;
    }
}

__global__ void modpow(unsigned long long *out, int n, unsigned long long mod) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long base = i + 2, e = 1000 + i % 7, r = 1;
    while (e) {
        if (e & 1) r = r * base % mod;
        base = base * base % mod;
        e >>= 1;
    }
    out[i] = r;
}

int main() {
    const int n = 3001, in = 100, out = 70;
    double *x, *y; Particle *p; float *f; unsigned long long *m;
    Particle *hp = new Particle[n];
    for (int i = 0; i < n; i++) hp[i] = {1.f + i % 9, 0.5f * (i % 5), 0.1f * (i % 3), 0, 1, 0, 1.f, i % 4 != 0};
    cudaMalloc(&x, n * 8); cudaMalloc(&y, n * 8); cudaMalloc(&p, n * sizeof(Particle)); cudaMalloc(&f, 60000 * 4); cudaMalloc(&m, n * 8);
    cudaMemset(x, 0, n * 8); cudaMemset(y, 0, n * 8); cudaMemset(f, 0, 60000 * 4);
    cudaMemcpy(p, hp, n * sizeof(Particle), cudaMemcpyHostToDevice);
    axpy_unrolled<double, 4><<<(n / 4 + 127) / 128, 128>>>(2.0, x, y, n);
    advance<<<(n + 127) / 128, 128>>>(p, n, 0.01f, 20);
    dense_layer<<<20, 64, in * sizeof(float)>>>(f, f + 10000, f + 30000, f + 40000, in, out);
    modpow<<<(n + 255) / 256, 256>>>(m, n, 1000003ULL);
    cudaMemcpy(hp, p, sizeof(Particle), cudaMemcpyDeviceToHost);
    printf("%f\n", hp[0].x);
    delete[] hp;
    return 0;
}
