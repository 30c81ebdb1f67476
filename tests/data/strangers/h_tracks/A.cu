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

__global__ void track_kernel(Model m, const Plot* plots /* [step][track] */, const float2* first, int ntrk, int nstep, Track* out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= ntrk) return;
    float s[4] = { first[t].x, first[t].y, 0.f, 0.f };           // x y vx vy
    float P[4][4] = {};
    P[0][0] = P[1][1] = m.p_pos;
    P[2][2] = P[3][3] = m.p_vel;
    float F[4][4] = { {1, 0, m.dt, 0}, {0, 1, 0, m.dt}, {0, 0, 1, 0}, {0, 0, 0, 1} };
    float dt = m.dt, q = m.q;
    float Q[4][4] = {};
    Q[0][0] = Q[1][1] = q * dt * dt * dt / 3.f;
    Q[0][2] = Q[2][0] = Q[1][3] = Q[3][1] = q * dt * dt / 2.f;
    Q[2][2] = Q[3][3] = q * dt;
    float nis = 0.f;
    int updates = 0;
    for (int k = 0; k < nstep; k++) {
        // predict
        float ns[4], FP[4][4];
        for (int i = 0; i < 4; i++) {
            ns[i] = 0.f;
            for (int j = 0; j < 4; j++) ns[i] += F[i][j] * s[j];
            for (int j = 0; j < 4; j++) {
                FP[i][j] = 0.f;
                for (int l = 0; l < 4; l++) FP[i][j] += F[i][l] * P[l][j];
            }
        }
        for (int i = 0; i < 4; i++) {
            s[i] = ns[i];
            for (int j = 0; j < 4; j++) {
                float a = Q[i][j];
                for (int l = 0; l < 4; l++) a += FP[i][l] * F[j][l];
                P[i][j] = a;
            }
        }
        Plot z = plots[(size_t)k * ntrk + t];
        if (!z.ok) continue;                                      // coast
        // update, H = [I 0]
        float S00 = P[0][0] + m.r_x, S01 = P[0][1], S10 = P[1][0], S11 = P[1][1] + m.r_y;
        float det = S00 * S11 - S01 * S10;
        float I00 = S11 / det, I01 = -S01 / det, I10 = -S10 / det, I11 = S00 / det;
        float rx = z.zx - s[0], ry = z.zy - s[1];
        nis += rx * (I00 * rx + I01 * ry) + ry * (I10 * rx + I11 * ry);
        float K[4][2];
        for (int i = 0; i < 4; i++) {
            K[i][0] = P[i][0] * I00 + P[i][1] * I10;
            K[i][1] = P[i][0] * I01 + P[i][1] * I11;
        }
        float NP[4][4];
        for (int i = 0; i < 4; i++) {
            s[i] += K[i][0] * rx + K[i][1] * ry;
            for (int j = 0; j < 4; j++) NP[i][j] = P[i][j] - K[i][0] * P[0][j] - K[i][1] * P[1][j];
        }
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) P[i][j] = NP[i][j];
        updates++;
    }
    Track o = { s[0], s[1], s[2], s[3], P[0][0], P[1][1], nis, updates };
    out[t] = o;
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
    track_kernel<<<(NTRK + 63) / 64, 64>>>(m, d_plots, d_first, NTRK, NSTEP, d_out);
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
