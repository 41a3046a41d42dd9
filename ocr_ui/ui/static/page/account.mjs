/** The dialog of one's own account: password and keys; for administrators all people too. Asked of REST when opened. */

import { explained } from "../viewer/api.mjs";
import { make, say, styleSheets } from "./dom.mjs";
import { apiOf } from "./part.mjs";

const SCOPES = ["read", "recognize", "annotate", "review", "admin"];
const ROLES = ["viewer", "annotator", "reviewer", "admin"];

/** Opens the dialog in `host`. @param {{auth: string, name: string, role: string, actions: string[]}} me of /v1/me */
export async function openAccount(host, me, words, language) {
  await styleSheets(import.meta.url, "account.css");
  const dialog = new AccountDialog(me, (key, values) => say(words, `account.${key}`, values), words, language);
  host.append(dialog.element);
  dialog.element.addEventListener("close", () => dialog.element.remove());
  dialog.element.showModal();
  await dialog.fill();
}

/** What is told of a key beside its name: is it revoked or over, or until when does it last? Pure. */
export function keyState({ revoked_at, until }, now) {
  if (revoked_at) return "revoked";
  if (until && new Date(until) <= now) return "over";
  return until ? "until" : "open";
}

class AccountDialog {
  constructor(me, t, words, language) {
    Object.assign(this, { me, t, words, language });
    this.api = apiOf(words, language);
    this.parts = make("div", { class: "wb-ac-parts" });
    const close = make("button", { type: "button", onclick: () => this.element.close(), textContent: t("close") });
    const title = make("h2", { id: "account-title", textContent: `${me.name} (${this.#role(me.role)})` });
    this.element = make("dialog", { class: "wb-ac", "aria-labelledby": "account-title" }, make("header", {}, title, close), this.parts);
  }

  #role(role) {
    return this.words[`app.role.${role}`] ?? role;
  }

  async fill() {
    const mine = new Keys(this, "/v1/keys", this.me.actions);
    this.parts.append(part(this.t("keys"), this.t("keys.about"), mine.element));
    if (this.me.auth === "password") this.parts.append(part(this.t("password"), this.t("password.about"), this.#password()));
    const filled = [mine.fill()];
    if (this.me.actions.includes("admin")) {
      const people = new People(this);
      this.parts.prepend(part(this.t("people"), this.t(`people.about.${this.me.auth}`), people.element));
      filled.push(people.fill());
    }
    await Promise.all(filled);
  }

  #password() {
    const old = field(this.t("password.old"), { type: "password", autocomplete: "current-password", required: true });
    const fresh = field(this.t("password.new"), { type: "password", autocomplete: "new-password", required: true, minlength: 10 });
    const told = status();
    const form = make("form", {}, old, fresh, make("button", { textContent: this.t("password.go") }), told);
    form.onsubmit = (event) => {
      event.preventDefault();
      doing(form, told, async () => {
        await this.api.post("/v1/password", { old: value(old), new: value(fresh) });
        location.reload(); // all sessions have ended: the login follows
      });
    };
    return form;
  }

  date(moment) {
    return moment ? new Date(moment).toLocaleDateString(this.language) : this.t("never");
  }

  role(role) {
    return this.#role(role);
  }
}

