/** The one comment of a hunk's thread: its lines, code where there is some, and links. */

import * as vscode from "vscode";

import { literal } from "../plain.ts";
import { type Choice, numbered } from "./choice.ts";
import type { ThreadText } from "./thread_text.ts";

/** Lines of code, and what stands above them. */
export interface Code {
  readonly title: string;
  readonly language: string;
  readonly lines: readonly string[];
}

/** What the comment's author is called also stands in VS Code's list of comments, which shows no label. */
export function comment(choice: Choice, hunk: string, { lines, actions }: ThreadText, code?: Code): vscode.Comment {
  const links = actions.map(({ title, command, argument }) => `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([argument]))})`);
  const body = new vscode.MarkdownString();
  for (const line of lines) body.appendMarkdown(`${literal(line)}  \n`); // appendText's blanks never wrap
  body.appendMarkdown(links.join(" · ")); // above the code, which may be longer than the thread is high
  if (code !== undefined) body.appendMarkdown(`\n\n${literal(code.title)}\n`);
  if (code !== undefined && code.lines.length > 0) body.appendCodeblock(code.lines.join("\n"), code.language);
  body.isTrusted = { enabledCommands: actions.map(({ command }) => command) };
  return { body, mode: vscode.CommentMode.Preview, author: { name: numbered(choice.hunks, hunk) } };
}
