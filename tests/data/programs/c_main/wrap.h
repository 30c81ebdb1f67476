#ifndef WRAP_H
#define WRAP_H
#ifdef __cplusplus
extern "C" {
#endif
struct job { float *data; int n; };
int run_job(struct job *job);
int helper(int n);
#ifdef __cplusplus
}
#endif
#endif
