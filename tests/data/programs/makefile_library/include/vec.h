#ifndef VEC_H
#define VEC_H
#ifndef BLOCK
#error "BLOCK comes from the Makefile"
#endif
#define DECLARE(op) void run_##op(const float *in, float *out, int n)
DECLARE(square);
float reduce(const float *v, int n);
int count_from(int argc, char **argv);
#endif
