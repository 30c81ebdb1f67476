#include "solve.h"

#include <cmath>
#include <utility>

void solve4(double a[4][4], double b[4], double c[4])
{
    for (int col = 0; col < 4; ++col) {
        int pivot = col;
        for (int row = col + 1; row < 4; ++row)
            if (std::fabs(a[row][col]) > std::fabs(a[pivot][col]))
                pivot = row;
        std::swap(b[col], b[pivot]);
        for (int k = 0; k < 4; ++k)
            std::swap(a[col][k], a[pivot][k]);

        for (int row = col + 1; row < 4; ++row) {
            double factor = a[row][col] / a[col][col];
            for (int k = col; k < 4; ++k)
                a[row][k] -= factor * a[col][k];
            b[row] -= factor * b[col];
        }
    }
    for (int row = 3; row >= 0; --row) {
        double rest = b[row];
        for (int k = row + 1; k < 4; ++k)
            rest -= a[row][k] * c[k];
        c[row] = rest / a[row][row];
    }
}
