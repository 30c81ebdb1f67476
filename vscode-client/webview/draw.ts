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

/** PNG, base64, of a page that is as wide as `.drawn` says. */
export async function drawPng(title: string, content: HTMLElement): Promise<string> {
  const page = document.createElement("div");
  page.className = `${document.body.className} drawn`;
  const heading = document.createElement("h1");
  heading.textContent = title;
  page.append(heading, content);
  document.body.append(page); // out of sight, to be measured
  const [width, height] = [page.scrollWidth, page.scrollHeight];
  page.remove();
  const scale = Math.min(SHARPNESS, LONGEST_SIDE_PX / Math.max(width, height));
  const image = await loaded(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing(page, width, height))}`);
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(width * scale);
  canvas.height = Math.floor(height * scale);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this window cannot draw a picture");
  context.scale(scale, scale);
  context.drawImage(image, 0, 0);
  return canvas.toDataURL("image/png").replace(/^data:image\/png;base64,/, "");
}

function drawing(page: HTMLElement, width: number, height: number): string {
  const style = document.createElement("style");
  const fonts = getComputedStyle(document.body);
  const theme = `${themeRules()};font-size:${fonts.fontSize};font-family:${fonts.fontFamily}`;
  style.textContent = `${styleText().replaceAll(":root", ".drawn")}\n.drawn{${theme};left:0;width:${width}px}`;
  page.prepend(style);
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
