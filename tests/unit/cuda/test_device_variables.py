"""Variables in device memory are found however they are declared."""

from __future__ import annotations

from assistant.cuda.device_variables import device_variable_types


def test_several_in_one_declaration_templates_and_pointers() -> None:
    text = """
    static __device__ volatile unsigned
        counter /* of blocks */ = 0, others[2];
    __constant__ __align__(16) const Pair<int, 2> table[4]{};
    namespace ns { extern __constant__ std::uint32_t lut[]; }
    __device__ float *where;
    #if 1
    __managed__ int shared;
    #endif
    """
    assert device_variable_types(text) == {
        "counter": "unsigned",
        "others": "unsigned",
        "table": "Pair<int, 2>",
        "lut": "std::uint32_t",
        "where": "float *",
        "shared": "int",
    }


def test_functions_strings_and_comments_are_no_variables() -> None:
    text = 'const char *s = "__device__ int a;"; // __device__ int b;\n__device__ float f(float x);\nint host;'
    assert device_variable_types(text) == {}
