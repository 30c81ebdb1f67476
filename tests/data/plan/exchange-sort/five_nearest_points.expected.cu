// kernel=knn line=25 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>

#define NEIGHBOURS 5

__global__ void knn(const float* px, const float* py, const float* qx, const float* qy, int* neighbours, int points, int queries)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries) return;

    float dist[NEIGHBOURS];
    int index[NEIGHBOURS];
    for (int i = 0; i < NEIGHBOURS; i++) {
        dist[i] = 1e30f;
        index[i] = -1;
    }

    for (int p = 0; p < points; p++) {
        float dx = px[p] - qx[q], dy = py[p] - qy[q];
        float d = dx * dx + dy * dy;
        if (d < dist[NEIGHBOURS - 1]) {
            // shift the farther ones back
            bool placed = false;
            #pragma unroll
            for (int j = NEIGHBOURS - 1; j >= 0; j--) {
                if (placed) continue;
                if (j > 0 && dist[j - 1] > d) {
                    dist[j] = dist[j - 1];
                    index[j] = index[j - 1];
                } else {
                    dist[j] = d;
                    index[j] = p;  // the new one
                    placed = true;
                }
            }
        }
    }

    for (int i = 0; i < NEIGHBOURS; i++) neighbours[q * NEIGHBOURS + i] = index[i];
}

int main()
{
    const int points = 300, queries = 400;
    float *px, *py, *qx, *qy;
    int *neighbours;
    cudaMallocManaged(&px, points * sizeof(float));
    cudaMallocManaged(&py, points * sizeof(float));
    cudaMallocManaged(&qx, queries * sizeof(float));
    cudaMallocManaged(&qy, queries * sizeof(float));
    cudaMallocManaged(&neighbours, queries * NEIGHBOURS * sizeof(int));
    for (int i = 0; i < points; i++) { px[i] = i * 37 % 101; py[i] = i * 53 % 97; }
    for (int i = 0; i < queries; i++) { qx[i] = i * 41 % 89; qy[i] = i * 67 % 83; }
    knn<<<(queries + 127) / 128, 128>>>(px, py, qx, qy, neighbours, points, queries);
    cudaDeviceSynchronize();
    for (int q = 0; q < queries; q++) {
        std::vector<int> all;
        auto d2 = [&](int p) { float dx = px[p] - qx[q], dy = py[p] - qy[q]; return dx * dx + dy * dy; };
        for (int p = 0; p < points; p++) all.push_back(p);
        std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return d2(a) < d2(b); });
        for (int i = 0; i < NEIGHBOURS; i++)
            if (neighbours[q * NEIGHBOURS + i] != all[i]) return printf("FAIL %d\n", q), 1;
    }
    return puts("PASS"), 0;
}
