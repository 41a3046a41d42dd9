// All that is known of an engine, in sentences.
import { memoryText } from "./amounts.mjs";
import { say } from "./dom.mjs";

/** One string a paragraph; `state` is what the header says already. */
export function aboutEngine(engine, state, words, locale) {
  const memory = engine.memory && memoryText(engine.memory, words, locale);
  const kind = engine.kind && engine.kind !== engine.name && say(words, "engine.kind", { kind: engine.kind });
  return [state, kind, engine.message, memory, ...draftsText(engine.drafts, words, locale)].filter(Boolean);
}

function draftsText(drafts, words, locale) {
  if (!drafts) return [];
  const { on, reason, loads } = drafts;
  const why = reason && say(words, `engine.drafts.why.${reason.code}`, reason.values);
  return [[words[`engine.drafts.${on ? "on" : "off"}`], why].filter(Boolean).join(" · "), ...loads.map(loadText)];

  function loadText({ pages, tokens, saved }) {
    const load = say(words, pages === 1 ? "engine.drafts.one" : "engine.drafts.many", { n: pages });
    const parts = [];
    if (tokens !== null) parts.push(say(words, "engine.drafts.tokens", { tokens: number(tokens) }));
    if (saved !== null) parts.push(say(words, `engine.drafts.${saved >= 0 ? "saves" : "costs"}`, { share: share(saved) }));
    return `${load}: ${parts.join(words["engine.comma"])}`;
  }

  function number(value) {
    return value.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  }

  function share(value) {
    return Math.abs(value).toLocaleString(locale, { style: "percent" });
  }
}
