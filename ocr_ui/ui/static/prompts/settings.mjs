// The forms of a template beside its wording: variables, sampling, and what people read of it.
import { make } from "../page/dom.mjs";
import { choicesForm } from "./choices.mjs";
import { area, button, labelled, line, ticked } from "./field.mjs";

const LANGUAGES = ["en", "zh"];

export const newVariable = (name) => ({ name, label: {}, default: null, many: false, options: [] });

/** The variables of `draft`; `changed()` after each change of them. */
export function variableForms({ t, draft, changed, redraw }) {
  const forms = draft.variables.map((variable) => {
    const set = (key) => (value) => ((variable[key] = value), changed());
    const label = (language) =>
      labelled(t(`library.variable.label.${language}`), line(variable.label[language] ?? "", (value) => ((variable.label[language] = value), changed())));
    const preset = line(variable.default ?? "", (value) => set("default")(value || null));
    const remove = button(t("library.variable.remove", { name: variable.name }), () => {
      draft.variables.splice(draft.variables.indexOf(variable), 1);
      changed();
      redraw();
    });
    return make(
      "fieldset",
      { class: "wb-library-variable" },
      make("legend", {}, make("code", { textContent: `{{${variable.name}}}` })),
      ...LANGUAGES.map(label),
      labelled(t("library.variable.default"), preset, t("library.variable.default.help")),
      ticked(t("library.variable.many"), variable.many, set("many")),
      choicesForm({ t, variable, changed }),
      remove,
    );
  });
  return forms.length ? forms : [make("p", { class: "wb-library-quiet", textContent: t("library.variables.none") })];
}

/** Numbers that the engine samples with; empty is what the engine does by itself. */
export function samplingForm({ t, draft, limits, changed }) {
  const fields = Object.entries(limits).map(([key, { least, most, whole }]) => {
    const field = make("input", { type: "number", class: "wb-input", min: least, max: most, step: whole ? 1 : "any", value: draft.sampling[key] ?? "", "data-setting": key });
    field.addEventListener("input", () => {
      if (field.value === "" && !field.validity.badInput) delete draft.sampling[key];
      else draft.sampling[key] = field.validity.badInput ? null : Number(field.value);
      field.setAttribute("aria-invalid", String(!isFit(draft.sampling[key], limits[key])));
      changed();
    });
    return labelled(key, field, `${t(`library.sampling.${key}`)} ${t("library.sampling.range", { least, most })}`);
  });
  return make("div", { class: "wb-fields" }, ...fields);
}

/** Is it a number that the setting takes, or nothing? */
export const isFit = (value, { least, most, whole }) =>
  value === undefined || (typeof value === "number" && value >= least && value <= most && (!whole || Number.isInteger(value)));

/** What people read of a template: titles and descriptions in both languages, tags. Of one of the product the tags. */
export function aboutForm({ t, draft, builtin, changed }) {
  const words = (key, make, language) =>
    labelled(t(`library.${key}.${language}`), make(draft[key][language] ?? "", (value) => ((draft[key][language] = value), changed()), builtin ? { readonly: true } : {}));
  const tags = line(draft.tags.join(", "), (value) => {
    draft.tags = [...new Set(value.split(/[,，、;；]/).map((tag) => tag.trim()).filter(Boolean))];
    changed();
  });
  return make(
    "div",
    { class: "wb-library-about-form" },
    ...LANGUAGES.map((language) => words("title", line, language)),
    ...LANGUAGES.map((language) => words("description", area, language)),
    labelled(t("library.tags"), tags, t("library.tags.help")),
  );
}
