// Geofencing: in which zones (polygons, even-odd rule) is each vehicle? Fixed-point coordinates, |x|,|y| < 2^30.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(expr)                                                                    \
    do {                                                                                    \
        cudaError_t status = (expr);                                                        \
        if (status != cudaSuccess) {                                                        \
            fprintf(stderr, "%s\n  at %s:%d\n", cudaGetErrorString(status), __FILE__, __LINE__); \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

// zone z has the vertices first[z] .. first[z+1]-1
__global__ void locate(const int2* pos, int nPos, const int2* vert, const int* first, int nZones,
                       int* zoneCount, int* lowestZone)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nPos) return;
    int2 p = pos[i];
    int count = 0, lowest = -1;
    for (int z = 0; z < nZones; z++) {
        bool in = false;
        int b = first[z], e = first[z + 1];
        for (int k = b, j = e - 1; k < e; j = k++) {
            int2 u = vert[k], v = vert[j];
            if ((u.y > p.y) == (v.y > p.y)) continue;
            long long cross = ((long long)v.x - u.x) * ((long long)p.y - u.y) - ((long long)p.x - u.x) * ((long long)v.y - u.y);
            if (v.y > u.y ? cross > 0 : cross < 0) in = !in;
        }
        if (in) { count++; if (lowest < 0) lowest = z; }
    }
    zoneCount[i] = count;
    lowestZone[i] = lowest;
}

int main()
{
    const int nPos = 10000, nZones = 90;
    std::vector<int2> pos(nPos), vert;
    std::vector<int> first(1, 0);
    unsigned s = 8675309;
    auto rnd = [&](int m) { s = s * 1664525u + 1013904223u; return (int)((s >> 9) % (unsigned)m); };
    for (int z = 0; z < nZones; z++) {                     // star-shaped zones, every ninth with a vertical and horizontal edges
        int cx = rnd(2000000) - 1000000, cy = rnd(2000000) - 1000000;
        if (z % 9 == 0) {
            int w = 20000 + rnd(100000), h = 20000 + rnd(100000);
            vert.push_back(make_int2(cx, cy));         vert.push_back(make_int2(cx + w, cy));
            vert.push_back(make_int2(cx + w, cy + h)); vert.push_back(make_int2(cx, cy + h));
        } else {
            int n = 5 + rnd(25);
            for (int k = 0; k < n; k++) {
                double a = 6.283185307179586 * k / n, r = 30000 + rnd(150000);
                vert.push_back(make_int2(cx + (int)(r * cos(a)), cy + (int)(r * sin(a))));
            }
        }
        first.push_back((int)vert.size());
    }
    for (int i = 0; i < nPos; i++) {
        if (i % 500 == 7) pos[i] = vert[rnd((int)vert.size())];                  // exactly on a vertex
        else {                                                                  // clustered along a route
            double t = i / (double)nPos;
            pos[i] = make_int2((int)(1.8e6 * (t - 0.5)) + rnd(160000) - 80000, (int)(9e5 * sin(9 * t)) + rnd(160000) - 80000);
        }
    }

    int2 *dPos, *dVert; int *dFirst, *dCount, *dLow;
    CUDA_CHECK(cudaMalloc(&dPos, nPos * sizeof(int2)));
    CUDA_CHECK(cudaMalloc(&dVert, vert.size() * sizeof(int2)));
    CUDA_CHECK(cudaMalloc(&dFirst, first.size() * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&dCount, nPos * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&dLow, nPos * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(dPos, pos.data(), nPos * sizeof(int2), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dVert, vert.data(), vert.size() * sizeof(int2), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dFirst, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice));

    locate<<<(nPos + 127) / 128, 128>>>(dPos, nPos, dVert, dFirst, nZones, dCount, dLow);
    CUDA_CHECK(cudaGetLastError());
    std::vector<int> count(nPos), low(nPos);
    CUDA_CHECK(cudaMemcpy(count.data(), dCount, nPos * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(low.data(), dLow, nPos * sizeof(int), cudaMemcpyDeviceToHost));

    int hist[6] = {0}; long long h = 0;
    for (int i = 0; i < nPos; i++) { hist[count[i] < 5 ? count[i] : 5]++; h += (long long)(i % 1009 + 1) * (low[i] + 2) + count[i]; }
    printf("%zu vertices, hash %lld\n", vert.size(), h);
    for (int k = 0; k < 6; k++) printf("in %d%s zones: %d\n", k, k == 5 ? "+" : "", hist[k]);
    cudaFree(dPos); cudaFree(dVert); cudaFree(dFirst); cudaFree(dCount); cudaFree(dLow);
    return 0;
}
