#include <cstdlib>
#include <cuda_runtime.h>
#include "vec.h"

int count_from(int argc, char **argv) { return argc > 1 ? atoi(argv[1]) : 4 * BLOCK; }
