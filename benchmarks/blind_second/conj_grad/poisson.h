#ifndef POISSON_H
#define POISSON_H

#include <vector>

// compressed sparse rows
struct CsrMatrix {
    int rows;
    std::vector<int> rowPtr;
    std::vector<int> colIdx;
    std::vector<double> values;
};

// -div(k grad u) on a nx * ny grid, five points, k varies from cell to cell, u = 0 outside
inline double permeability(int x, int y)
{
    return 1.0 + 0.5 * ((x * 7 + y * 13) % 11) / 11.0;
}

inline double face(int x0, int y0, int x1, int y1)
{
    double a = permeability(x0, y0), b = permeability(x1, y1);
    return 2.0 * a * b / (a + b);
}

inline CsrMatrix buildPoisson(int nx, int ny)
{
    CsrMatrix m;
    m.rows = nx * ny;
    m.rowPtr.push_back(0);
    for (int y = 0; y < ny; y++) {
        for (int x = 0; x < nx; x++) {
            int me = y * nx + x;
            double south = face(x, y, x, y > 0 ? y - 1 : y);
            double west = face(x, y, x > 0 ? x - 1 : x, y);
            double east = face(x, y, x < nx - 1 ? x + 1 : x, y);
            double north = face(x, y, x, y < ny - 1 ? y + 1 : y);
            if (y > 0) { m.colIdx.push_back(me - nx); m.values.push_back(-south); }
            if (x > 0) { m.colIdx.push_back(me - 1); m.values.push_back(-west); }
            m.colIdx.push_back(me); m.values.push_back(south + west + east + north);
            if (x < nx - 1) { m.colIdx.push_back(me + 1); m.values.push_back(-east); }
            if (y < ny - 1) { m.colIdx.push_back(me + nx); m.values.push_back(-north); }
            m.rowPtr.push_back((int)m.colIdx.size());
        }
    }
    return m;
}

#endif
