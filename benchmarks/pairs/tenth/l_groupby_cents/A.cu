// SELECT store, SUM(amount), COUNT(*), MAX(amount) FROM sales
// WHERE day BETWEEN d0 AND d1 GROUP BY store
// amount is a BIGINT column (hundredths of a cent; refunds are negative)
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <climits>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct SalesTable {
    int rows;
    int *store;
    short *day;
    long long *amount;
};

struct AggResult {
    long long *sum;
    int *cnt;
    long long *maxv;
};

__global__ void initAgg(AggResult r, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g < groups) {
        r.sum[g] = 0;
        r.cnt[g] = 0;
        r.maxv[g] = LLONG_MIN;
    }
}

__global__ void aggregate(SalesTable t, int d0, int d1, AggResult r, int groups)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < t.rows; i += stride) {
        int d = t.day[i];
        if (d < d0 || d > d1) continue;
        int g = t.store[i];
        if (g < 0 || g >= groups) continue;
        long long a = t.amount[i];
        atomicAdd((unsigned long long *)&r.sum[g], (unsigned long long)a);
        atomicAdd(&r.cnt[g], 1);
        atomicMax(&r.maxv[g], a);
    }
}

static unsigned rng = 12345u;
static unsigned nextRand() { rng = rng * 1664525u + 1013904223u; return rng >> 8; }

int main()
{
    const int rows = 300000, groups = 400;
    std::vector<int> store(rows);
    std::vector<short> day(rows);
    std::vector<long long> amount(rows);
    for (int i = 0; i < rows; i++) {
        unsigned a = nextRand() % groups, b = nextRand() % groups;
        store[i] = a < b ? a : b;              // some stores sell more
        day[i] = (short)(nextRand() % 365);
        amount[i] = (long long)(nextRand() % 60000) - 4000;
    }
    SalesTable t; t.rows = rows;
    AggResult r;
    CK(cudaMalloc(&t.store, rows * sizeof(int)));
    CK(cudaMalloc(&t.day, rows * sizeof(short)));
    CK(cudaMalloc(&t.amount, rows * sizeof(long long)));
    CK(cudaMalloc(&r.sum, groups * sizeof(long long)));
    CK(cudaMalloc(&r.cnt, groups * sizeof(int)));
    CK(cudaMalloc(&r.maxv, groups * sizeof(long long)));
    CK(cudaMemcpy(t.store, store.data(), rows * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(t.day, day.data(), rows * sizeof(short), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(t.amount, amount.data(), rows * sizeof(long long), cudaMemcpyHostToDevice));

    initAgg<<<(groups + 127) / 128, 128>>>(r, groups);
    CK(cudaGetLastError());
    aggregate<<<160, 256>>>(t, 30, 300, r, groups);
    CK(cudaGetLastError());

    std::vector<long long> sum(groups), mx(groups);
    std::vector<int> cnt(groups);
    CK(cudaMemcpy(sum.data(), r.sum, groups * sizeof(long long), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(cnt.data(), r.cnt, groups * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(mx.data(), r.maxv, groups * sizeof(long long), cudaMemcpyDeviceToHost));
    long long total = 0; int n = 0;
    for (int g = 0; g < groups; g++) { total += sum[g]; n += cnt[g]; }
    for (int g = 0; g < groups; g += 57)
        printf("store %3d  sum %12lld  n %6d  max %lld\n", g, sum[g], cnt[g], mx[g]);
    printf("total %lld over %d rows\n", total, n);
    cudaFree(t.store); cudaFree(t.day); cudaFree(t.amount);
    cudaFree(r.sum); cudaFree(r.cnt); cudaFree(r.maxv);
    return 0;
}
