/** What cannot be taken back is done at the second press. */

const SURE_MS = 5000;

/**
 * Whether a button is pressed for the second time within a while; after the first press it asks.
 * @param {{usual: string, sure: string}} words what the button says, and what it says while it asks
 */
export function isSure(button, { usual, sure }) {
  if (button.dataset.sure) return true;
  button.dataset.sure = "1";
  button.textContent = sure;
  setTimeout(() => {
    delete button.dataset.sure;
    button.textContent = usual;
  }, SURE_MS);
  return false;
}