/** Keys of one account, under an address of REST. */
class Keys {
  constructor(dialog, address, actions) {
    Object.assign(this, { dialog, address, actions, t: dialog.t, api: dialog.api });
    this.rows = make("tbody");
    this.told = status();
    this.shown = make("div", { class: "wb-ac-secret", hidden: true });
    const heads = ["key", "scopes", "made", "used", "state", ""].map((head) => make("th", { textContent: head && this.t(`head.${head}`) }));
    this.table = make("table", { hidden: true }, make("thead", {}, make("tr", {}, ...heads)), this.rows);
    this.none = make("p", { hidden: true, textContent: this.t("keys.none") });
    this.element = make("div", { class: "wb-ac-keys" }, this.table, this.none, this.#form(), this.told, this.shown);
  }

  async fill() {
    await doing(null, this.told, async () => this.#show((await this.api.get(this.address)).keys));
  }

  #show(keys) {
    this.table.hidden = !keys.length;
    this.none.hidden = keys.length > 0;
    this.rows.replaceChildren(...keys.map((key) => this.#row(key)));
  }

  #row(key) {
    const { t, dialog } = this;
    const state = keyState(key, new Date());
    const revoke = make("button", {
      type: "button",
      "aria-label": t("revoke.of", { name: key.name }),
      textContent: t("revoke"),
      onclick: () => doing(revoke, this.told, async () => {
        await this.api.delete(`${this.address}/${key.id}`);
        await this.fill();
      }),
    });
    const open = state === "open" || state === "until";
    const told = [key.name, key.scopes.map((scope) => t(`scope.${scope}`)).join(t("comma")), dialog.date(key.created_at)];
    told.push(dialog.date(key.used_at), t(`key.${state}`, { date: dialog.date(key.until) }));
    return make("tr", { "data-key": key.id, "data-state": state }, ...told.map((text) => make("td", { dir: "auto", textContent: text })), make("td", {}, open ? revoke : null));
  }

  #form() {
    const { t } = this;
    const name = field(t("key.name"), { required: true, maxlength: 200, autocomplete: "off" });
    const days = field(t("key.days"), { type: "number", min: 1, max: 3650, placeholder: t("key.for_ever") });
    const boxes = SCOPES.filter((scope) => this.actions.includes(scope)).map((scope) =>
      make("label", {}, make("input", { type: "checkbox", name: scope }), t(`scope.${scope}`)),
    );
    const scopes = make("fieldset", {}, make("legend", { textContent: t("key.scopes") }), ...boxes);
    const form = make("form", {}, name, days, scopes, make("button", { textContent: t("key.make") }));
    form.onsubmit = (event) => {
      event.preventDefault();
      const chosen = [...scopes.querySelectorAll(":checked")].map((box) => box.name);
      doing(form, this.told, async () => {
        const body = { name: value(name), scopes: chosen, days: Number(value(days)) || null };
        const made = await this.api.post(this.address, body);
        form.reset();
        this.#secret(made);
        await this.fill();
      });
    };
    return form;
  }

  /** The one time that a key is to be seen. */
  #secret({ key, name }) {
    const { t } = this;
    const shown = make("input", { readonly: true, value: key, "aria-label": t("secret.label", { name }), onfocus: () => shown.select() });
    const copied = status();
    const copy = make("button", {
      type: "button",
      textContent: t("copy"),
      onclick: async () => {
        shown.select();
        const done = await navigator.clipboard?.writeText(key).then(() => true, () => false);
        copied.textContent = t(done ? "copied" : "copy.by_hand");
      },
    });
    this.shown.replaceChildren(make("p", { textContent: t("secret.once", { name }) }), shown, copy, copied);
    this.shown.hidden = false;
    shown.focus();
  }
}

