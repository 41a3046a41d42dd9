// What the list found, as data: formats with a record of each, options, frozen versions, and pushes.
import { explained, LONG_MS } from "../viewer/api.mjs";
import { make, say } from "./dom.mjs";
import { momentElement } from "./moments.mjs";
import { apiOf } from "./part.mjs";
import { randomKey } from "./random.mjs";

const FORMATS = {
  files: ["jsonl", "csv", "xlsx", "docx", "markdown", "pdf", "boxes", "srt", "vtt"],
  tools: ["page-xml", "label-studio", "ppocrlabel", "coco-text"],
  datasets: ["datasets", "imagefolder"],
  sft: ["sft-a", "sft-b", "trl-sft", "llama-factory", "ms-swift"],
  preference: ["trl-dpo", "trl-kto"],
  reward: ["verl", "verl-plain", "easyr1", "trl-grpo"],
};
const TRAINING = [...FORMATS.sft, ...FORMATS.preference, ...FORMATS.reward];
const IN_PARTS = ["coco-text", ...FORMATS.datasets, ...TRAINING];
const BY_PATH = ["sft-a", "sft-b", "llama-factory", "ms-swift", "verl"];
const SHARES = /^\s*\d*\.?\d+\s*(\/\s*\d*\.?\d+\s*){1,2}$/;
const ASK_AGAIN = 400;

/** `bar`: what stands at the end of the list's bar; `panel`: what stands under it; `show(value)`: the list's value. */
export function makeExport(words, language) {
  const api = apiOf(words, language);
  const state = { format: FORMATS.files[0], query: {}, total: 0 };
  const word = (key, values) => say(words, `list.${key}`, values);
  const versions = makeVersions(word, api, () => state.query, () => refresh());
  const options = makeOptions(word, versions.choice, () => refresh());
  const link = make("a", { class: "wb-download", download: "", textContent: word("download") });
  const formats = formatChoice(words, (format) => ((state.format = format), refresh()));
  const sample = makeSample(word, api, () => address("/example"));
  const check = makeCheck(word, api, () => address("/report"));
  const wanted = () => ({ format: state.format, filters: filters(), options: options.values() });
  const pushing = makePush(word, api, wanted, versions.load);
  const bar = [formats, link];
  const panel = make(
    "div",
    { class: "wb-export" },
    sample.element,
    fold("options", word("export.options"), options.element, check.element),
    versions.fold,
    fold("push", word("export.push"), pushing.element),
  );

  const filters = () => ({ ...state.query, ...(versions.chosen() ? { version: versions.chosen() } : {}) });
  const address = (part = "") =>
    `/v1/exports/${state.format}${part}?${new URLSearchParams({ ...filters(), ...options.values() })}`;

  function refresh() {
    options.fit(state.format);
    const good = options.valid();
    link.setAttribute("aria-disabled", String(!good));
    if (good) link.href = address();
    else link.removeAttribute("href");
    sample.forget();
    check.forget();
  }

  return {
    bar,
    panel,
    show(value) {
      const changed = JSON.stringify(value.query ?? {}) !== JSON.stringify(state.query) || value.total !== state.total;
      Object.assign(state, { query: value.query ?? {}, total: value.total });
      versions.count(value.total);
      if (changed || !link.hasAttribute("href")) refresh();
    },
  };
}

function formatChoice(words, choose) {
  const groups = Object.entries(FORMATS).map(([group, names]) =>
    make(
      "optgroup",
      { label: words[`list.group.${group}`] },
      ...names.map((name) => make("option", { value: name, textContent: words[`list.format.${name}`] })),
    ),
  );
  const attributes = { class: "wb-format", "data-focus": "format", "aria-label": words["list.format"] };
  return make("select", { ...attributes, onchange: (event) => choose(event.target.value) }, ...groups);
}

function fold(name, title, ...children) {
  return make("details", { class: `wb-fold wb-fold-${name}` }, make("summary", { textContent: title }), ...children);
}

/** A labelled control, with a word of help under it. */
function field(label, control, help = "") {
  const id = `wb-field-${randomKey()}`;
  control.id = id;
  const under = help && make("small", { id: `${id}-help`, textContent: help });
  if (under) control.setAttribute("aria-describedby", under.id);
  return make("div", { class: "wb-field" }, make("label", { for: id, textContent: label }), control, under || null);
}

