#ifndef OPS_H
#define OPS_H
// public interface of libops. Device pointers everywhere.
namespace ops {
void saxpy(int n, float a, const float* x, float* y);
float dot(int n, const float* x, const float* y);
namespace detail { void set_threads(int t); }
}
#endif
