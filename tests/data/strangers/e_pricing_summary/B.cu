// TPC-H Q1 flavoured pricing summary report, all money in cents, percentages as integers.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef long long i64;
typedef unsigned long long u64;

static const int NFLAG = 3, NSTATUS = 2, GROUPS = NFLAG * NSTATUS;

struct Columns {                     // one array per column
    int *shipdate, *quantity, *price;
    unsigned char *discount, *tax, *flag, *status;
};

struct Row { u64 qty, base, discPrice, charge, count; };     // one output group

#define CU(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "[%s] %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

static const int TPB = 256, WARPS = TPB / 32, FIELDS = 5;

__device__ __forceinline__ u64 warpSum(u64 v)
{
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

// There are only six groups: every thread keeps all of them in registers (select, no indexing, no atomics),
// four rows per step with vector loads; warps, then blocks are reduced once at the end.
__global__ void __launch_bounds__(TPB)
q1(Columns c, int n, int cutoff, Row *out)
{
    u64 acc[GROUPS][FIELDS];
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
#pragma unroll
        for (int f = 0; f < FIELDS; f++) acc[g][f] = 0;

    auto row = [&](bool keep, int group, int quantity, int price, int discount, int tax) {
        const i64 base = price, disc = base * (100 - discount), charge = disc * (100 + tax);
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            const bool mine = keep && group == g;
            acc[g][0] += mine ? (u64)(i64)quantity : 0ull;
            acc[g][1] += mine ? (u64)base : 0ull;
            acc[g][2] += mine ? (u64)disc : 0ull;
            acc[g][3] += mine ? (u64)charge : 0ull;
            acc[g][4] += mine ? 1ull : 0ull;
        }
    };

    const int tid = blockIdx.x * TPB + threadIdx.x, threads = gridDim.x * TPB, n4 = n / 4;
    for (int i = tid; i < n4; i += threads) {
        const int4 sd = reinterpret_cast<const int4 *>(c.shipdate)[i];
        const int4 q = reinterpret_cast<const int4 *>(c.quantity)[i];
        const int4 p = reinterpret_cast<const int4 *>(c.price)[i];
        const uchar4 d = reinterpret_cast<const uchar4 *>(c.discount)[i];
        const uchar4 t = reinterpret_cast<const uchar4 *>(c.tax)[i];
        const uchar4 fl = reinterpret_cast<const uchar4 *>(c.flag)[i];
        const uchar4 st = reinterpret_cast<const uchar4 *>(c.status)[i];
        row(sd.x <= cutoff, fl.x * NSTATUS + st.x, q.x, p.x, d.x, t.x);
        row(sd.y <= cutoff, fl.y * NSTATUS + st.y, q.y, p.y, d.y, t.y);
        row(sd.z <= cutoff, fl.z * NSTATUS + st.z, q.z, p.z, d.z, t.z);
        row(sd.w <= cutoff, fl.w * NSTATUS + st.w, q.w, p.w, d.w, t.w);
    }
    const int rest = 4 * n4 + tid;                       // the last n % 4 rows
    if (rest < n)
        row(c.shipdate[rest] <= cutoff, c.flag[rest] * NSTATUS + c.status[rest], c.quantity[rest], c.price[rest],
            c.discount[rest], c.tax[rest]);

    __shared__ u64 part[WARPS][GROUPS * FIELDS];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
#pragma unroll
        for (int f = 0; f < FIELDS; f++) {
            u64 v = warpSum(acc[g][f]);
            if (lane == 0) part[warp][g * FIELDS + f] = v;
        }
    __syncthreads();
    if (threadIdx.x < GROUPS * FIELDS) {
        u64 v = 0;
        for (int w = 0; w < WARPS; w++) v += part[w][threadIdx.x];
        Row *r = &out[threadIdx.x / FIELDS];
        u64 *dst[FIELDS] = { &r->qty, &r->base, &r->discPrice, &r->charge, &r->count };
        if (v) atomicAdd(dst[threadIdx.x % FIELDS], v);
    }
}

template <typename T> T *upload(const std::vector<T> &v)
{
    T *d;
    CU(cudaMalloc(&d, v.size() * sizeof(T)));
    CU(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

int main()
{
    const int n = 600007;
    std::vector<int> ship(n), qty(n), price(n);
    std::vector<unsigned char> disc(n), tax(n), flag(n), status(n);
    u64 s = 0x9E3779B97F4A7C15ull;
    for (int i = 0; i < n; i++) {
        s ^= s >> 12; s ^= s << 25; s ^= s >> 27;
        u64 r = s * 2685821657736338717ull;
        ship[i] = 8000 + (int)(r % 2526);
        qty[i] = 1 + (int)((r >> 12) % 50);
        price[i] = qty[i] * (90000 + (int)((r >> 20) % 110000)) / 10;
        disc[i] = (unsigned char)((r >> 40) % 11);
        tax[i] = (unsigned char)((r >> 44) % 9);
        status[i] = ship[i] > 9300;
        flag[i] = status[i] ? 2 : (unsigned char)((r >> 50) & 1);
    }
    Columns c;
    c.shipdate = upload(ship); c.quantity = upload(qty); c.price = upload(price);
    c.discount = upload(disc); c.tax = upload(tax); c.flag = upload(flag); c.status = upload(status);
    Row *dOut, out[GROUPS];
    CU(cudaMalloc(&dOut, sizeof out));
    CU(cudaMemset(dOut, 0, sizeof out));

    q1<<<132, TPB>>>(c, n, 10400, dOut);
    CU(cudaGetLastError());
    CU(cudaMemcpy(out, dOut, sizeof out, cudaMemcpyDeviceToHost));
    for (int g = 0; g < GROUPS; g++)
        if (out[g].count)
            printf("%c%c  qty %llu  base %llu  disc %llu  charge %llu  n %llu  avg qty %.3f\n", "ANR"[g / NSTATUS], "FO"[g % NSTATUS],
                   out[g].qty, out[g].base, out[g].discPrice, out[g].charge, out[g].count, (double)out[g].qty / (double)out[g].count);
    cudaFree(c.shipdate); cudaFree(c.quantity); cudaFree(c.price); cudaFree(c.discount);
    cudaFree(c.tax); cudaFree(c.flag); cudaFree(c.status); cudaFree(dOut);
    return 0;
}
