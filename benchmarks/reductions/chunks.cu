#include <cstdio>
#include <cstdlib>
#include <vector>
template <typename T> T* upload(const std::vector<T>& v) { T* p = nullptr; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }

constexpr int kThreads = 256, kBlocks = 32;

__global__ void scorePairs(const int* a, const int* b, long long* scores, int n, int perThread)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = t * perThread;
    int last = first + perThread;
    if (last > n) last = n;
    long long s = 0;
    for (int i = first; i < last; ++i)
        s += (long long)a[i] * b[i];
    scores[t] = s;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 131077;
    std::vector<int> a(n), b(n);
    for (int i = 0; i < n; ++i) { a[i] = i % 1001 - 500; b[i] = (i * 17) % 89; }
    int* da = upload(a); int* db = upload(b);
    std::vector<long long> scores(kThreads * kBlocks, 0);
    long long* ds = upload(scores);
    int perThread = (n + kThreads * kBlocks - 1) / (kThreads * kBlocks);
    scorePairs<<<kBlocks, kThreads>>>(da, db, ds, n, perThread);
    cudaMemcpy(scores.data(), ds, scores.size() * 8, cudaMemcpyDeviceToHost);
    long long total = 0;
    for (long long s : scores) total += s;
    std::printf("%lld\n", total);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
