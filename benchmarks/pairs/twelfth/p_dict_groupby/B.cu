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

struct BlockAgg {
    int16_t region[STORES];
    unsigned int count[REGIONS];
    unsigned long long sum[REGIONS];
};

__device__ __forceinline__ void add_row(BlockAgg &s, int store, int day, int amount, int dayFrom, int dayTo)
{
    if (day < dayFrom || day > dayTo) return;
    const int r = s.region[store];
    if (r < 0) return;
    atomicAdd(&s.count[r], 1u);
    atomicAdd(&s.sum[r], (unsigned long long)(long long)amount);
}

// Four rows per thread and step by vector loads (the columns come straight from cudaMalloc),
// dictionary and partial groups in shared memory, one global atomic per block and group.
__global__ void group_by(Sales t, const int16_t *__restrict__ regionOf, int dayFrom, int dayTo, Out o)
{
    __shared__ BlockAgg s;
    for (int k = threadIdx.x; k < STORES; k += blockDim.x) s.region[k] = regionOf[k];
    for (int k = threadIdx.x; k < REGIONS; k += blockDim.x) { s.count[k] = 0; s.sum[k] = 0; }
    __syncthreads();

    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    const int quads = t.rows / 4;
    const uchar4 *store4 = reinterpret_cast<const uchar4 *>(t.store);
    const ushort4 *day4 = reinterpret_cast<const ushort4 *>(t.day);
    const int4 *amount4 = reinterpret_cast<const int4 *>(t.amount);
    for (int q = tid; q < quads; q += threads) {
        const ushort4 d = __ldg(day4 + q);
        const uchar4 st = __ldg(store4 + q);
        const int4 am = __ldg(amount4 + q);
        add_row(s, st.x, d.x, am.x, dayFrom, dayTo);
        add_row(s, st.y, d.y, am.y, dayFrom, dayTo);
        add_row(s, st.z, d.z, am.z, dayFrom, dayTo);
        add_row(s, st.w, d.w, am.w, dayFrom, dayTo);
    }
    const int i = quads * 4 + tid;              // the last one to three rows
    if (i < t.rows) add_row(s, t.store[i], t.day[i], t.amount[i], dayFrom, dayTo);
    __syncthreads();

    for (int k = threadIdx.x; k < REGIONS; k += blockDim.x)
        if (s.count[k]) {
            atomicAdd(&o.count[k], s.count[k]);
            atomicAdd(&o.sum[k], s.sum[k]);
        }
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
        group_by<<<198, 256>>>(t, dReg, sp[0], sp[1], o);
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
