// The entry of a source without main(): such a program only replays, which the core does before main is reached.
#include <cstdio>

__attribute__((weak)) int main() {
  fputs("this program has no main function of its own; it can only replay recorded launches\n", stderr);
  return 3;
}
