// What works on the whole page: keys, and the address that names the item shown.

let opened = false;

document.addEventListener("workbench:item", ({ detail }) => {
  const address = new URL(location.href);
  const shown = address.searchParams.get("item");
  // The empty viewer of a page that has just been opened must not wipe out the item it is to show.
  if (String(detail.id ?? "") === (shown ?? "") || (detail.id === null && !opened)) return;
  opened = true;
  if (detail.id === null) address.searchParams.delete("item");
  else address.searchParams.set("item", detail.id);
  history.replaceState(history.state, "", address);
});

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
