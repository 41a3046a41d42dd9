// What works on the whole page: keys, and the address that names the item or the picture shown.
import { cameBack } from "../review/place.mjs";
import { lastNamed, nameInAddress } from "./address.mjs";
import "./focus.mjs";
import { reveal } from "./handed.mjs";
import { goTo } from "./tabs.mjs";

const REVEALED = ["try", "run"];
let opened = false;

document.addEventListener("workbench:item", ({ detail: { id, page } }) => {
  // The empty viewer of a page that has just been opened must not wipe out what it is to show.
  if (page === null && !opened) return;
  opened = true;
  nameInAddress(id === null ? { item: null, picture: page } : { item: id, picture: null });
});

// Whoever was reviewing, trying templates, or looking at a contest before the page was loaded anew goes on there.
if (cameBack() !== null) goTo(["dataset"]);
else {
  const named = lastNamed(location.search, ["item", "picture", ...REVEALED]);
  if (REVEALED.includes(named)) reveal(named);
}

document.addEventListener("pointerdown", () => (opened = true), { once: true, capture: true });
document.addEventListener("keydown", () => (opened = true), { once: true, capture: true });

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  const button = document.querySelector("#read-go");
  if (!button || button.disabled || button.offsetParent === null) return;
  event.preventDefault();
  // A field tells Gradio its value when it loses the focus at the latest.
  document.activeElement?.blur?.();
  setTimeout(() => button.click(), 0);
});
