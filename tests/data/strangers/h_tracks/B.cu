// Batch Kalman tracker (constant velocity, position measurements) for a radar with many targets.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define cudaTry(e) { cudaError_t _e = (e); if (_e != cudaSuccess) { printf("cuda: %s (%d)\n", cudaGetErrorString(_e), __LINE__); return -1; } }

const int NTRK = 9000;
const int NSTEP = 40;

// A plot as the extractor delivers it.  ok == 0: no detection in this scan;
// zx/zy then hold whatever the extractor left there (an old value, zero, NaN...).
struct Plot { float zx, zy; int ok; };

struct Model { float dt, q, r_x, r_y, p_pos, p_vel; };

struct Track { float x, y, vx, vy; float ppx, ppy; float nis; int updates; };

// F, Q, R and the start covariance do not couple x and y: the 4-state filter falls apart into two 2-state filters.
// Two neighbouring lanes share a track (even lane: x, odd lane: y), the covariance is three registers per lane,
// and a missed plot gets gain 0, so that all lanes go the same way.
__global__ void __launch_bounds__(128) track_kernel(Model m, const Plot* __restrict__ plots /* [step][track] */,
                                                    const float2* __restrict__ first, int ntrk, int nstep, Track* __restrict__ out)
{
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    const int axis = g & 1;
    const bool live = (g >> 1) < ntrk;
    const int t = live ? g >> 1 : ntrk - 1;         // spare lanes repeat the last track, the shuffles need them

    const float2 f0 = first[t];
    float pos = axis ? f0.y : f0.x, vel = 0.f;
    float p00 = m.p_pos, p01 = 0.f, p11 = m.p_vel;
    const float dt = m.dt, r = axis ? m.r_y : m.r_x;
    const float q00 = m.q * dt * dt * dt / 3.f, q01 = m.q * dt * dt / 2.f, q11 = m.q * dt;
    float nis = 0.f;
    int updates = 0;

    Plot z = plots[t];
    for (int k = 0; k < nstep; k++) {
        const Plot zn = plots[(size_t)min(k + 1, nstep - 1) * ntrk + t];     // next scan is under way while we compute
        // predict
        pos = fmaf(dt, vel, pos);
        const float a = fmaf(dt, p11, p01);
        p00 = fmaf(dt, a, fmaf(dt, p01, p00)) + q00;
        p01 = a + q01;
        p11 += q11;
        // update
        const float hit = z.ok ? 1.f : 0.f;
        const float inv = 1.f / (p00 + r);
        const float res = (axis ? z.zy : z.zx) - pos;
        const float k0 = hit * p00 * inv, k1 = hit * p01 * inv;
        nis = fmaf(hit * inv * res, res, nis);
        pos = fmaf(k0, res, pos);
        vel = fmaf(k1, res, vel);
        p11 = fmaf(-k1, p01, p11);
        p01 = fmaf(-k0, p01, p01);
        p00 = fmaf(-k0, p00, p00);
        updates += z.ok != 0;
        z = zn;
    }
    const float pos2 = __shfl_xor_sync(0xffffffffu, pos, 1);
    const float vel2 = __shfl_xor_sync(0xffffffffu, vel, 1);
    const float pp2  = __shfl_xor_sync(0xffffffffu, p00, 1);
    const float nis2 = __shfl_xor_sync(0xffffffffu, nis, 1);
    if (live && axis == 0) {
        Track o = { pos, pos2, vel, vel2, p00, pp2, nis + nis2, updates };
        out[t] = o;
    }
}

int main()
{
    Model m = { 0.5f, 0.8f, 25.f, 36.f, 100.f, 400.f };
    Plot* plots = (Plot*)calloc((size_t)NTRK * NSTEP, sizeof(Plot));
    float2* first = (float2*)malloc(NTRK * sizeof(float2));
    unsigned r = 1u;
    for (int t = 0; t < NTRK; t++) {
        float x = (float)(t % 300) * 10.f - 1500.f, y = (float)(t / 300) * 40.f - 600.f;
        float vx = 12.f * sinf(0.1f * t), vy = 9.f * cosf(0.07f * t);
        first[t] = make_float2(x, y);
        for (int k = 0; k < NSTEP; k++) {
            x += vx * m.dt; y += vy * m.dt;
            r = r * 1664525u + 1013904223u; float nx = ((r >> 8) & 0xffff) / 65536.f - 0.5f;
            r = r * 1664525u + 1013904223u; float ny = ((r >> 8) & 0xffff) / 65536.f - 0.5f;
            if ((r >> 25) % 10 == 3) continue;                    // missed, plot stays zero
            Plot p = { x + 17.f * nx, y + 20.f * ny, 1 };
            plots[(size_t)k * NTRK + t] = p;
        }
    }
    Plot* d_plots; float2* d_first; Track* d_out;
    cudaTry(cudaMalloc((void**)&d_plots, (size_t)NTRK * NSTEP * sizeof(Plot)));
    cudaTry(cudaMalloc((void**)&d_first, NTRK * sizeof(float2)));
    cudaTry(cudaMalloc((void**)&d_out, NTRK * sizeof(Track)));
    cudaTry(cudaMemcpy(d_plots, plots, (size_t)NTRK * NSTEP * sizeof(Plot), cudaMemcpyHostToDevice));
    cudaTry(cudaMemcpy(d_first, first, NTRK * sizeof(float2), cudaMemcpyHostToDevice));
    track_kernel<<<(2 * NTRK + 127) / 128, 128>>>(m, d_plots, d_first, NTRK, NSTEP, d_out);
    cudaTry(cudaGetLastError());
    Track* out = (Track*)malloc(NTRK * sizeof(Track));
    cudaTry(cudaMemcpy(out, d_out, NTRK * sizeof(Track), cudaMemcpyDeviceToHost));
    double sx = 0, sv = 0, nis = 0; long up = 0;
    for (int t = 0; t < NTRK; t++) {
        sx += fabs(out[t].x) + fabs(out[t].y);
        sv += fabs(out[t].vx) + fabs(out[t].vy);
        nis += out[t].nis; up += out[t].updates;
    }
    printf("updates %ld  mean NIS %.5f  sum pos %.3f  sum vel %.3f\n", up, nis / up, sx, sv);
    for (int t = 0; t < NTRK; t += 2500)
        printf("%5d  (%.3f, %.3f) v (%.4f, %.4f) P %.4f %.4f\n", t, out[t].x, out[t].y, out[t].vx, out[t].vy, out[t].ppx, out[t].ppy);
    cudaFree(d_plots); cudaFree(d_first); cudaFree(d_out);
    free(plots); free(first); free(out);
    return 0;
}
