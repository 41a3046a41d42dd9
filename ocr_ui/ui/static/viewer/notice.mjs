/** Short messages over the top of the viewer, which move nothing: what went wrong or was done, and what can be done. */

import { h, icon, named } from "./dom.mjs";

const FLASH_MS = 2500;

export class Notices {
  constructor({ t }) {
    this.t = t;
    this.element = h("div", { class: "vw-notices", role: "status" });
  }

  /**
   * `kind` good, bad or plain; `buttons` is [[words, action], ...]. One notice a `topic`: a newer one replaces it.
   * A `lasting` one stays when another page is shown.
   */
  show({ topic, kind = "plain", words, hint = "", buttons = [], lasting = false }) {
    this.hide(topic);
    const close = () => notice.remove();
    const notice = h(
      "div",
      { class: `vw-notice ${kind}`, "data-topic": topic, "data-lasting": lasting || null, role: kind === "bad" ? "alert" : null },
      kind === "bad" && icon("warning"),
      h("span", { dir: "auto" }, words, hint && h("span", { class: "vw-hint" }, ` ${hint}`)),
      buttons.map(([label, action]) =>
        h("button", { type: "button", class: "vw-link", onclick: () => (close(), action()) }, label),
      ),
      named(h("button", { type: "button", class: "vw-tool small", onclick: close }, icon("cross")), "close", {
        attribute: "title",
      }),
    );
    notice.lastChild.title = this.t("close");
    notice.lastChild.setAttribute("aria-label", this.t("close"));
    this.element.append(notice);
    return notice;
  }

  /** A message that goes by itself. */
  flash(topic, words, kind = "plain") {
    const notice = this.show({ topic, kind, words });
    setTimeout(() => notice.remove(), FLASH_MS);
  }

  /** `about` is what it failed for, the name of a file say. */
  showFailure(topic, failure, about = "") {
    const words = failureText(this.t, failure);
    this.show({ topic, kind: "bad", words: about ? `${about}: ${words}` : words, hint: failure.hint });
  }

  hide(topic) {
    this.element.querySelector(`[data-topic="${topic}"]`)?.remove();
  }

  clear() {
    this.element.replaceChildren(...this.element.querySelectorAll("[data-lasting]"));
  }
}

/** A failure in words: the server's own, else ours for its code. */
export function failureText(t, failure) {
  if (failure.message && failure.message !== failure.code) return failure.message;
  const key = `fail_${failure.code}`;
  const words = t(key);
  return words === key ? t("fail_unknown", { code: failure.code }) : words;
}
