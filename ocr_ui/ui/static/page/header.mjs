// The top of the page: name, state of the engines, language.
import { aboutEngine } from "./about.mjs";
import { openAccount } from "./account.mjs";
import { make, parsed, say } from "./dom.mjs";
import { Notices, stateText } from "./notice.mjs";
import { logIn } from "./person.mjs";
import { goBack, keepTabs } from "./tabs.mjs";

const LOADING_MS = 1000;
// One that is not started yet is when somebody on any page asks for it.
const IDLE_MS = 2000;
const STEADY_MS = 10000;

export function mount({ element, props, trigger }) {
  const words = parsed(props.words, {});
  const { language, languages, auth } = parsed(props.value, { language: "en", languages: {}, auth: "none" });
  const me = make("div", { class: "wb-me", hidden: auth === "none" });
  const engines = make("ul", { class: "wb-engines" });
  const notices = make("div", { class: "wb-notices", hidden: true });
  element.querySelector(".wb-header").replaceChildren(
    make(
      "div",
      { class: "wb-brand" },
      make("h1", { textContent: words["app.title"] }),
      make("p", { textContent: words["app.tagline"] }),
    ),
    make("div", { role: "status" }, engines),
    me,
    make("nav", { class: "wb-languages", "aria-label": words["app.language"] }, ...languageLinks(language, languages)),
    notices,
  );
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.title = words["app.title"];
  const take = (name) => trigger("select", { index: 0, value: name });
  const shown = auth === "none" ? Promise.resolve() : showMe(me, words, language);
  shown.finally(goBack);
  followHealth(engines, new Notices(notices, words, document.documentElement.lang, take), words, language);
}

/** Who is logged in: the name under which this browser reviews, and what they get to see of the page. */
async function showMe(place, words, language) {
  // Tabs that a role may not look into are shown to whom may, and never taken away before somebody's eyes.
  document.documentElement.dataset.may = "";
  const answer = await fetch("/v1/me").catch(() => null);
  if (!answer?.ok) return;
  const me = await answer.json();
  const { name, role, auth } = me;
  document.documentElement.dataset.may = me.actions.join(" ");
  logIn(name);
  place.replaceChildren(
    make("button", {
      type: "button",
      class: "wb-account",
      "aria-haspopup": "dialog",
      title: say(words, me.actions.includes("admin") ? "app.account.admin" : "app.account", { name }),
      textContent: `${name} (${words[`app.role.${role}`] ?? role})`,
      onclick: () => openAccount(place, me, words, language),
    }),
    auth === "password"
      ? make("form", { method: "post", action: "/logout" }, make("button", { textContent: words["app.logout"] }))
      : null,
  );
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
        keepTabs();
      },
    }),
  );
}

async function followHealth(list, notices, words, language) {
  const health = await askHealth(language);
  describe(list, health, words);
  if (health) notices.show(health.engines);
  setTimeout(() => list.isConnected && followHealth(list, notices, words, language), pause(health));
}

/** Milliseconds to the next look at the engines. */
export function pause(health) {
  const states = new Set(health?.engines.map((engine) => engine.state) ?? ["loading"]);
  if (states.has("loading")) return LOADING_MS;
  return states.has("idle") ? IDLE_MS : STEADY_MS;
}

async function askHealth(language) {
  try {
    const answer = await fetch("/healthz", { headers: { "X-Workbench-Lang": language } });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // told as "unreachable"; the next round asks again
  }
}

// The list is read aloud when it changes, so it changes only where there is something new.
function describe(list, health, words) {
  const states = health
    ? health.engines.map((engine) => [engine.state, stateText(engine, words), engine])
    : [["dead", words["engine.unreachable"], null]];
  const said = JSON.stringify(states.map(([state, text, engine]) => [state, text, engine?.message, engine?.drafts]));
  if (list.dataset.said === said) return;
  const open = list.querySelector(":popover-open")?.id;
  const focused = document.activeElement?.getAttribute("popovertarget");
  list.dataset.said = said;
  list.replaceChildren(...states.map((one, number) => chip(one, `engine-about-${number}`, words)));
  document.getElementById(open)?.showPopover();
  if (focused) list.querySelector(`[popovertarget="${focused}"]`)?.focus();
}

/** An engine's state, and behind a click all that is known of it. */
function chip([state, text, engine], id, words) {
  if (!engine) return make("li", { "data-state": state, textContent: text });
  return make(
    "li",
    { "data-state": state },
    make("button", {
      type: "button",
      popovertarget: id,
      title: say(words, "engine.about", { engine: engine.name }),
      textContent: text,
    }),
    make(
      "div",
      { id, popover: "auto", class: "wb-about", role: "dialog", "aria-label": text },
      ...aboutEngine(engine, text, words, document.documentElement.lang).map((textContent) => make("p", { textContent })),
    ),
  );
}
