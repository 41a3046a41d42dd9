// The top of the page: name, state of the engines, language.
import { make, parsed, say } from "./dom.mjs";

const LOADING_MS = 1000;
const STEADY_MS = 10000;

export function mount({ element, props }) {
  const words = parsed(props.words, {});
  const { language, languages } = parsed(props.value, { language: "en", languages: {} });
  const engines = make("ul", { class: "wb-engines", role: "status", "aria-live": "polite" });
  element.querySelector(".wb-header").replaceChildren(
    make(
      "div",
      { class: "wb-brand" },
      make("h1", { textContent: words["app.title"] }),
      make("p", { textContent: words["app.tagline"] }),
    ),
    engines,
    make("nav", { class: "wb-languages", "aria-label": words["app.language"] }, ...languageLinks(language, languages)),
  );
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.title = words["app.title"];
  followHealth(engines, words);
}

function languageLinks(current, languages) {
  return Object.entries(languages).map(([code, name]) =>
    make("a", {
      href: `/${code}/`,
      lang: code,
      textContent: name,
      "aria-current": code === current ? "true" : null,
      // The address is taken at the click: it carries the item that is open by then.
      onclick: (event) => {
        document.cookie = `workbench_language=${code}; path=/; max-age=31536000; samesite=lax`;
        event.currentTarget.href = `/${code}/${location.search}`;
      },
    }),
  );
}

async function followHealth(list, words) {
  const health = await askHealth();
  list.replaceChildren(...describe(health, words));
  const loading = !health || health.engines.some((engine) => engine.state === "loading");
  setTimeout(() => list.isConnected && followHealth(list, words), loading ? LOADING_MS : STEADY_MS);
}

async function askHealth() {
  try {
    const answer = await fetch("/healthz");
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // told as "unreachable"; the next round asks again
  }
}

function describe(health, words) {
  if (!health) return [make("li", { "data-state": "dead", textContent: words["engine.unreachable"] })];
  return health.engines.map((engine) =>
    make("li", {
      "data-state": engine.state,
      title: [engine.phase, engine.message].filter(Boolean).join(" – "),
      textContent: say(words, `engine.${engine.state}`, { engine: engine.name }),
    }),
  );
}
