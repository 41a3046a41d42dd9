/**
 * Try: one picture read in up to four ways at once. The readings stream side by side from /v1/tries and are stored as
 * any other; the better one is kept by /v1/preferences. The address names them, so that a reload shows them again.
 *
 * The value, JSON text from the server: the examples as [{name, title, thumbnail, template, variables}].
 */

import { nameInAddress } from "../page/address.mjs";
import { make, parsed } from "../page/dom.mjs";
import { onHanded } from "../page/handed.mjs";
import { mountPart, partOf, watchSight } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { randomKey } from "../page/random.mjs";
import { explained } from "../viewer/api.mjs";
import { Columns, LETTERS } from "./columns.mjs";
import { optionsOf } from "./options.mjs";
import { Way } from "./way.mjs";

const MOST = LETTERS.length;
const RECENT = 20;
const ADDRESS = "try";

export function mount({ element, props }) {
  const made = () => new Tries({ root: element.querySelector(".wb-try"), props });
  return mountPart(element, import.meta.url, ["../compare/compare.css", "../prompts/prompts.css", "tries.css"], made);
}

class Tries {
  constructor({ root, props }) {
    Object.assign(this, partOf(props));
    this.examples = parsed(props.examples, []);
    this.owner = randomKey();
    this.ways = [];
    this.kept = new Map();
    this.leaving = new AbortController();
    this.#build(root);
    this.seen = watchSight(root, (visible) => visible && this.#look());
    onHanded((handed) => this.#handed(handed), this.leaving.signal, "try");
    this.#restore();
  }

  destroy() {
    this.seen.disconnect();
    this.leaving.abort();
    this.coming?.abort();
  }

  #build(root) {
    const { t } = this;
    this.root = root;
    this.file = make("input", { type: "file", accept: "image/*,application/pdf", class: "wb-try-hidden", tabindex: "-1", "aria-hidden": "true" });
    this.file.addEventListener("change", () => {
      if (this.file.files[0]) this.#upload(this.file.files[0]);
      this.file.value = "";
    });
    const button = (name, onclick, more = "") =>
      make("button", { type: "button", id: `tries-${name}`, class: `wb-cmp-button ${more}`, textContent: t(`tries.${name}`), title: t(`tries.${name}.title`), onclick });
    this.thumb = make("img", { alt: "", class: "wb-try-thumb", hidden: true });
    this.name = make("bdi", { class: "wb-try-name", textContent: t("tries.no_picture") });
    this.example = make("select", { id: "tries-example", class: "wb-input", "aria-label": t("tries.example"), onchange: () => this.#takeExample() });
    optionsOf(this.example, [["", t("tries.example")], ...this.examples.map(({ name, title }) => [name, title])]);
    this.recent = make("select", { id: "tries-recent", class: "wb-input", "aria-label": t("tries.recent"), onchange: () => this.#takeRecent() });
    this.add = button("add", () => this.#add());
    this.go = button("go", () => this.#go(), "primary");
    this.stop = button("stop_all", () => this.coming && this.#stop(null));
    this.told = make("p", { class: "wb-try-told", role: "status", dir: "auto" });
    const choose = button("choose", () => this.file.click());
    const picture = make("div", { class: "wb-try-source" }, this.thumb, this.name, choose, this.example, this.recent, this.file);
    this.top = make("div", { class: "wb-try-top" }, picture, make("div", { class: "wb-try-run" }, this.add, this.go, this.stop), this.told);
    this.lanes = make("div", { class: "wb-try-ways" });
    this.empty = make("p", { class: "wb-empty wb-try-empty", textContent: t("tries.empty") });
    this.columns = new Columns({
      t,
      onstop: (index) => this.#stop(index),
      onbetter: (index) => this.#better(index),
      onbase: (index) => this.#show(index),
      onopen: (item) => this.#open(item),
    });
    root.replaceChildren(this.top, this.lanes, this.empty, this.columns.element);
    this.#add();
    this.#add();
    this.#listen();
    this.#refresh();
  }

  #listen() {
    const on = (target, name, handler) => target.addEventListener(name, handler, { signal: this.leaving.signal });
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    on(this.root, "dragover", (event) => hasFiles(event) && (event.preventDefault(), this.top.classList.add("over")));
    on(this.root, "dragleave", (event) => !this.root.contains(event.relatedTarget) && this.top.classList.remove("over"));
    on(this.root, "drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.top.classList.remove("over");
      this.#upload(event.dataTransfer.files[0]);
    });
    on(document, "keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !this.root.offsetParent) return;
      event.preventDefault();
      this.#go();
    });
  }

  // What can be chosen ------------------------------------------------------------------------------------------------

  async #look() {
    try {
      const [{ templates }, { engines }, { recognitions }] = await Promise.all([
        this.api.get("/v1/templates"),
        this.api.get("/v1/engines"),
        this.api.get(`/v1/recognitions?limit=${RECENT}`),
      ]);
      Object.assign(this, { templates, engines, versions: new Map() });
      for (const way of this.ways) way.fill(templates, engines);
      if (!this.begun) this.#firstChoices();
      const recent = recognitions.map(({ id, page, template, engine }) => [id, `${page.name} · ${template} · ${engine}`]);
      optionsOf(this.recent, [["", this.t("tries.recent")], ...recent]);
      this.wanted?.forEach((choice, index) => this.ways[index]?.choose(choice));
      this.wanted = null;
      this.#refresh();
    } catch (failure) {
      this.#tell(this.#said(failure), true);
    }
  }

  /** Two that differ: the second engine where there are two that can, else another template. */
  #firstChoices() {
    this.begun = true;
    const able = this.templates[0]?.engines ?? [];
    this.ways[0].choose({ template: this.templates[0]?.name, engine: able[0] });
    if (this.ways[1]) this.ways[1].choose({ template: this.templates[0]?.name, engine: able[1] ?? able[0] });
  }

  async #versionsOf(name) {
    if (!this.versions.has(name)) {
      const asked = this.api.get(`/v1/templates/${encodeURIComponent(name)}`).then(({ versions }) => versions, () => []);
      this.versions.set(name, asked);
    }
    return this.versions.get(name);
  }

  #add(choice = null) {
    if (this.ways.length >= MOST) return;
    const way = new Way({
      t: this.t,
      language: this.language,
      letter: LETTERS[this.ways.length],
      versions: (name) => this.#versionsOf(name),
      onchange: () => this.#refresh(),
      onremove: (gone) => this.#remove(gone),
    });
    const before = choice ?? this.ways.at(-1)?.value;
    this.ways.push(way);
    this.lanes.append(way.element);
    if (this.templates) {
      way.fill(this.templates, this.engines);
      if (before) way.choose(before);
    }
    this.#refresh();
  }

  /** The letters go by the order: what stands behind the one that goes moves up. */
  #remove(gone) {
    if (this.ways.length < 2) return;
    const values = this.ways.filter((way) => way !== gone).map((way) => way.value);
    const last = this.ways.pop();
    const focused = gone.element.contains(document.activeElement);
    last.element.remove();
    values.forEach((value, index) => this.ways[index].choose(value));
    if (focused) this.add.focus();
    this.#refresh();
  }

