// Which lines of a cell are CUDA. Pure; the same rule as `assistant/cuda/embedded/magics.py` (test/cells.json holds both to it).

const MAGIC = /^(?:[ \t]*\n)*%%(?:(?:kernelopt(?![^\n]* --capture(?:[ =\n]|$))(?![^\n]* --op(?:[ =][^\n]*)?(?:\n(?!\s*\/[*/])|$))|cuda|cu)(?: [^\n]*)?|(?:write)?file [^\n]*\.cuh?["']?[ \t]*)(?:\n|$)/;

export interface CudaPart {
  readonly code: string;
  readonly line: number; // of its first line in the cell, from 0
}

// The CUDA text below the magic's line; undefined for every other cell.
export function cudaPart(cell: string): CudaPart | undefined {
  const head = MAGIC.exec(cell)?.[0];
  if (head === undefined) return undefined;
  return { code: cell.slice(head.length), line: head.split("\n").length - 1 };
}
