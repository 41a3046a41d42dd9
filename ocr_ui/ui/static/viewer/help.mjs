/** The help sheet: made from the table of keys. */

import { h, named } from "./dom.mjs";
import { GROUPS, KEYS, keyNames } from "./keys.mjs";

/** @param {object[]} keys rows of the tables of keys that work where the sheet is opened */
export function makeHelp(t, keys = KEYS) {
  const groups = GROUPS.filter((group) => keys.some((row) => row.group === group));
  const body = h("div", { class: "vw-help-body" });
  const close = named(h("button", { type: "button", class: "vw-button" }), "close");
  const title = named(h("h2"), "help_title");
  const head = h("div", { class: "vw-help-head" }, title, close);
  const dialog = h("dialog", { class: "vw-dialog vw-help", "data-title": "help_title" }, head, body);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return {
    element: dialog,
    open() {
      body.replaceChildren(...groups.map((group) => section(group, keys, t)));
      dialog.showModal();
    },
  };
}

function section(group, keys, t) {
  const rows = keys.filter((row) => row.group === group).map((row) =>
    h("div", { class: "vw-help-row" }, h("dt", {}, alternatives(row.keys, t)), h("dd", {}, t(`act_${row.action}`))),
  );
  return h("section", {}, h("h3", {}, t(`group_${group}`)), h("dl", {}, rows));
}

function alternatives(keys, t) {
  const chords = keys.map((key) => keyNames(key).map((name) => h("kbd", {}, name)));
  return chords.flatMap((chord, index) => (index ? [` ${t("or")} `, ...chord] : chord));
}
