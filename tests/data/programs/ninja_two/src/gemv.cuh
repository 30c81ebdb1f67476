#pragma once
// y = A x, rows of A one after another
void gemv(const float *a, const float *x, float *y, int rows, int columns);
