// Focus that is lost finds a place: who works by keyboard is not thrown back to the top of the page when a button is
// disabled, a row is deleted, a dialog closes or a drop-down list lets go of the focus.

const CHECK_MS = 100; // browsers tell nobody when the focused element is disabled, hidden or removed
const FOCUSABLE = "button, a[href], input, textarea, select, [tabindex='0']";

let path = []; // the element that had the focus last, and those around it

document.addEventListener("focusin", (event) => {
  path = event.composedPath().filter((node) => node instanceof HTMLElement && node !== document.body);
});

// Who clicks on an empty place wants no focus.
document.addEventListener("pointerdown", () => (path = []), { capture: true });

setInterval(() => {
  const lost = document.activeElement === null || document.activeElement === document.body;
  if (!lost || !path.length || !document.hasFocus() || document.querySelector("dialog[open]")) return;
  const [last] = path;
  if (usable(last)) return giveBack(last);
  homeOf(path)?.focus({ preventScroll: true });
}, CHECK_MS);

const seen = (element) => element.isConnected && element.getClientRects().length > 0;

const usable = (element) => seen(element) && !element.disabled && !element.closest("[inert]");

function giveBack(element) {
  element.focus({ preventScroll: true });
  // A drop-down list opens when it gets the focus; it has just been closed.
  if (element.hasAttribute("aria-expanded")) {
    element.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
  }
}

/** The place nearest to where the focus was. In the viewer that is the list: its keys work there. */
function homeOf(elements) {
  for (const element of elements.slice(1)) {
    const opened = element.matches(".wb-list") && !seen(element); // an item of the list is now in the viewer
    if (element.matches(".vw")) return viewerHome(element);
    if (opened) return viewerHome(document.querySelector(".vw"));
    const first = seen(element) ? firstIn(element) : null;
    if (first && !element.closest(".vw")) return first;
  }
  return null;
}

const viewerHome = (viewer) =>
  [".vw-list", "[role=tab][aria-selected=true]"].map((part) => viewer?.querySelector(part)).find((one) => one && usable(one));

const firstIn = (element) => [...element.querySelectorAll(FOCUSABLE)].find(usable) ?? null;
