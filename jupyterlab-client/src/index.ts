// The extension of JupyterLab and Notebook 7: registers its parts, and holds no product logic.
import { cellLanguage } from "./cell-language.ts";
import { endedPanels } from "./ended.ts";
import { cudaCells } from "./extractor.ts";
import { cudaFiles } from "./files.ts";
import { historyPage } from "./history/plugin.ts";
import { panelKeys } from "./keys.ts";
import { cellReplacement } from "./replacement.ts";

export default [cudaFiles, cellLanguage, cudaCells, cellReplacement, historyPage, panelKeys, endedPanels];
