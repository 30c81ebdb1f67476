/* Ephemeris of minor bodies: heliocentric positions at a list of epochs from osculating elements.
   Takes asteroids and periodic comets alike (any elliptic orbit, 0 <= e < 1). */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <stdint.h>

typedef struct {
    double a;       /* semi-major axis, AU      */
    double ecc;     /* eccentricity             */
    double inc, node, peri;   /* rad            */
    double m0;      /* mean anomaly at epoch 0  */
} Elements;

typedef struct { double x, y, z; } Vec3;

static void ck(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) { printf("CUDA error in %s: %s\n", what, cudaGetErrorString(e)); exit(2); }
}

#define TWO_PI 6.283185307179586476925
#define GAUSS_K 0.01720209895

__device__ double kepler_E(double M, double e)
{
    M = fmod(M, TWO_PI);
    if (M < 0) M += TWO_PI;
    double E = (e > 0.5) ? 0.5 * TWO_PI : M + e * sin(M);   /* pi is safe for very eccentric orbits */
    for (int it = 0; it < 100; it++) {
        double dE = (E - e * sin(E) - M) / (1.0 - e * cos(E));
        E -= dE;
        if (fabs(dE) < 1e-13) break;
    }
    return E;
}

__global__ void ephem(const Elements *el, int nbody, const double *t, int nt, Vec3 *out)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= nbody * nt) return;
    int b = id / nt, it = id % nt;
    Elements k = el[b];
    double n = GAUSS_K / (k.a * sqrt(k.a));
    double E = kepler_E(k.m0 + n * t[it], k.ecc);
    double px = k.a * (cos(E) - k.ecc);
    double py = k.a * sqrt(1.0 - k.ecc * k.ecc) * sin(E);
    double co = cos(k.node), so = sin(k.node);
    double ci = cos(k.inc),  si = sin(k.inc);
    double cw = cos(k.peri), sw = sin(k.peri);
    Vec3 v;
    v.x = (co * cw - so * sw * ci) * px + (-co * sw - so * cw * ci) * py;
    v.y = (so * cw + co * sw * ci) * px + (-so * sw + co * cw * ci) * py;
    v.z = (sw * si) * px + (cw * si) * py;
    out[(size_t)b * nt + it] = v;
}

static uint64_t rs = 88172645463325252ull;
static double rnd(void)
{
    rs ^= rs << 13; rs ^= rs >> 7; rs ^= rs << 17;
    return (double)(rs >> 11) / 9007199254740992.0;
}

int main(void)
{
    const int NB = 12000, NT = 16;
    Elements *el = (Elements *)malloc(NB * sizeof(Elements));
    double t[16];
    for (int i = 0; i < NB; i++) {           /* a synthetic main belt */
        el[i].a    = 2.1 + 1.2 * rnd();
        el[i].ecc  = 0.32 * rnd();
        double r1 = rnd(), r2 = rnd();
        el[i].inc  = 0.4 * r1 * r2;
        el[i].node = TWO_PI * rnd();
        el[i].peri = TWO_PI * rnd();
        el[i].m0   = TWO_PI * rnd();
    }
    for (int i = 0; i < NT; i++) t[i] = 10.0 * i - 35.0;

    Elements *d_el; double *d_t; Vec3 *d_out;
    ck(cudaMalloc(&d_el, NB * sizeof(Elements)), "malloc el");
    ck(cudaMalloc(&d_t, NT * sizeof(double)), "malloc t");
    ck(cudaMalloc(&d_out, (size_t)NB * NT * sizeof(Vec3)), "malloc out");
    ck(cudaMemcpy(d_el, el, NB * sizeof(Elements), cudaMemcpyHostToDevice), "copy el");
    ck(cudaMemcpy(d_t, t, NT * sizeof(double), cudaMemcpyHostToDevice), "copy t");

    ephem<<<(NB * NT + 255) / 256, 256>>>(d_el, NB, d_t, NT, d_out);
    ck(cudaGetLastError(), "ephem");

    Vec3 *out = (Vec3 *)malloc((size_t)NB * NT * sizeof(Vec3));
    ck(cudaMemcpy(out, d_out, (size_t)NB * NT * sizeof(Vec3), cudaMemcpyDeviceToHost), "copy out");

    double sx = 0, sy = 0, sz = 0, rmax = 0;
    for (int i = 0; i < NB * NT; i++) {
        sx += fabs(out[i].x); sy += fabs(out[i].y); sz += fabs(out[i].z);
        double r = sqrt(out[i].x * out[i].x + out[i].y * out[i].y + out[i].z * out[i].z);
        if (r > rmax) rmax = r;
    }
    printf("mean |x| %.12f |y| %.12f |z| %.12f  rmax %.10f\n", sx / (NB * NT), sy / (NB * NT), sz / (NB * NT), rmax);
    for (int i = 0; i < 4; i++) {
        Vec3 v = out[(size_t)(i * 2777) * NT + 5];
        printf("body %5d: %+.11f %+.11f %+.11f\n", i * 2777, v.x, v.y, v.z);
    }
    cudaFree(d_el); cudaFree(d_t); cudaFree(d_out); free(el); free(out);
    return 0;
}
