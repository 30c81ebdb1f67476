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

__global__ void q1(Columns c, int n, int cutoff, Row *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || c.shipdate[i] > cutoff) return;
    Row *r = &out[c.flag[i] * NSTATUS + c.status[i]];
    i64 base = c.price[i];
    i64 disc = base * (100 - c.discount[i]);
    i64 charge = disc * (100 + c.tax[i]);
    atomicAdd(&r->qty, (u64)(i64)c.quantity[i]);
    atomicAdd(&r->base, (u64)base);
    atomicAdd(&r->discPrice, (u64)disc);
    atomicAdd(&r->charge, (u64)charge);
    atomicAdd(&r->count, 1ull);
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

    q1<<<(n + 255) / 256, 256>>>(c, n, 10400, dOut);
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
