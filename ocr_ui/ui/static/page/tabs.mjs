// Goes to a tab, and to one within it. Gradio builds a tab when it is first shown.

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

/** @param {string[]} path ids of the tabs, the outer one first */
export async function goTo(path) {
  for (const id of path) {
    const found = await there(id);
    // Not within the change that brought it: Gradio is still wiring it.
    await new Promise((resolve) => setTimeout(resolve, 0));
    found.click();
  }
}
