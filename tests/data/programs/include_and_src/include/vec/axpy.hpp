#ifndef VEC_AXPY_HPP_INCLUDED
#define VEC_AXPY_HPP_INCLUDED

#include <vec/config.hpp>

namespace vec {
/// y += a * x
void axpy(real a, real const *x, real *y, int n);
}

#endif
