#pragma once
// Inclusive scan of one block. Definitions are in scan.cuh: slow to compile, so they are instantiated once, in scan_inst.cu
template <typename T> void inclusive_scan(const T *in, T *out, int n);
extern template void inclusive_scan<int>(const int *, int *, int);

template <class T> struct Plan {
    Plan(int n);
    void run(const T *in, T *out) const;
    int n;
};
