/** The panel as a picture: its markup and style inside an SVG, painted on a canvas. Nothing leaves the webview. */

/** Chromium draws no canvas with a longer side. */
const LONGEST_SIDE_PX = 16_000;
const SHARPNESS = 2;
const PREFIX = "--vscode-";

/** The theme's colours and fonts, as declarations of custom properties; those that are used. */
export function themeRules(): string {
  const style = getComputedStyle(document.documentElement);
  const names = new Set([...styleText().matchAll(/var\((--vscode-[\w-]+)/g)].map((match) => match[1] ?? ""));
  return [...names]
    .filter((name) => name.startsWith(PREFIX) && style.getPropertyValue(name) !== "")
    .map((name) => `${name}:${style.getPropertyValue(name).trim()}`)
    .join(";");
}

/** PNG, base64. */
export async function drawPng(content: HTMLElement, like: HTMLElement): Promise<string> {
  const width = Math.ceil(like.clientWidth);
  const height = Math.ceil(like.scrollHeight);
  const scale = Math.min(SHARPNESS, LONGEST_SIDE_PX / Math.max(width, height));
  const image = await loaded(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing(content, like, width, height))}`);
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(width * scale);
  canvas.height = Math.floor(height * scale);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this window cannot draw a picture");
  context.scale(scale, scale);
  context.drawImage(image, 0, 0);
  return canvas.toDataURL("image/png").replace(/^data:image\/png;base64,/, "");
}

function drawing(content: HTMLElement, like: HTMLElement, width: number, height: number): string {
  const page = document.createElementNS("http://www.w3.org/1999/xhtml", "div");
  page.setAttribute("class", `${like.className} drawn`);
  const style = document.createElement("style");
  style.textContent = styleText().replaceAll(":root", ".drawn").replaceAll("body", ".drawn");
  const theme = document.createElement("style");
  theme.textContent = `.drawn{${themeRules()};font-size:${getComputedStyle(like).fontSize}}`;
  page.append(theme, style, content);
  const inner = new XMLSerializer().serializeToString(page);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${inner}</foreignObject></svg>`;
}

async function loaded(source: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = source;
  await image.decode();
  return image;
}

/** Of our own sheet. */
function styleText(): string {
  const own = [...document.styleSheets].filter((sheet) => sheet.ownerNode instanceof HTMLLinkElement);
  return own.flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join("\n");
}
