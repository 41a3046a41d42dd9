/** A question with buttons, asked in a dialog. */

import { h } from "./dom.mjs";

/** Resolves to the value of the button pressed, or null on Escape. `choices` is [[value, words, primary?], ...]. */
export function ask(host, words, choices) {
  return new Promise((resolve) => {
    const buttons = choices.map(([value, label, primary]) =>
      h("button", { type: "button", class: primary ? "vw-button primary" : "vw-button", value }, label),
    );
    const dialog = h("dialog", { class: "vw-dialog" }, h("p", {}, words), h("div", { class: "vw-group end" }, buttons));
    for (const button of buttons) button.addEventListener("click", () => dialog.close(button.value));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    host.append(dialog);
    dialog.showModal();
  });
}