function input(attributes) {
  return make("input", { class: "wb-input", autocomplete: "off", spellcheck: "false", ...attributes });
}

function select(pairs, attributes = {}) {
  const options = pairs.map(([value, textContent]) => make("option", { value, textContent }));
  return make("select", { class: "wb-format", ...attributes }, ...options);
}

function makeOptions(word, version, changed) {
  const split = input({ type: "text", placeholder: "0.9/0.05/0.05", name: "split", oninput: changed });
  const length = input({ type: "number", min: "1", step: "1", name: "max_prompt_length", oninput: changed });
  const kinds = [["", word("export.pictures.read")], ["1", word("export.pictures.stored")]];
  const pictures = select(kinds, { name: "stored_pictures", onchange: changed });
  const folder = input({ type: "text", placeholder: word("export.paths.relative"), name: "absolute", oninput: changed });
  const parts = [split, length, pictures, folder];
  const wrong = make("p", { class: "wb-wrong", role: "status" });
  const element = make(
    "div",
    { class: "wb-fields" },
    version,
    field(word("export.split"), split, word("export.split.help")),
    field(word("export.length"), length, word("export.length.help")),
    field(word("export.pictures"), pictures),
    field(word("export.paths"), folder, word("export.paths.help")),
    wrong,
  );
  return {
    element,
    fit(format) {
      split.disabled = !IN_PARTS.includes(format);
      length.disabled = pictures.disabled = !TRAINING.includes(format);
      folder.disabled = !BY_PATH.includes(format);
      for (const part of parts) part.title = part.disabled ? word("export.not_here") : "";
    },
    values() {
      const given = parts.filter((part) => !part.disabled && part.value.trim());
      return Object.fromEntries(given.map((part) => [part.name, part.value.replace(/\s/g, part === folder ? " " : "")]));
    },
    valid() {
      const sum = split.value.split("/").reduce((all, one) => all + Number(one), 0);
      const badSplit = !split.disabled && split.value.trim() && !(SHARES.test(split.value) && Math.abs(sum - 1) < 1e-6);
      const badLength = !length.disabled && !length.checkValidity();
      split.setAttribute("aria-invalid", String(Boolean(badSplit)));
      length.setAttribute("aria-invalid", String(badLength));
      wrong.textContent = badSplit ? word("export.split.wrong") : badLength ? word("export.length.wrong") : "";
      return !badSplit && !badLength;
    },
  };
}

/** One real record of the format, fetched when it is opened, and the command that starts its trainer. */
function makeSample(word, api, address) {
  const record = make("pre", { class: "wb-record", dir: "auto", tabindex: "0" });
  const command = make("code", { class: "wb-command" });
  const told = make("p", { role: "status" });
  const load = async () => {
    if (!element.open || told.textContent) return;
    told.textContent = word("example.wait");
    const asked = address();
    const { ok, found } = await tried(api.get(asked));
    if (asked !== address()) return;
    record.textContent = found.record ?? "";
    command.textContent = found.command ?? "";
    const none = word("example.none", { reason: explained(found) });
    told.textContent = ok ? word(found.record ? "example.one" : "example.no_text") : none;
  };
  const summary = make("summary", { "data-focus": "example", textContent: word("example") });
  const element = make("details", { class: "wb-sample", ontoggle: load }, summary, told, record, command);
  return {
    element,
    forget() {
      for (const part of [told, record, command]) part.textContent = "";
      load();
    },
  };
}

/** What an export would leave out, written and thrown away on request. */
function makeCheck(word, api, address) {
  const told = make("div", { class: "wb-told", role: "status" });
  const look = async () => {
    const asked = address();
    button.disabled = true;
    told.replaceChildren(make("p", { textContent: word("export.check.wait") }));
    const { ok, found } = await tried(api.get(asked, { timeout: LONG_MS }));
    button.disabled = false;
    if (asked === address()) told.replaceChildren(...(ok ? report(word, found) : [wrong(explained(found))]));
  };
  const button = make("button", { type: "button", class: "wb-turn", textContent: word("export.check"), onclick: look });
  return { element: make("div", {}, button, told), forget: () => told.replaceChildren() };
}

