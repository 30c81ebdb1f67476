// PageRank, pull version, on a made-up web: every eighth page is popular.
// ./pagerank <pages, multiple of 8> <links per page, even> <iterations>
#include <iostream>
#include <iomanip>
#include <vector>
#include <stdexcept>
#include <cstdlib>
using namespace std;

#define TRY(expr) do { cudaError_t err_ = (expr); if (err_ != cudaSuccess) throw runtime_error(string(#expr) + ": " + cudaGetErrorString(err_)); } while (0)

const float DAMPING = 0.85f;

__global__ void init(float* rank, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) rank[i] = 1.0f / n;
}

// what each page gives to every page it links to
__global__ void contribution(const float* rank, const int* outDegree, float* contrib, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) contrib[i] = outDegree[i] > 0 ? rank[i] / outDegree[i] : 0.0f;
}

__global__ void pull(const int* rowPtr, const int* source, const float* contrib, float* newRank, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        float sum = 0;
        for (int e = rowPtr[i]; e < rowPtr[i + 1]; e++)
            sum += contrib[source[e]];
        newRank[i] = (1 - DAMPING) / n + DAMPING * sum;
    }
}

__global__ void difference(const float* a, const float* b, float* delta, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) atomicAdd(delta, fabsf(a[i] - b[i]));
}

int run(int n, int links, int iterations) {
    // in-links in CSR; popular pages have nine times as many
    vector<int> rowPtr(n + 1), source, outDegree(n, 0);
    source.reserve((size_t)n * links);
    unsigned int r = 2463534242u;
    for (int i = 0; i < n; i++) {
        rowPtr[i] = source.size();
        int in = i % 8 == 0 ? 9 * links / 2 : links / 2;
        for (int k = 0; k < in; k++) {
            r ^= r << 13; r ^= r >> 17; r ^= r << 5;
            int s = r % n;
            source.push_back(s);
            outDegree[s]++;
        }
    }
    rowPtr[n] = source.size();

    int *dRow, *dSource, *dOut;
    float *dRank, *dNew, *dContrib, *dDelta;
    TRY(cudaMalloc(&dRow, (n + 1) * sizeof(int)));
    TRY(cudaMalloc(&dSource, source.size() * sizeof(int)));
    TRY(cudaMalloc(&dOut, n * sizeof(int)));
    TRY(cudaMalloc(&dRank, n * sizeof(float)));
    TRY(cudaMalloc(&dNew, n * sizeof(float)));
    TRY(cudaMalloc(&dContrib, n * sizeof(float)));
    TRY(cudaMalloc(&dDelta, sizeof(float)));
    TRY(cudaMemcpy(dRow, rowPtr.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dSource, source.data(), source.size() * sizeof(int), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dOut, outDegree.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    int block = 512, grid = (n + block - 1) / block;
    init<<<grid, block>>>(dRank, n);
    TRY(cudaGetLastError());

    float delta = 0;
    for (int it = 0; it < iterations; it++) {
        TRY(cudaMemset(dDelta, 0, sizeof(float)));
        contribution<<<grid, block>>>(dRank, dOut, dContrib, n);
        pull<<<grid, block>>>(dRow, dSource, dContrib, dNew, n);
        difference<<<grid, block>>>(dRank, dNew, dDelta, n);
        TRY(cudaGetLastError());
        TRY(cudaMemcpy(&delta, dDelta, sizeof(float), cudaMemcpyDeviceToHost));
        if (delta < 1e-9f) break;
        swap(dRank, dNew);
    }

    vector<float> rank(n);
    TRY(cudaMemcpy(rank.data(), dRank, n * sizeof(float), cudaMemcpyDeviceToHost));
    double total = 0;
    int best = 0;
    for (int i = 0; i < n; i++) {
        total += rank[i];
        if (rank[i] > rank[best]) best = i;
    }
    cout << fixed << setprecision(4) << "total rank " << total << ", rank of page 0 times pages " << rank[0] * n
         << ", best page times pages " << rank[best] * n << endl;
    cout << scientific << setprecision(2) << "last change " << delta << endl;

    for (void* p : {(void*)dRow, (void*)dSource, (void*)dOut, (void*)dRank, (void*)dNew, (void*)dContrib, (void*)dDelta})
        TRY(cudaFree(p));
    return 0;
}

int main(int argc, char** argv) {
    if (argc < 4) {
        cerr << "pagerank pages links iterations" << endl;
        return 1;
    }
    try {
        return run(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    } catch (const exception& e) {
        cerr << e.what() << endl;
        return 1;
    }
}