/** All accounts, for administrators. */
class People {
  constructor(dialog) {
    Object.assign(this, { dialog, t: dialog.t, api: dialog.api, byPassword: dialog.me.auth === "password" });
    this.rows = make("tbody");
    this.told = status();
    const heads = ["person", "role", "made", "state", ""].map((head) => make("th", { textContent: head && this.t(`head.${head}`) }));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), this.rows);
    this.element = make("div", {}, table, this.told, this.byPassword ? this.#form() : null);
  }

  async fill() {
    await doing(null, this.told, async () => {
      const { accounts, roles } = await this.api.get("/v1/accounts");
      this.roles = roles;
      this.rows.replaceChildren(...accounts.flatMap((account) => this.#row(account)));
    });
  }

  /** The row of an account, changed in place so that what is open below it stays, and that below. */
  #row(account) {
    const { t, dialog } = this;
    const { name } = account;
    const address = `/v1/accounts/${encodeURIComponent(name)}`;
    const mine = name === dialog.me.name;
    const change = (node, body) =>
      doing(node, this.told, async () => {
        account = await this.api.patch(address, body);
        show();
      }).finally(() => document.activeElement === document.body && node.focus());
    const role = make("select", { "data-does": "role", "aria-label": t("role.of", { name }), disabled: mine, onchange: () => change(role, { role: role.value }).then(show) }, ...this.#roles(account.role));
    const off = make("button", {
      type: "button",
      "data-does": "state",
      disabled: mine,
      onclick: () => change(off, { disabled: !account.disabled }),
    });
    const state = make("td");
    const show = () => {
      role.value = account.role;
      const does = account.disabled ? "enable" : "disable";
      off.setAttribute("aria-label", t(`${does}.of`, { name }));
      off.textContent = t(does);
      state.textContent = t(account.disabled ? "state.disabled" : "state.open");
    };
    show();
    const below = make("td", { colspan: 5 });
    const more = make("tr", { class: "wb-ac-more", hidden: true }, below);
    const opens = (does, fill) => {
      const button = make("button", { type: "button", "data-does": does, "aria-expanded": "false", "aria-label": t(`${does}.of`, { name }), textContent: t(does), onclick: () => this.#open(button, more, below, fill) });
      return button;
    };
    const keys = opens("keys", () => {
      const found = new Keys(dialog, `${address}/keys`, this.roles[account.role]);
      found.fill();
      return found.element;
    });
    const password = this.byPassword ? opens("password", () => this.#password(name, address)) : null;
    const cells = [make("td", { dir: "auto", textContent: mine ? t("me", { name }) : name }), make("td", {}, role), make("td", { textContent: dialog.date(account.created_at) })];
    cells.push(state, make("td", {}, make("div", { class: "wb-ac-does" }, off, password, mine ? null : keys)));
    return [make("tr", { "data-person": name }, ...cells), more];
  }

  #roles(chosen) {
    return ROLES.map((role) => make("option", { value: role, selected: role === chosen, textContent: this.dialog.role(role) }));
  }

  #open(button, more, below, fill) {
    const open = button.getAttribute("aria-expanded") === "true";
    for (const other of button.parentElement.querySelectorAll("[aria-expanded]")) other.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-expanded", String(!open));
    more.hidden = open;
    below.replaceChildren(...(open ? [] : [fill()]));
    if (!open) below.querySelector("input")?.focus();
  }

  #password(name, address) {
    const fresh = field(this.t("password.for", { name }), { type: "password", autocomplete: "new-password", required: true, minlength: 10 });
    const told = status();
    const form = make("form", {}, fresh, make("button", { textContent: this.t("password.go") }), told);
    form.onsubmit = (event) => {
      event.preventDefault();
      doing(form, told, async () => {
        await this.api.patch(address, { password: value(fresh) });
        form.reset();
        told.textContent = this.t("password.done", { name });
      });
    };
    return form;
  }

  #form() {
    const { t } = this;
    const name = field(t("add.name"), { required: true, maxlength: 200, autocomplete: "off" });
    const password = field(t("password.new"), { type: "password", autocomplete: "new-password", required: true, minlength: 10 });
    const role = make("label", {}, make("span", { textContent: t("head.role") }), make("select", {}, ...this.#roles("annotator")));
    const form = make("form", { class: "wb-ac-add" }, name, role, password, make("button", { textContent: t("add.go") }));
    form.onsubmit = (event) => {
      event.preventDefault();
      doing(form, this.told, async () => {
        const body = { name: value(name), role: role.querySelector("select").value, password: value(password) };
        await this.api.post("/v1/accounts", body);
        form.reset();
        await this.fill();
        this.told.textContent = t("add.done", { name: body.name });
      });
    };
    return form;
  }
}

const status = () => make("p", { class: "wb-ac-told", role: "status" });
const value = (label) => label.querySelector("input").value;

function part(title, about, ...content) {
  return make("section", {}, make("h3", { textContent: title }), make("p", { class: "wb-ac-about", textContent: about }), ...content);
}

function field(words, attributes) {
  return make("label", {}, make("span", { textContent: words }), make("input", attributes));
}

/** Does something while its button or form takes nothing more; what went wrong is told. */
async function doing(node, told, work) {
  told.textContent = "";
  const buttons = node?.tagName === "FORM" ? [...node.querySelectorAll("button")] : node ? [node] : [];
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (failure) {
    told.textContent = explained(failure);
  }
  for (const button of buttons) button.disabled = false;
}
