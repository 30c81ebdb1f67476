"""計算 😀: one word to find in each CUDA text."""

import textwrap

import cupy as cp
from pycuda.compiler import SourceModule

raw = r"""
// 😀😀 計算 \n
	int tab;	int MARK;
"""
kernels = [cp.RawKernel(raw, "k"), "😀", SourceModule('// \u8a08 \x41 😀\n'  # 計
    "\t\N{GREEK SMALL LETTER MU}\\ MARK;\n")]
indented = textwrap.dedent("""\
    // 😀 \
    計算
        int MARK;

    """).strip()
module = cp.RawModule(code=indented); other = cp.RawKernel("😀" + '計' """ "MARK" """, 'k')
last = cp.RawKernel("// 計\
	\\ MARK", "k")
