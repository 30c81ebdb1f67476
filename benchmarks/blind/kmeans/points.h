#pragma once

#include <cstddef>

template <int D>
struct Point {
    float x[D];
};

template <int D>
struct Cluster {
    float sum[D];
    int size;
};

/// Points around k centres on a coarse raster, numbers are multiples of 1/64.
template <int D>
void make_points(Point<D>* points, std::size_t n, int k)
{
    unsigned s = 7;
    for (std::size_t i = 0; i < n; ++i) {
        unsigned c = (unsigned)(i % k);
        for (int d = 0; d < D; ++d) {
            s = s * 1664525u + 1013904223u;
            unsigned centre = ((c + 1) * 2654435761u >> (2 * d)) & 7u;
            points[i].x[d] = (float)(centre * 64 + (s >> 25)) / 64.0f;
        }
    }
}
