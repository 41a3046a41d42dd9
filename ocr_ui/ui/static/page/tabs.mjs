// Goes to a tab, and to one within it. Gradio builds a tab when it is first shown.

import { inTab } from "./kept.mjs";

const KEPT = "workbench.tabs";

const tab = (id) => document.querySelector(`[role=tab][data-tab-id=${id}]`);

/** Waits until a tab is there. */
function there(id) {
  return new Promise((resolve) => {
    if (tab(id)) return resolve(tab(id));
    const looking = new MutationObserver(() => {
      if (!tab(id)) return;
      looking.disconnect();
      resolve(tab(id));
    });
    return looking.observe(document.documentElement, { childList: true, subtree: true });
  });
}

/**
 * Ends before a tab that this person is not shown.
 * @param {string[]} path ids of the tabs, the outer one first
 */
export async function goTo(path) {
  for (const id of path) {
    const found = await there(id);
    // Not within the change that brought it: Gradio is still wiring it.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (getComputedStyle(found).display === "none") return;
    found.click();
  }
}

/** Keeps which tabs are open for the page in the other language. */
export function keepTabs() {
  const open = [...document.querySelectorAll("[role=tab][aria-selected=true][data-tab-id]")].filter((one) => one.offsetParent);
  inTab.putValue(KEPT, open.map(({ dataset }) => dataset.tabId));
}

/** Goes to the tabs that were kept, once; which ones somebody is shown is known by then. */
export async function goBack() {
  const open = inTab.value(KEPT);
  inTab.drop(KEPT);
  if (open) await goTo(open);
}
