#include <stdio.h>
#include <stdlib.h>
#include "wrap.h"
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 4096, class = 3;
  float *new = malloc(n * sizeof *new);      /* C, and no C++ */
  for (int i = 0; i < n; i++) new[i] = i % 7;
  struct job job = { .data = new, .n = n };
  if (run_job(&job) != 0) { fprintf(stderr, "failed\n"); return 1; }
  printf("%g %d\n", new[class], helper(n));
  free(new);
  return 0;
}
