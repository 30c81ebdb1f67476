// The language of a CUDA cell: C++, but for the magic's line on top, whose `//` divides and begins no comment.
import { defineLanguageFacet, Language, LanguageSupport, languageDataProp } from "@codemirror/language";
import { type Input, NodeSet, NodeType, Parser, type PartialParse, parseMixed, Tree, type TreeFragment } from "@lezer/common";
import { cudaPart } from "./cuda-cells.ts";

type Ranges = readonly { from: number; to: number }[];

const FACET = defineLanguageFacet();
const NODES = new NodeSet([
  NodeType.define({ id: 0, name: "Cell", top: true, props: [[languageDataProp, FACET]] }),
  NodeType.define({ id: 1, name: "MagicLine" }),
  NodeType.define({ id: 2, name: "Body" }),
]);
const [CELL, MAGIC_LINE, BODY] = NODES.types as [NodeType, NodeType, NodeType];

// C++ for texts that may begin with a magic's line; without one they are parsed as C++ alone.
export function withMagicLine(cpp: LanguageSupport): LanguageSupport {
  return new LanguageSupport(new Language(FACET, new CellParser(cpp.language.parser), [], "cuda"), cpp.support);
}

class CellParser extends Parser {
  readonly #cpp: Parser;
  readonly #withBody;

  constructor(cpp: Parser) {
    super();
    this.#cpp = cpp;
    this.#withBody = parseMixed((node) => (node.type === BODY ? { parser: cpp } : null));
  }

  override createParse(input: Input, fragments: readonly TreeFragment[], ranges: Ranges): PartialParse {
    const part = cudaPart(input.read(0, input.length));
    if (part === undefined) return this.#cpp.createParse(input, fragments, ranges);
    return this.#withBody(new Parts(input.length, input.length - part.code.length), input, fragments, ranges);
  }
}

// Where the magic's line ends and the C++ begins, which one look at the cell tells.
class Parts implements PartialParse {
  stoppedAt: number | null = null;
  readonly parsedPos: number;
  readonly #head: number;

  constructor(length: number, head: number) {
    this.parsedPos = length;
    this.#head = head;
  }

  advance(): Tree {
    const body = this.parsedPos - this.#head;
    const parts = [new Tree(MAGIC_LINE, [], [], this.#head), ...(body > 0 ? [new Tree(BODY, [], [], body)] : [])];
    return new Tree(CELL, parts, [0, this.#head].slice(0, parts.length), this.parsedPos);
  }

  stopAt(position: number): void {
    this.stoppedAt = position;
  }
}
