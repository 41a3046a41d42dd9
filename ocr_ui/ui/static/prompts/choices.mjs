// The choices of a variable: a row each, with what is sent for it and what it is called in both languages.
import { make } from "../page/dom.mjs";
import { area, button, line } from "./field.mjs";
import { pastedValues } from "./wording.mjs";

const newChoice = (value = "") => ({ value, label: {}, text: null });

/** Changes `variable.options` in place; `changed()` after each change. */
export function choicesForm({ t, variable, changed }) {
  const { options } = variable;
  const rows = make("div", { class: "wb-library-choice-rows" });
  const begin = (place, made, focus) => {
    options.splice(place, 0, ...made);
    draw();
    rows.querySelectorAll('[data-part="value"]')[focus]?.focus();
    changed();
  };
  const add = button(t("library.choice.add"), () => begin(options.length, [newChoice()], options.length), { "data-act": "add-choice" });
  const row = (one, place) => {
    const named = (part) => ({ "aria-label": t("library.choice.of", { what: t(`library.choice.${part}`), n: place + 1 }), "data-part": part });
    const set = (write) => (value) => (write(value), changed());
    const label = (language) => line(one.label[language] ?? "", set((value) => (one.label[language] = value)), named(`label.${language}`));
    const value = line(one.value, set((typed) => (one.value = typed)), named("value"));
    value.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      begin(place + 1, [newChoice()], place + 1);
    });
    value.addEventListener("paste", (event) => {
      const values = pastedValues(event.clipboardData.getData("text"));
      if (values.length < 2) return;
      event.preventDefault();
      one.value += values[0];
      begin(place + 1, values.slice(1).map(newChoice), place + values.length - 1);
    });
    const sent = area(one.text ?? "", set((typed) => (one.text = typed || null)), { ...named("text"), rows: "1" });
    const remove = button("×", () => {
      options.splice(place, 1);
      draw();
      (rows.querySelectorAll('[data-part="value"]')[Math.min(place, options.length - 1)] ?? add).focus();
      changed();
    }, { "aria-label": t("library.choice.remove", { n: place + 1 }), title: t("library.choice.remove", { n: place + 1 }) });
    return [value, sent, label("en"), label("zh"), remove];
  };
  const draw = () => {
    const heads = ["value", "text", "label.en", "label.zh"].map((part) => make("small", { "aria-hidden": "true", textContent: t(`library.choice.${part}`) }));
    rows.replaceChildren(...(options.length ? [...heads, make("span"), ...options.flatMap(row)] : []));
    none.hidden = options.length > 0;
  };
  const none = make("p", { class: "wb-library-quiet", textContent: t("library.choice.none") });
  draw();
  const title = t("library.variable.choices");
  return make("div", { class: "wb-library-choices", role: "group", "aria-label": title }, make("strong", { textContent: title }), none, rows, add);
}
