/** All tests in one process, which takes a sixth of the time of a process for each file. */

import { readdirSync } from "node:fs";

for (const name of readdirSync(new URL(".", import.meta.url)).sort()) {
  if (name.endsWith(".test.mjs")) await import(`./${name}`);
}
