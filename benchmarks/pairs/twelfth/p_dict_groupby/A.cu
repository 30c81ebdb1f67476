// SELECT region, count(*), sum(amount) FROM sales WHERE day BETWEEN a AND b GROUP BY region
// store -> region is a dictionary table, -1 = store without region.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static inline void gpu(cudaError_t e, const char *f, int l)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e)); exit(1); }
}
#define GPU(x) gpu((x), __FILE__, __LINE__)

enum { STORES = 256, REGIONS = 40 };

struct Sales {                  // a column each
    const uint8_t  *store;
    const uint16_t *day;
    const int32_t  *amount;     // cents, negative for returns
    int rows;
};

struct Out {
    unsigned int *count;
    unsigned long long *sum;    // two's complement
};

__global__ void group_by(Sales t, const int16_t *regionOf, int dayFrom, int dayTo, Out o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t.rows) return;
    int d = t.day[i];
    if (d < dayFrom || d > dayTo) return;
    int r = regionOf[t.store[i]];
    if (r < 0) return;
    atomicAdd(&o.count[r], 1u);
    atomicAdd(&o.sum[r], (unsigned long long)(long long)t.amount[i]);
}

template <class T> static T *upload(const std::vector<T> &v)
{
    T *p;
    GPU(cudaMalloc(&p, v.size() * sizeof(T)));
    GPU(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

int main()
{
    const int rows = 400003;
    std::vector<uint8_t> store(rows);
    std::vector<uint16_t> day(rows);
    std::vector<int32_t> amount(rows);
    std::vector<int16_t> regionOf(STORES);
    for (int s = 0; s < STORES; s++) regionOf[s] = (int16_t)(s % 17 == 3 ? -1 : (s * 29 + 5) % REGIONS);
    uint32_t x = 0xC0FFEE;
    for (int i = 0; i < rows; i++) {
        x = x * 747796405u + 2891336453u;
        uint32_t y = (x ^ (x >> 16)) * 0x45d9f3bu;
        store[i] = (uint8_t)(y >> 24);
        day[i] = (uint16_t)(18000 + (y >> 12) % 730u);
        amount[i] = (int32_t)(y % 250000u) - 20000;
    }

    uint8_t *dStore = upload(store);
    uint16_t *dDay = upload(day);
    int32_t *dAmount = upload(amount);
    int16_t *dReg = upload(regionOf);
    Out o;
    GPU(cudaMalloc(&o.count, REGIONS * sizeof(*o.count)));
    GPU(cudaMalloc(&o.sum, REGIONS * sizeof(*o.sum)));

    const int spans[2][2] = {{18000, 18364}, {18400, 18430}};
    for (auto &sp : spans) {
        GPU(cudaMemset(o.count, 0, REGIONS * sizeof(*o.count)));
        GPU(cudaMemset(o.sum, 0, REGIONS * sizeof(*o.sum)));
        Sales t{dStore, dDay, dAmount, rows};
        group_by<<<(rows + 255) / 256, 256>>>(t, dReg, sp[0], sp[1], o);
        GPU(cudaGetLastError());
        std::vector<unsigned int> c(REGIONS);
        std::vector<unsigned long long> s(REGIONS);
        GPU(cudaMemcpy(c.data(), o.count, REGIONS * sizeof(unsigned int), cudaMemcpyDeviceToHost));
        GPU(cudaMemcpy(s.data(), o.sum, REGIONS * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
        printf("days %d..%d\n", sp[0], sp[1]);
        long long all = 0; unsigned n = 0;
        for (int r = 0; r < REGIONS; r++) {
            all += (long long)s[r];
            n += c[r];
            if (r % 8 == 0) printf("  region %2d: %6u rows %14lld\n", r, c[r], (long long)s[r]);
        }
        printf("  all: %u rows %lld\n", n, all);
    }
    cudaFree(dStore); cudaFree(dDay); cudaFree(dAmount); cudaFree(dReg); cudaFree(o.count); cudaFree(o.sum);
    return 0;
}
