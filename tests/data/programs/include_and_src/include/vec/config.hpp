#ifndef VEC_CONFIG_HPP_INCLUDED
#define VEC_CONFIG_HPP_INCLUDED
#ifndef VEC_REAL
#define VEC_REAL double
#endif
namespace vec { typedef VEC_REAL real; enum { threads = 96 }; }
#endif
