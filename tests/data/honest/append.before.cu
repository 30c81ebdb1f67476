// Pairs of equal keys, in any order: an atomic cursor gives each its place.
#include <cstdio>
#include <vector>

struct Pair { int left, right; };

__global__ void join(const int *first, const int *rows, const int *keys, int n, int buckets, Pair *out, int room, int *cursor)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    unsigned b = (unsigned)keys[j] % buckets;
    for (int p = first[b]; p < first[b + 1]; p++) {
        int place = atomicAdd(cursor, 1);
        if (place < room) out[place] = Pair{rows[p], j};
    }
}

int main()
{
    const int n = 1507, buckets = 61, room = 20000;
    std::vector<int> first(buckets + 1), rows, keys(n);
    for (int b = 0; b < buckets; b++) {
        first[b] = (int)rows.size();
        for (int i = 0; i < b * 7 % 5; i++) rows.push_back(b * 11 + i * 131);
    }
    first[buckets] = (int)rows.size();
    for (int j = 0; j < n; j++) keys[j] = j * 7919 % 10007;
    int *f, *r, *k, *c;
    Pair *out;
    cudaMalloc(&f, first.size() * 4);
    cudaMalloc(&r, rows.size() * 4);
    cudaMalloc(&k, n * 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&out, room * sizeof(Pair));
    cudaMemcpy(f, first.data(), first.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(r, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(k, keys.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(c, 0, 4);
    join<<<(n + 63) / 64, 64>>>(f, r, k, n, buckets, out, room, c);
    int count;
    cudaMemcpy(&count, c, 4, cudaMemcpyDeviceToHost);
    std::vector<Pair> found(count);
    cudaMemcpy(found.data(), out, count * sizeof(Pair), cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (const Pair &pair : found) sum += pair.left * 3LL + pair.right;
    printf("%d pairs, %lld\n", count, sum);
    return 0;
}