  #refresh() {
    if (!this.go) return;
    const wrong = this.templates ? this.ways.filter((way) => way.check()).length : 0;
    this.lanes.style.setProperty("--lanes", this.ways.length);
    this.add.disabled = this.ways.length >= MOST;
    for (const way of this.ways) way.remove.disabled = this.ways.length < 2;
    // Neither is disabled: the focus would go elsewhere.
    this.go.setAttribute("aria-disabled", String(!this.page || wrong > 0 || Boolean(this.coming)));
    this.stop.setAttribute("aria-disabled", String(!this.coming));
    this.empty.hidden = !this.columns.element.hidden;
    this.empty.textContent = this.t(this.page ? "tries.ready" : "tries.empty");
  }

  // The picture -------------------------------------------------------------------------------------------------------

  #setPage(page) {
    this.page = page;
    this.thumb.src = `/pictures/${page.sha256}/thumbnail`;
    this.thumb.hidden = false;
    this.name.textContent = page.name;
    this.columns.element.hidden = true;
    this.#address(null);
    this.#tell("");
    this.#refresh();
  }

  /** Gives whether there is another picture now. */
  async #taking(asked) {
    if (this.coming) {
      this.#tell(this.t("tries.stop_first"), true);
      return false;
    }
    this.#tell(this.t("tries.taking"));
    const taking = (this.taking = {});
    try {
      const page = await asked();
      if (taking !== this.taking) return false;
      this.#setPage(page);
      return true;
    } catch (failure) {
      this.#tell(this.#said(failure), true);
      return false;
    }
  }

  #upload(file) {
    return this.#taking(async () => (await this.api.upload("/v1/pictures", file)).page);
  }

  async #takeExample() {
    const example = this.examples.find(({ name }) => name === this.example.value);
    this.example.value = "";
    if (!example) return;
    const taken = await this.#taking(async () => (await this.api.post(`/v1/examples/${example.name}`, {})).page);
    if (!taken || this.shown) return;
    for (const way of this.ways) way.choose({ ...way.value, template: example.template, variables: example.variables, wording: undefined });
  }

  #takeRecent() {
    const item = Number(this.recent.value);
    this.recent.value = "";
    if (item) this.#takeItem(item);
  }

  async #takeItem(id) {
    let item = null;
    const taken = await this.#taking(async () => {
      ({ item } = await this.api.get(`/v1/items/${id}`));
      return item.page;
    });
    return taken ? item : null;
  }

  /** Something that another part of the page sends here: {item} and {template}. */
  async #handed({ item: id, template }) {
    // A version stands beside the one in use.
    if (template) this.wanted = template.includes("@") ? [{ template }, { template: template.split("@")[0] }] : [{ template }];
    const item = id ? await this.#takeItem(id) : null;
    if (item) this.wanted = [{ template: item.template, variables: item.variables }];
    if (this.templates) await this.#look();
  }

  // Reading -----------------------------------------------------------------------------------------------------------

  async #go() {
    if (this.coming) return;
    if (!this.page) return this.#tell(this.t("tries.picture_first"), true);
    if (this.ways.some((way) => way.check())) return this.#tell(this.t("tries.way_first"), true);
    const coming = (this.coming = new AbortController());
    const values = this.ways.map((way) => way.value);
    this.titles = this.#titles(values);
    this.#tell(this.t("tries.running"));
    this.columns.begin(this.page, this.titles);
    this.#address(null);
    this.#refresh();
    const body = { page: this.page.id, ways: values, person: personOf(), owner: this.owner };
    let last = null;
    try {
      last = await this.api.lines("/v1/tries", body, (step) => this.columns.progress(step), coming.signal);
      this.columns.progress(last);
      this.#tell("");
    } catch (failure) {
      this.#tell(this.#said(failure), true);
    }
    this.coming = null;
    this.#refresh();
    if (last) await this.#ended(last.lanes);
    return undefined;
  }

  #titles(values, templates = this.templates) {
    return values.map(({ template, engine, wording }) => {
      const [name, version] = template.split("@");
      const found = templates.find((one) => one.name === name);
      const title = found?.title[this.language] ?? name;
      const older = version && version !== found?.version ? `${title} @${version.slice(0, 6)}` : title;
      return [older, wording === undefined ? "" : this.t("tries.own_wording"), engine].filter(Boolean).join(" · ");
    });
  }

  async #ended(lanes) {
    this.last = lanes;
    this.places = lanes.flatMap(({ item }, index) => (item === null ? [] : [index]));
    this.items = this.places.map((index) => lanes[index].item);
    this.#judgeAnew();
    if (!this.items.length) return this.#tell(this.t("tries.none"), true);
    this.#address(this.items);
    return this.#show(0);
  }

  async #show(base) {
    const query = this.items.map((item) => `item=${item}`).join("&");
    try {
      this.shown = await this.api.get(`/v1/tries?${query}&base=${base}`);
      this.columns.show(this.shown, this.places, this.last, this.titles);
      this.#refresh();
    } catch (failure) {
      this.#tell(this.#said(failure), true);
    }
  }

  async #stop(way) {
    try {
      await this.api.post("/v1/tries/stop", { owner: this.owner, way });
    } catch {
      this.coming?.abort();
    }
  }

  #judgeAnew() {
    Object.assign(this, { since: performance.now(), key: randomKey(), turn: 0, chosen: null });
  }

  async #better(index) {
    const at = this.places.indexOf(index);
    const better = this.items[at];
    const worse = this.items.filter((item) => item !== better);
    const seconds = (performance.now() - this.since) / 1000;
    // Pressed again it is the same word; after another one it is a new one.
    if (index !== this.chosen) Object.assign(this, { chosen: index, turn: this.turn + 1 });
    try {
      const body = { better, worse, person: personOf(), seconds, client_key: `${this.key}-${this.turn}` };
      const { kept } = await this.api.post("/v1/preferences", body);
      if (index === this.chosen) this.columns.kept(index, this.#whatItIs(kept)); // not what was overtaken
    } catch (failure) {
      this.#tell(this.#said(failure), true);
    }
  }

  /** What a trainer of preferences gets of it, and why not more. */
  #whatItIs(kept) {
    const pairs = kept.filter(({ no_pair: reason }) => !reason).length;
    const reasons = [...new Set(kept.map(({ no_pair: reason }) => reason).filter(Boolean))];
    const why = reasons.map((reason) => this.t(`tries.no_pair.${reason}`));
    return [this.t(pairs ? "tries.kept_pairs" : "tries.kept", { n: pairs }), ...why].join(" ");
  }

  #open(item) {
    const address = new URL(location.href);
    address.search = `?item=${item}`;
    location.assign(address);
  }

  // The address -------------------------------------------------------------------------------------------------------

  #address(items) {
    nameInAddress({ [ADDRESS]: items?.join(".") });
  }

  async #restore() {
    const named = (new URLSearchParams(location.search).get(ADDRESS) ?? "").split(".").map(Number);
    if (!named.every((item) => item > 0) || named.length > MOST) return;
    this.begun = true;
    this.items = named;
    this.places = named.map((_, index) => index);
    this.#judgeAnew();
    this.last = null;
    this.titles = named.map((item) => `#${item}`);
    await this.#show(0);
    if (!this.shown) return;
    const { readings, picture } = this.shown;
    await this.#restoreWays(readings);
    this.page = picture;
    this.thumb.src = `/pictures/${picture.sha256}/thumbnail`;
    this.thumb.hidden = false;
    this.name.textContent = picture.name;
    this.#refresh();
  }

  async #restoreWays(readings) {
    const { templates } = await this.api.get("/v1/templates").catch(() => ({ templates: [] }));
    const ways = readings.map((reading) => wayOf(reading, templates));
    this.titles = this.#titles(ways, templates);
    this.columns.show(this.shown, this.places, null, this.titles);
    this.wanted = ways;
    while (this.ways.length < readings.length) this.#add();
    if (this.templates) this.#look();
  }

  // Words -------------------------------------------------------------------------------------------------------------

  #tell(words, wrong = false) {
    this.told.textContent = words;
    this.told.classList.toggle("wb-wrong", wrong);
  }

  #said(failure) {
    return failure.code === "aborted" ? this.t("tries.state.stopped") : explained(failure);
  }
}

/** How a reading was asked for, as a column takes it. */
export function wayOf({ template, template_version: version, engine_name: engine, variables, sampling, wording }, templates) {
  const usual = templates.find(({ name }) => name === template)?.sampling ?? {};
  const options = Object.fromEntries(Object.entries(sampling).filter(([name, value]) => value !== usual[name]));
  return { template: version ? `${template}@${version}` : template, engine, variables, options, wording: wording ?? undefined };
}
