// Keys that work anywhere on the page.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  const button = document.querySelector("#read-go");
  if (!button || button.disabled || button.offsetParent === null) return;
  event.preventDefault();
  // A field tells Gradio its value when it loses the focus at the latest.
  document.activeElement?.blur?.();
  setTimeout(() => button.click(), 0);
});
