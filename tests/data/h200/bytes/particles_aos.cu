// Array-of-structures particles of 12, 20 and 24 bytes.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Vec3 { float x, y, z; };                     // 12 bytes
struct Dust {                                       // 20 bytes
    float x, y, z;
    int   owner;
    short kind;
    signed char charge;
    unsigned char alive;
};
struct Star {                                       // 24 bytes
    double mass;
    float  temp;
    float  lum;
    unsigned short cls;
    unsigned char  sub;
    bool   binary;
};

static_assert(sizeof(Vec3) == 12 && sizeof(Dust) == 20 && sizeof(Star) == 24, "layout");

__global__ void drift(Dust *p, const Vec3 *__restrict__ vel, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char alive = p[i].alive;
    if (!alive) return;
    float vx = vel[i].x;
    float vy = vel[i].y;
    float vz = vel[i].z;
    p[i].x += vx * dt;
    p[i].y += vy * dt;
    p[i].z += vz * dt;
}

__global__ void cool(Star *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double m = s[i].mass;
        float  t = s[i].temp;
        unsigned short c = s[i].cls;
        bool   two = s[i].binary;
        float  l = (float)m * 0.5f + t * 0.25f;
        if (two) l *= 2.0f;
        s[i].lum = l;
        s[i].sub = (unsigned char)(c % 10);
        s[i].cls = (unsigned short)(c / 10);
    }
}

// whole-struct moves: gather every third star
__global__ void pick_third(const Star *s, Star *out, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        out[i] = s[3 * i + 1];
}

// AoS -> SoA, two lanes per dust grain: even lanes x, odd lanes y
__global__ void split_xy(const Dust *p, float *x, float *y, char *q, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t >> 1;
    if (i >= n) return;
    if (t & 1) {
        float v = p[i].y;
        y[i] = v;
    } else {
        float v = p[i].x;
        x[i] = v;
    }
    char c = p[i].charge;
    if ((t & 1) == 0)
        q[i] = c;
}

int main()
{
    const int nd = 120000, ns = 60001, nt = ns / 3;
    std::vector<Dust> hd(nd);
    std::vector<Vec3> hv(nd);
    std::vector<Star> hs(ns), ht(nt);
    for (int i = 0; i < nd; i++) {
        hd[i] = { (float)(i % 100), (float)(i % 37), (float)(i % 11), i / 3,
                  (short)(i % 5), (signed char)(i % 7 - 3), (unsigned char)(i % 9 != 4) };
        hv[i] = { 0.5f, (float)(i & 3), -1.0f };
    }
    for (int i = 0; i < ns; i++)
        hs[i] = { 1.0 + i % 13, 3000.0f + i % 50, 0.0f, (unsigned short)(i % 777), 0, i % 4 == 1 };

    Dust *dd; Vec3 *dv; Star *ds, *dt; float *dx, *dy; char *dq;
    cudaMalloc(&dd, nd * sizeof(Dust));  cudaMalloc(&dv, nd * sizeof(Vec3));
    cudaMalloc(&ds, ns * sizeof(Star));  cudaMalloc(&dt, nt * sizeof(Star));
    cudaMalloc(&dx, nd * 4);  cudaMalloc(&dy, nd * 4);  cudaMalloc(&dq, nd);
    cudaMemcpy(dd, hd.data(), nd * sizeof(Dust), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, hv.data(), nd * sizeof(Vec3), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, hs.data(), ns * sizeof(Star), cudaMemcpyHostToDevice);

    drift<<<(nd + 255) / 256, 256>>>(dd, dv, 0.5f, nd);
    cool<<<(ns + 127) / 128, 128>>>(ds, ns);
    pick_third<<<(nt + 63) / 64, 64>>>(ds, dt, nt);
    split_xy<<<(2 * nd + 255) / 256, 256>>>(dd, dx, dy, dq, nd);
    if (cudaDeviceSynchronize() != cudaSuccess) { puts("error"); return 1; }

    std::vector<float> hx(nd), hy(nd); std::vector<char> hq(nd);
    cudaMemcpy(hd.data(), dd, nd * sizeof(Dust), cudaMemcpyDeviceToHost);
    cudaMemcpy(ht.data(), dt, nt * sizeof(Star), cudaMemcpyDeviceToHost);
    cudaMemcpy(hx.data(), dx, nd * 4, cudaMemcpyDeviceToHost); cudaMemcpy(hy.data(), dy, nd * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(hq.data(), dq, nd, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < nd; i++) sum += hx[i] + 2 * hy[i] + 3 * hd[i].z + hq[i];
    for (int i = 0; i < nt; i++) sum += ht[i].lum + ht[i].cls + ht[i].sub;
    printf("checksum %.3f\n", sum);
    return 0;
}
