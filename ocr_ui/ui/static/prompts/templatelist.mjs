// A list of templates to choose from, kept as it is where they are the same.
import { make } from "../page/dom.mjs";

/** Fills a select with the templates that there are; `first` are options before them as [value, text]. */
export async function fillTemplates(select, api, language, first = []) {
  const { templates } = await api.get("/v1/templates");
  const pairs = [...first, ...templates.map(({ name, title }) => [name, title[language] ?? title.en ?? name])];
  const kept = select.value;
  const told = JSON.stringify(pairs);
  if (select.dataset.filled === told) return;
  select.dataset.filled = told;
  select.replaceChildren(...pairs.map(([value, textContent]) => make("option", { value, textContent })));
  if (pairs.some(([value]) => value === kept)) select.value = kept;
}
