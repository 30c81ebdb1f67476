// What the server extension says, over REST: `jupyter_ext/served.py` is the other end. Token and XSRF are added by Jupyter's own client.
import { URLExt } from "@jupyterlab/coreutils";
import { ServerConnection } from "@jupyterlab/services";
import type { Attempt, Decision, Job, Learned, Proposal, ShownProposal } from "./rows.ts";

const PREFIX = "kernelopt/api/v1";

export interface History {
  readonly attempts: readonly Attempt[];
  readonly decisions: readonly Decision[];
}

export type Verb = "accept" | "reject" | "undo";

export class Api {
  readonly #settings = ServerConnection.makeSettings();

  async jobs(): Promise<readonly Job[]> {
    return (await this.#ask<{ jobs: readonly Job[] }>("jobs")).jobs;
  }

  history(): Promise<History> {
    return this.#ask<History>("history");
  }

  async learned(): Promise<Learned> {
    return (await this.#ask<{ page: Learned }>("memory")).page;
  }

  async proposals(): Promise<readonly Proposal[]> {
    return (await this.#ask<{ proposals: readonly Proposal[] }>("proposals?state=all")).proposals;
  }

  proposal(id: string): Promise<ShownProposal> {
    return this.#ask<ShownProposal>(`proposals/${id}`);
  }

  async decide(id: string, verb: Verb, reason?: { reason_code: string } | { reason: string }): Promise<void> {
    await this.#ask(`proposals/${id}/${verb}`, JSON.stringify(reason ?? {}));
  }

  async cancel(jobId: string): Promise<void> {
    await this.#ask(`jobs/${jobId}/cancel`, "");
  }

  // Says whenever memory changed, from now on; opens the socket again where it breaks off, until `signal` ends it.
  watch(onChange: () => void, signal: AbortSignal): void {
    const { wsUrl, token, appendToken, WebSocket } = this.#settings;
    const address = URLExt.join(wsUrl, PREFIX, "events") + (appendToken && token !== "" ? `?token=${encodeURIComponent(token)}` : "");
    const open = (): void => {
      if (signal.aborted) return;
      const socket = new WebSocket(address);
      const end = (): void => socket.close();
      signal.addEventListener("abort", end);
      socket.onmessage = (message) => {
        if ((JSON.parse(String(message.data)) as { type: string }).type === "changed") onChange();
      };
      socket.onclose = () => {
        signal.removeEventListener("abort", end);
        setTimeout(open, RETRY_MS);
      };
    };
    open();
  }

  async #ask<T>(path: string, body?: string): Promise<T> {
    const url = URLExt.join(this.#settings.baseUrl, PREFIX, path);
    const response = await ServerConnection.makeRequest(url, body === undefined ? {} : { method: "POST", body }, this.#settings);
    const told = (await response.json()) as unknown;
    if (response.ok) return told as T; // our own server's words, of the same version
    const { message, reason } = told as { message?: string; reason?: string | null };
    throw new Error([message ?? response.statusText, reason].filter((words) => words).join(". Try: "));
  }
}

const RETRY_MS = 3000;
