/** Talking to the server. Every failure becomes a Failure with the words to show; nothing else is thrown. */

import { accountHeader } from "../page/own.mjs";
import { personOf } from "../page/person.mjs";

const TIMEOUT_MS = 30_000;
/** For what goes through all pages one by one. */
export const LONG_MS = 600_000;

/** `code` "unreachable" means that no answer came: trying again makes sense. */
export class Failure extends Error {
  constructor({ code = "unknown", message = "", hint = "", details = {} } = {}, status = 0) {
    super(message || code);
    Object.assign(this, { code, hint, details, status });
  }

  get passes() {
    return this.code === "unreachable" || [502, 503, 504].includes(this.status);
  }
}

/** What went wrong and what can be done about it; `unreachable` in place of the usual words where no answer came. */
export const explained = (problem, unreachable = "") =>
  (problem?.code === "unreachable" && unreachable) || [problem?.message, problem?.hint].filter(Boolean).join(" ");

/** The failure in an answer's body ({"error": {...}}), or one that names the status. */
export function failureFrom(status, body) {
  return new Failure(body?.error ?? { code: `http_${status}` }, status);
}

/** The values of a body in JSON Lines: those that came together, as they come. */
async function* stepsOf(body) {
  let rest = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const rows = (rest + part).split("\n");
    rest = rows.pop();
    if (rows.length) yield rows.map((row) => JSON.parse(row));
  }
}

export class Api {
  /** @param {string} parts.unreachable what is told where no answer comes */
  constructor({ lang = () => "en", unreachable = "", fetch = (...args) => globalThis.fetch(...args) } = {}) {
    Object.assign(this, { lang, unreachable, fetch });
  }

  get headers() {
    return { "X-Workbench-Lang": this.lang(), ...accountHeader };
  }

  get(path, { timeout = TIMEOUT_MS } = {}) {
    return this.#send(path, { method: "GET", headers: this.headers }, timeout);
  }

  post(path, data, { timeout = TIMEOUT_MS } = {}) {
    const headers = { ...this.headers, "Content-Type": "application/json" };
    return this.#send(path, { method: "POST", headers, body: JSON.stringify(data) }, timeout);
  }

  delete(path) {
    return this.#send(path, { method: "DELETE", headers: this.headers });
  }

  patch(path, data) {
    const headers = { ...this.headers, "Content-Type": "application/json" };
    return this.#send(path, { method: "PATCH", headers, body: JSON.stringify(data) });
  }

  async #send(path, options, timeout = TIMEOUT_MS) {
    let response;
    try {
      response = await this.fetch(path, { ...options, signal: AbortSignal.timeout(timeout) });
    } catch (error) {
      throw this.#lost(error);
    }
    if (response.status === 204) return {};
    const body = await response.json().catch(() => null);
    if (!response.ok) throw failureFrom(response.status, body);
    if (body === null) throw new Failure({ code: "bad_answer" }, response.status);
    return body;
  }

  #lost(error) {
    return new Failure({ code: "unreachable", message: this.unreachable, details: { reason: String(error) } });
  }

  /**
   * Sends a question that is answered in JSON Lines; gives what came together, as it comes.
   * @param {AbortSignal} signal ends it: the server stops its work then
   */
  async *steps(path, data, signal) {
    const headers = { ...this.headers, "Content-Type": "application/json" };
    try {
      const response = await this.fetch(path, { method: "POST", headers, body: JSON.stringify(data), signal });
      if (!response.ok) throw failureFrom(response.status, await response.json().catch(() => null));
      yield* stepsOf(response.body);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw signal.aborted ? new Failure({ code: "aborted", details: { reason: String(error) } }) : this.#lost(error);
    }
  }

  /** As `steps`; `onstep` gets each but the last, which is the outcome. */
  async lines(path, data, onstep, signal) {
    let last = null;
    for await (const came of this.steps(path, data, signal)) {
      for (const step of came) {
        if (last) onstep(last);
        last = step;
      }
    }
    if (last === null) throw new Failure({ code: "bad_answer" });
    if (last.error) throw new Failure(last.error);
    return last;
  }

  /** Sends a file as `send` does. */
  upload(path, file, onProgress) {
    const form = new FormData();
    form.append("file", file, file.name || "picture");
    form.append("person", personOf());
    return this.send(path, form, onProgress);
  }

  /** Sends a form with progress (0..1), which `fetch` cannot tell. */
  send(path, form, onProgress = () => {}) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", path);
      request.responseType = "json";
      for (const [name, value] of Object.entries(this.headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
      request.onload = () =>
        request.status < 300 && request.response
          ? resolve(request.response)
          : reject(failureFrom(request.status, request.response));
      request.onerror = () => reject(this.#lost("no answer"));
      request.send(form);
    });
  }
}
