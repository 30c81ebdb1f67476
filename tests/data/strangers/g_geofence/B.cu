// Geofencing: in which zones (polygons, even-odd rule) is each vehicle? Fixed-point coordinates, |x|,|y| < 2^30.
#include <cstdio>
#include <cstdlib>
#include <climits>
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

constexpr int TB = 128;

// One block per zone: edges turned upwards (x,y = lower end, z,w = upper end; nothing depends on the direction in the
// even-odd rule) and the bounding box (min x, min y, max x, max y). An empty zone gets an empty box.
// zone z has the vertices first[z] .. first[z+1]-1
__global__ void __launch_bounds__(TB)
prepare(const int2* __restrict__ vert, const int* __restrict__ first, int4* __restrict__ edge, int4* __restrict__ box)
{
    __shared__ int4 sbox;
    const int b = first[blockIdx.x], e = first[blockIdx.x + 1];
    if (threadIdx.x == 0) sbox = make_int4(INT_MAX, INT_MAX, INT_MIN, INT_MIN);
    __syncthreads();
    for (int k = b + threadIdx.x; k < e; k += TB) {
        int2 u = vert[k], v = vert[k == b ? e - 1 : k - 1];
        edge[k] = u.y <= v.y ? make_int4(u.x, u.y, v.x, v.y) : make_int4(v.x, v.y, u.x, u.y);
        atomicMin(&sbox.x, u.x); atomicMin(&sbox.y, u.y);
        atomicMax(&sbox.z, u.x); atomicMax(&sbox.w, u.y);
    }
    __syncthreads();
    if (threadIdx.x == 0) box[blockIdx.x] = sbox;
}

// Vehicles lie along routes, so that a block's vehicles are near each other: zones whose box holds none of them are
// skipped by the whole block, the edges of the others come through shared memory.
__global__ void __launch_bounds__(TB)
locate(const int2* __restrict__ pos, int nPos, const int4* __restrict__ edge, const int4* __restrict__ box,
       const int* __restrict__ first, int nZones, int* __restrict__ zoneCount, int* __restrict__ lowestZone)
{
    __shared__ int4 tile[TB];
    const int i = blockIdx.x * TB + threadIdx.x;
    const bool live = i < nPos;
    const int2 p = live ? pos[i] : make_int2(0, 0);
    int count = 0, lowest = -1;

    for (int z = 0; z < nZones; z++) {
        const int4 bb = box[z];
        const bool near = live && p.x >= bb.x && p.y >= bb.y && p.x <= bb.z && p.y <= bb.w;
        if (!__syncthreads_or(near)) continue;             // also: the tile of the last zone has been used
        bool in = false;
        const int b = first[z], e = first[z + 1];
        for (int k0 = b; k0 < e; k0 += TB) {
            const int n = min(TB, e - k0);
            if (k0 != b) __syncthreads();
            if (threadIdx.x < n) tile[threadIdx.x] = edge[k0 + threadIdx.x];
            __syncthreads();
            if (near) {
                for (int k = 0; k < n; k++) {
                    const int4 q = tile[k];
                    if (p.y < q.y || p.y >= q.w) continue;
                    long long cross = ((long long)q.z - q.x) * ((long long)p.y - q.y) - ((long long)p.x - q.x) * ((long long)q.w - q.y);
                    in ^= cross > 0;
                }
            }
        }
        if (in) { count++; if (lowest < 0) lowest = z; }
    }
    if (live) {
        zoneCount[i] = count;
        lowestZone[i] = lowest;
    }
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

    int2 *dPos, *dVert; int4 *dEdge, *dBox; int *dFirst, *dCount, *dLow;
    CUDA_CHECK(cudaMalloc(&dPos, nPos * sizeof(int2)));
    CUDA_CHECK(cudaMalloc(&dVert, vert.size() * sizeof(int2)));
    CUDA_CHECK(cudaMalloc(&dEdge, vert.size() * sizeof(int4)));
    CUDA_CHECK(cudaMalloc(&dBox, nZones * sizeof(int4)));
    CUDA_CHECK(cudaMalloc(&dFirst, first.size() * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&dCount, nPos * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&dLow, nPos * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(dPos, pos.data(), nPos * sizeof(int2), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dVert, vert.data(), vert.size() * sizeof(int2), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dFirst, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice));

    prepare<<<nZones, TB>>>(dVert, dFirst, dEdge, dBox);
    CUDA_CHECK(cudaGetLastError());
    locate<<<(nPos + TB - 1) / TB, TB>>>(dPos, nPos, dEdge, dBox, dFirst, nZones, dCount, dLow);
    CUDA_CHECK(cudaGetLastError());
    std::vector<int> count(nPos), low(nPos);
    CUDA_CHECK(cudaMemcpy(count.data(), dCount, nPos * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(low.data(), dLow, nPos * sizeof(int), cudaMemcpyDeviceToHost));

    int hist[6] = {0}; long long h = 0;
    for (int i = 0; i < nPos; i++) { hist[count[i] < 5 ? count[i] : 5]++; h += (long long)(i % 1009 + 1) * (low[i] + 2) + count[i]; }
    printf("%zu vertices, hash %lld\n", vert.size(), h);
    for (int k = 0; k < 6; k++) printf("in %d%s zones: %d\n", k, k == 5 ? "+" : "", hist[k]);
    cudaFree(dPos); cudaFree(dVert); cudaFree(dEdge); cudaFree(dBox); cudaFree(dFirst); cudaFree(dCount); cudaFree(dLow);
    return 0;
}
