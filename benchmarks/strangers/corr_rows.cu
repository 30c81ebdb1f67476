// every thread compares its row with all later rows (all pairs, data-parallel outer loop)
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void overlaps(const int* sets, int* shared_count, int m, int words)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a < m) {
        for (int b = 0; b < m; ++b) {
            int n = 0;
            for (int w = 0; w < words; ++w)
                n += __popc(sets[w * m + a] & sets[w * m + b]);
            shared_count[b * m + a] = n;
        }
    }
}
int main(int argc, char** argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 150, words = 12;
    std::vector<int> h(m * words), r(m * m);
    for (size_t i = 0; i < h.size(); ++i) h[i] = int(i * 2654435761u);
    int *d, *o;
    cudaMalloc(&d, h.size() * 4); cudaMalloc(&o, r.size() * 4);
    cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    int bs = 64;
    overlaps<<<(m + bs - 1) / bs, bs>>>(d, o, m, words);
    cudaMemcpy(r.data(), o, r.size() * 4, cudaMemcpyDeviceToHost);
    long s = 0; for (int v : r) s += v;
    printf("%ld\n", s);
}
