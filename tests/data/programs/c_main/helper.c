#include "wrap.h"
int helper(int n) { int *this = &n; return *this * 2; }