function report(word, found) {
  const rows = Object.entries(found.rows).map(([name, count]) => `${name} ${count}`).join(", ");
  const said = word("export.check.counts", { out: found.count_out, in: found.count_in });
  const head = make("p", { textContent: rows ? `${said} ${word("export.check.rows", { rows })}` : said });
  const items = found.left_out.map((reason) =>
    make(
      "li",
      {},
      make("span", { textContent: word("export.check.reason", { reason: reason.message, count: reason.count }) }),
      ...reason.items.slice(0, 20).flatMap((item) => [" ", itemLink(item)]),
      reason.count > 20 ? ` … +${reason.count - 20}` : null,
    ),
  );
  const missing = found.missing_pictures.length
    ? make("p", { textContent: word("export.check.missing", { count: found.missing_pictures.length }) })
    : null;
  return [head, make("ul", {}, ...items), missing].filter(Boolean);
}

const itemLink = (item) => make("a", { href: `?item=${item}`, textContent: `#${item}` });

function makeVersions(word, api, query, changed) {
  const choice = select([["", word("export.versions.none")]], { name: "version", onchange: changed });
  const name = input({ type: "text", name: "version-name", placeholder: "2026-07", maxlength: "80" });
  const licence = input({ type: "text", name: "version-licence", placeholder: "cc-by-4.0", maxlength: "200" });
  const told = make("p", { class: "wb-told", role: "status" });
  const table = make("div", { class: "wb-versions" });
  const freeze = make("button", { type: "button", class: "wb-turn", textContent: word("export.freeze"), onclick: add });
  const element = make(
    "div",
    {},
    make(
      "div",
      { class: "wb-fields" },
      field(word("export.version.name"), name, word("export.version.help")),
      field(word("export.licence"), licence),
      make("div", { class: "wb-field wb-field-button" }, freeze),
    ),
    told,
    table,
  );

  async function add() {
    freeze.disabled = true;
    told.textContent = word("export.freeze.wait");
    const asked = { name: name.value.trim(), licence: licence.value, filters: query() };
    const { ok, found } = await tried(api.post("/v1/versions", asked, { timeout: LONG_MS }));
    freeze.disabled = false;
    told.textContent = ok ? word("export.freeze.done", { name: found.name, items: found.items }) : explained(found);
    if (ok) name.value = "";
    await load();
  }

  async function remove(version) {
    const { ok, found } = await tried(api.delete(`/v1/versions/${encodeURIComponent(version)}`));
    told.textContent = ok ? word("export.version.gone", { name: version }) : explained(found);
    await load();
  }

  async function load() {
    const { ok, found } = await tried(api.get("/v1/versions"));
    if (!ok) return;
    const kept = choice.value;
    const names = found.versions.map((version) => [version.name, `${version.name} (${version.items})`]);
    choice.replaceChildren(...select([["", word("export.versions.none")], ...names]).children);
    choice.value = names.some(([one]) => one === kept) ? kept : "";
    if (choice.value !== kept) changed();
    if (folded.open) table.replaceChildren(...drawn(found));
  }

  function drawn({ versions, exports }) {
    if (!versions.length) return [make("p", { class: "wb-empty-small", textContent: word("export.versions.empty") })];
    const heads = ["name", "items", "licence", "checksum", "frozen", "exports", "card"];
    const rows = versions.map((version) => [
      make("bdi", { textContent: version.name }),
      version.removed ? word("export.removed", { n: version.removed, items: version.items }) : version.items,
      version.licence || "–",
      make("code", { textContent: version.sha256.slice(0, 12), title: version.sha256 }),
      momentElement(version.created_at),
      version.exports,
      versionActions(version),
    ]);
    const log = exports.slice(0, 10).map((one) => [
      momentElement(one.created_at),
      make("bdi", { textContent: one.version || "–" }),
      one.format,
      one.items,
      make("bdi", { textContent: one.target === "download" ? word("download") : one.target }),
    ]);
    const logged = make("h4", { textContent: word("export.log") });
    const titles = ["frozen", "name", "format", "items", "target"];
    return [grid(word, heads, rows), ...(log.length ? [logged, grid(word, titles, log)] : [])];
  }

  function versionActions(version) {
    const href = `/v1/versions/${encodeURIComponent(version.name)}/card`;
    const card = make("a", { href, target: "_blank", rel: "noopener", textContent: word("export.card") });
    if (version.exports) return card;
    const label = word("export.version.delete", { name: version.name });
    const gone = make("button", {
      type: "button", class: "wb-turn", "aria-label": label, title: label, textContent: "✕",
      onclick: () => remove(version.name),
    });
    return make("span", {}, card, " ", gone);
  }

  const folded = fold("versions", word("export.versions"), element);
  folded.addEventListener("toggle", () => folded.open && load());
  load();
  return {
    fold: folded,
    load,
    choice: field(word("export.which"), choice, word("export.which.help")),
    chosen: () => choice.value,
    count: (total) => (freeze.title = word("export.freeze.title", { items: total })),
  };
}

