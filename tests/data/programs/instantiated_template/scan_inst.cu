// explicit instantiations, keep in step with scan.h
#include "scan.cuh"

#define INSTANTIATE(T) template void inclusive_scan<T>(const T *, T *, int); template struct Plan<T>;

template void inclusive_scan<int>(const int *, int *, int);
template void inclusive_scan<double>(const double *, double *, int);
template struct Plan<int>;
INSTANTIATE(float)
