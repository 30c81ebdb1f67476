import assert from "node:assert/strict";
import { test } from "node:test";

import { isCuda, isCudaHeader, type Looked, wordsOf } from "../src/server/interest.ts";

function document(languageId: string, fileName: string, text = ""): Looked {
  return { languageId, fileName, getText: () => text };
}

test("the server starts for CUDA sources, by language or by name", () => {
  assert.ok(isCuda(document("cuda-cpp", "/w/untitled")));
  assert.ok(isCuda(document("cpp", "/w/kernel.cu")));
  assert.ok(isCuda(document("plaintext", "/w/common.cuh")));
});

test("it starts for Python with CUDA or a PyTorch task in it, and for no other Python", () => {
  assert.ok(isCuda(document("python", "/w/a.py", 'code = "__global__ void k() {}"')));
  assert.ok(isCuda(document("python", "cell", "%%kernelopt\n")));
  assert.ok(isCuda(document("python", "/w/task.py", "def get_inputs():\n    return []\n")));
  assert.ok(isCuda(document("python", "/w/new.py", "class ModelNew(nn.Module):\n    pass\n")));
  assert.ok(!isCuda(document("python", "/w/a.py", "print('cuda')")));
  assert.ok(!isCuda(document("python", "/w/a.py", "class Model(nn.Module):\n    def get_inputs_of(self): ...\n")));
  assert.ok(!isCuda(document("cpp", "/w/a.cpp", "__global__")));
});

test("a C++ header is CUDA by its text", () => {
  for (const name of ["a.h", "a.hpp", "a.inl", "A.HH"]) {
    assert.ok(isCuda(document("cpp", `/w/${name}`, "__device__ float f();")));
    assert.ok(isCudaHeader(document("cpp", `/w/${name}`, "__global__ void k();")));
    assert.ok(!isCuda(document("cpp", `/w/${name}`, "int my__global__s;")));
  }
  assert.ok(!isCudaHeader(document("cuda-cpp", "/w/a.cuh", "__global__ void k();")));
  assert.ok(wordsOf(document("cpp", "/w/a.cpp")) === undefined);
});
