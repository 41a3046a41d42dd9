/** How a picture comes in: dropped, chosen, pasted or photographed. The server makes it upright and tells its page. */

import { h, icon, named, takesText, wordButton } from "./dom.mjs";
import { takePhoto } from "./photo.mjs";

const ACCEPT = "image/*,.heic,.heif,.avif,.tif,.tiff,application/pdf,.pdf";
const PROGRESS_AFTER_MS = 600;

export class Door {
  /**
   * @param {object} parts root (takes drops), api, notices, t
   * @param {() => Promise<boolean>} parts.mayReplace asks before a picture with unsaved edits goes
   * @param {(answer: object) => void} parts.onpage gets the server's answer
   * @param {boolean} parts.open takes drops and pastes
   */
  constructor({ root, api, notices, t, mayReplace, onpage, open, signal }) {
    Object.assign(this, { root, api, notices, t, mayReplace, onpage });
    this.busy = false;
    this.file = this.#fileInput({ accept: ACCEPT });
    this.capture = this.#fileInput({ accept: "image/*", capture: "environment" });
    this.progress = h("progress", { class: "vw-upload", max: "1", hidden: true, "data-title": "uploading" });
    this.element = this.#zone();
    this.cover = h("div", { class: "vw-cover", "aria-hidden": "true" }, named(h("span"), "drop_here"));
    if (open) this.#listen(signal);
  }

  #fileInput(attributes) {
    const input = h("input", {
      type: "file",
      class: "vw-offscreen",
      tabindex: "-1",
      "aria-hidden": "true",
      ...attributes,
    });
    input.addEventListener("change", () => {
      if (input.files[0]) this.take(input.files[0]);
      input.value = "";
    });
    return input;
  }

  #zone() {
    const choose = wordButton("choose_file", () => this.choose(), { class: "vw-button primary" });
    const photo = wordButton("take_photo", () => this.photograph());
    return h(
      "div",
      { class: "vw-door" },
      icon("picture"),
      named(h("p", { class: "vw-door-title" }), "door_title"),
      named(h("p", { class: "vw-subdued" }), "door_kinds"),
      h("div", { class: "vw-group" }, choose, photo),
    );
  }

  get parts() {
    return [this.file, this.capture];
  }

  #listen(signal) {
    const on = (target, name, handler) => target.addEventListener(name, handler, { signal });
    let depth = 0;
    const show = (delta) => {
      depth = Math.max(0, depth + delta);
      this.root.classList.toggle("dropping", depth > 0);
    };
    on(this.root, "dragenter", (event) => hasFiles(event) && (event.preventDefault(), show(1)));
    on(this.root, "dragleave", (event) => hasFiles(event) && show(-1));
    on(this.root, "dragover", (event) => hasFiles(event) && event.preventDefault());
    on(this.root, "drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      show(-depth);
      this.take(event.dataTransfer.files[0]);
    });
    on(document, "paste", (event) => this.#pasted(event));
  }

  #pasted(event) {
    const file = pastedPicture(event.clipboardData, takesText(event.target));
    if (!file || !this.root.offsetParent || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.take(file);
  }

  choose() {
    this.file.click();
  }

  async photograph() {
    if (!navigator.mediaDevices?.getUserMedia || matchMedia("(pointer: coarse)").matches) return this.capture.click();
    const file = await takePhoto({ host: this.root, t: this.t, notices: this.notices });
    if (file) this.take(file);
  }

  async take(file) {
    if (this.busy || !(await this.mayReplace())) return;
    this.notices.hide("door");
    const upload = () => this.api.upload("/v1/pictures", file, (share) => (this.progress.value = share));
    await this.#busily(upload, file.name);
  }

  /** Turns the page by quarter turns clockwise. */
  async rotate(sha256, turns) {
    if (this.busy || !(await this.mayReplace())) return;
    const turn = async () => ({ ...(await this.api.post(`/v1/pages/${sha256}/rotate`, { turns })), turned: true });
    await this.#busily(turn);
  }

  /** Opens another page of the document that the page `beside` (its id) is of, with what was read on it before. */
  async openPage(sha256, number, beside) {
    if (this.busy || !(await this.mayReplace())) return;
    await this.#busily(async () => {
      const answer = await this.api.post(`/v1/documents/${sha256}/pages/${number}`, { page: beside });
      return answer.item ? { ...answer, value: await this.api.get(`/v1/items/${answer.item}`) } : answer;
    });
  }

  /** `name` is that of a file which a failure is about: the picture on the screen is another one. */
  async #busily(work, name = "") {
    this.busy = true;
    this.progress.removeAttribute("value");
    const timer = setTimeout(() => (this.progress.hidden = false), PROGRESS_AFTER_MS);
    try {
      this.onpage(await work());
    } catch (failure) {
      this.notices.showFailure("door", failure, name);
    } finally {
      clearTimeout(timer);
      this.progress.hidden = true;
      this.busy = false;
    }
  }
}

const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

/**
 * The picture that a paste brings, or null. Into a text field, text goes first: office programs put a picture of the
 * text beside it.
 */
export function pastedPicture(clipboard, intoText) {
  const items = [...(clipboard?.items ?? [])];
  if (intoText && items.some((item) => item.kind === "string")) return null;
  const item = items.find((entry) => entry.kind === "file" && /^image\/|pdf$/.test(entry.type));
  return item?.getAsFile() ?? null;
}
