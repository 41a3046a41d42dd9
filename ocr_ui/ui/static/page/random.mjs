// Keys that nobody else makes up, for saves that count once and for tabs that hold pages.

/**
 * A random UUID, version 4. Browsers have `crypto.randomUUID` on pages of https and localhost alone; the page is also
 * opened by http over a local network, where random bytes are there all the same.
 */
export function randomKey(crypto = globalThis.crypto) {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
