#include "stencil.cuh"
#include <cstdio>
/*
int main() {
    puts("the first version");
}
*/
// int main() { return 0; }
#if 0
int main(int argc, char **argv) {
    stencil<<<1, 32>>>(0, 0, 0);
}
#endif

const char *usage = "int main() {"
                    "}";
const char *more = R"(
int main() { return 1; }
)";

namespace demo { int main() { return 7; } }

struct App { int main() { return demo::main(); } };

void old_entry() { std::printf("%s%s%d", usage, more, App().main()); }
