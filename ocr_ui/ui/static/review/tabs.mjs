/** Which tabs of this browser are at the desk: each holds a lock named after its holder for as long as it lives. */

const PREFIX = "workbench.desk.";

/** Says until the signal that this holder is at work; a page that does not come over https has no locks to say it with. */
export function atDesk(holder, signal) {
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
  navigator.locks?.request(PREFIX + holder, () => ended);
}

/** The holders that are at work in this browser. */
export async function desks() {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.filter(({ name }) => name.startsWith(PREFIX)).map(({ name }) => name.slice(PREFIX.length));
}
