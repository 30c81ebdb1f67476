#pragma once

// Exclusive prefix sum of n ints on the device. `in` and `out` may not overlap.
void exclusive_scan(const int *in, int *out, int n);
