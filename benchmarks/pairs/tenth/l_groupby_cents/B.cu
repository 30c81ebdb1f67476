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

// per-block partial aggregates in shared memory, merged once per block.
// 32-bit shared atomics are native, the 64-bit ones cost twice the bank width.
__global__ void aggregate(SalesTable t, int d0, int d1, AggResult r, int groups)
{
    extern __shared__ int smem[];
    int *sSum = smem;
    int *sCnt = smem + groups;
    int *sMax = smem + 2 * groups;
    for (int g = threadIdx.x; g < groups; g += blockDim.x) {
        sSum[g] = 0;
        sCnt[g] = 0;
        sMax[g] = INT_MIN;
    }
    __syncthreads();

    const int *__restrict__ store = t.store;
    const short *__restrict__ day = t.day;
    const long long *__restrict__ amount = t.amount;
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < t.rows; i += stride) {
        int d = day[i];
        int g = store[i];
        if (d >= d0 && d <= d1 && g >= 0 && g < groups) {
            int a = (int)amount[i];
            atomicAdd(&sSum[g], a);
            atomicAdd(&sCnt[g], 1);
            atomicMax(&sMax[g], a);
        }
    }
    __syncthreads();

    for (int g = threadIdx.x; g < groups; g += blockDim.x) {
        int c = sCnt[g];
        if (c > 0) {
            long long s = sSum[g];
            long long m = sMax[g];
            atomicAdd((unsigned long long *)&r.sum[g], (unsigned long long)s);
            atomicAdd(&r.cnt[g], c);
            atomicMax(&r.maxv[g], m);
        }
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
    aggregate<<<160, 256, 3 * groups * sizeof(int)>>>(t, 30, 300, r, groups);
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
