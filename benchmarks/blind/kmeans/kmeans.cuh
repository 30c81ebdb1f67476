#pragma once

#include "points.h"

namespace kmeans {

template <int D>
__device__ float distance2(const Point<D>& a, const Point<D>& b)
{
    float sum = 0.0f;
    for (int d = 0; d < D; ++d) {
        float diff = a.x[d] - b.x[d];
        sum += diff * diff;
    }
    return sum;
}

template <int D>
__global__ void assign(const Point<D>* points, int n, const Point<D>* centres, int k, int* label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    float bestDistance = distance2<D>(points[i], centres[0]);
    for (int c = 1; c < k; ++c) {
        float distance = distance2<D>(points[i], centres[c]);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = c;
        }
    }
    label[i] = best;
}

template <int D>
__global__ void clear(Cluster<D>* clusters, int k)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= k) return;
    for (int d = 0; d < D; ++d) clusters[c].sum[d] = 0.0f;
    clusters[c].size = 0;
}

template <int D>
__global__ void accumulate(const Point<D>* points, int n, const int* label, Cluster<D>* clusters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Cluster<D>& mine = clusters[label[i]];
    for (int d = 0; d < D; ++d) atomicAdd(&mine.sum[d], points[i].x[d]);
    atomicAdd(&mine.size, 1);
}

template <int D>
__global__ void update(const Cluster<D>* clusters, Point<D>* centres, int k)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= k || clusters[c].size == 0) return;
    for (int d = 0; d < D; ++d) centres[c].x[d] = clusters[c].sum[d] / clusters[c].size;
}

}  // namespace kmeans
