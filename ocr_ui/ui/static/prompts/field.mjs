// Parts of the library's forms.
import { make } from "../page/dom.mjs";

let made = 0;

/** A field with its label above and a hint below; the label names it. */
export function labelled(title, field, help = "") {
  field.id ||= `library-field-${(made += 1)}`;
  const hint = help && make("small", { id: `${field.id}-help`, textContent: help });
  if (hint) field.setAttribute("aria-describedby", hint.id);
  return make("div", { class: "wb-field" }, make("label", { for: field.id, textContent: title }), field, hint || null);
}

export function ticked(title, value, onchange) {
  const box = make("input", { type: "checkbox", onchange: () => onchange(box.checked) });
  box.checked = value;
  return make("label", { class: "wb-check" }, box, make("span", { textContent: title }));
}

export const line = (value, oninput, attributes = {}) =>
  make("input", { type: "text", class: "wb-input", dir: "auto", value, oninput: (event) => oninput(event.target.value), ...attributes });

export const area = (value, oninput, attributes = {}) =>
  make("textarea", { class: "wb-input wb-library-area", dir: "auto", rows: "2", value, oninput: (event) => oninput(event.target.value), ...attributes });

export const fold = (title, attributes, ...inside) =>
  make("details", { class: "wb-fold", ...attributes }, make("summary", { textContent: title }), ...inside);

export const button = (text, onclick, attributes = {}) => make("button", { type: "button", class: "wb-turn", textContent: text, onclick, ...attributes });

/** A difference as it reads: what is gone struck through, what came underlined. */
export const difference = (parts) =>
  make("p", { class: "wb-library-diff", dir: "auto" }, ...parts.map(({ kind, text }) => make({ same: "span", removed: "del", added: "ins" }[kind], { textContent: text })));