function grid(word, heads, rows) {
  const head = heads.map((name) => make("th", { scope: "col", textContent: word(`export.column.${name}`) }));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell instanceof Node ? cell : String(cell)))));
  return make("table", { class: "wb-grid" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}

/** A push, which goes on in the server while the page shows how far it is. The token is in its field alone. */
function makePush(word, asked, ended) {
  const kind = select([["hub", word("export.to.hub")], ["store", word("export.to.store")], ["folder", word("export.to.folder")]]);
  const place = input({ type: "text", name: "push-place" });
  const licence = input({ type: "text", name: "push-licence", placeholder: "cc-by-4.0", maxlength: "200" });
  const token = input({ type: "password", name: "push-token", autocomplete: "new-password" });
  const open = make("input", { type: "checkbox", name: "push-public" });
  const names = make("input", { type: "checkbox", name: "push-names" });
  const bar = make("progress", { max: "1", hidden: true });
  const told = make("p", { class: "wb-told", role: "status" });
  const button = make("button", { type: "button", class: "wb-turn", textContent: word("export.push.go"), onclick: go });
  const tokenField = field(word("export.token"), token, word("export.token.help"));
  const openField = make("label", { class: "wb-check" }, open, make("span", { textContent: word("export.public") }));
  const namesField = make("label", { class: "wb-check" }, names, make("span", { textContent: word("export.names") }));
  const fit = () => {
    const hub = kind.value === "hub";
    tokenField.hidden = openField.hidden = !hub;
    namesField.hidden = !hub || !open.checked;
    place.placeholder = { hub: "USER/NAME", store: "s3://BUCKET/PATH", folder: "july" }[kind.value];
  };
  kind.onchange = open.onchange = fit;
  fit();

  async function go() {
    button.disabled = true;
    bar.hidden = false;
    bar.removeAttribute("value");
    told.textContent = word("export.step.writing");
    const target = kind.value === "hub" ? `hub:${place.value.trim()}` : place.value.trim();
    const body = { ...asked(), target, licence: licence.value };
    if (kind.value === "hub") Object.assign(body, { public: open.checked, names: !open.checked || names.checked, token: token.value });
    const { ok, found } = await tried(api.post("/v1/pushes", body));
    token.value = "";
    if (ok) await follow(found);
    else told.replaceChildren(wrong(explained(found)));
    button.disabled = false;
    bar.hidden = true;
    ended();
  }

  async function follow(push) {
    while (push.state === "running") {
      draw(push.progress);
      await new Promise((done) => setTimeout(done, ASK_AGAIN));
      const { ok, found } = await tried(api.get(`/v1/pushes/${push.id}`));
      if (!ok) return told.replaceChildren(wrong(explained(found)));
      push = found;
    }
    if (push.state === "failed") return told.replaceChildren(wrong(explained(push.error)));
    const where = /^https?:/.test(push.address)
      ? make("a", { href: push.address, target: "_blank", rel: "noopener", textContent: push.address })
      : make("bdi", { textContent: push.address });
    return told.replaceChildren(word("export.push.done", { items: push.items }), " ", where);
  }

  function draw({ step, done_files, files, done_bytes, bytes }) {
    if (bytes) bar.value = done_bytes / bytes;
    const megabytes = (number) => (number / 1e6).toFixed(1);
    const values = { done: done_files, files, megabytes: megabytes(done_bytes), all: megabytes(bytes) };
    told.textContent = word(`export.step.${step}`, values);
  }

  const element = make(
    "div",
    {},
    make(
      "div",
      { class: "wb-fields" },
      field(word("export.to"), kind),
      field(word("export.place"), place),
      field(word("export.licence"), licence),
      tokenField,
      make("div", { class: "wb-field wb-field-button" }, openField, namesField, button),
    ),
    bar,
    told,
  );
  return { element };
}

const wrong = (textContent) => make("span", { class: "wb-wrong", textContent });

/** What was asked for, or the failure. */
const tried = (answer) => answer.then((found) => ({ ok: true, found })).catch((found) => ({ ok: false, found }));
