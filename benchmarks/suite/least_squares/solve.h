#pragma once

// Solves the 4x4 system a * c = b by Gaussian elimination with pivoting; overwrites a and b.
void solve4(double a[4][4], double b[4], double c[4]);
