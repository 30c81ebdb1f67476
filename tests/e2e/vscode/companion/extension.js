// A chat model that answers from a script: a JSON file `{asked, rules: [{contains, texts}]}` named by the setting `scriptedModel.script`.
// The first rule whose words stand in the request answers with its texts in turn; the last one repeats. What was asked is appended to `asked`.
const { appendFileSync, readFileSync } = require("node:fs");
const vscode = require("vscode");

const PIECE = 200;
const turns = new Map();

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("scripted", {
      provideLanguageModelChatInformation: () => [
        { id: "scripted-1", name: "Scripted One", family: "scripted", version: "1", maxInputTokens: 100000, maxOutputTokens: 8000, capabilities: {} },
      ],
      provideLanguageModelChatResponse: async (_model, messages, _options, progress) => {
        const script = JSON.parse(readFileSync(vscode.workspace.getConfiguration("scriptedModel").get("script"), "utf8"));
        const asked = messages.map(wordsOf).join("\n");
        appendFileSync(script.asked, JSON.stringify(asked) + "\n");
        const rule = script.rules.find(({ contains }) => asked.includes(contains));
        if (rule.quota) throw new Error("429 Too Many Requests: quota exceeded");
        const turn = turns.get(rule.contains) ?? 0;
        turns.set(rule.contains, turn + 1);
        const text = rule.texts[Math.min(turn, rule.texts.length - 1)];
        for (let start = 0; start < text.length; start += PIECE) progress.report(new vscode.LanguageModelTextPart(text.slice(start, start + PIECE)));
      },
      provideTokenCount: async (_model, text) => Math.ceil((typeof text === "string" ? text : wordsOf(text)).length / 4),
    }),
  );
};

function wordsOf(message) {
  return message.content.map((part) => part.value ?? "").join("");
}
