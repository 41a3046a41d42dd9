import assert from "node:assert/strict";
import { test } from "node:test";

import { pixelsSaid } from "../../ocr_ui/ui/static/viewer/pixels.mjs";

const t = (key, values) => [key, ...Object.values(values ?? {})].join(" ");
const choice = { reason: "reduced", size: [620, 877], full: [1240, 1754], text_height: 26.2, target: 13, again: null };

test("a page with fewer pixels says how many, and why that is enough", () => {
  assert.equal(pixelsSaid(choice, t), "pixels_reduced 25 620 × 877 26 13");
});

test("a second reading with all pixels says so in place of the choice", () => {
  assert.equal(pixelsSaid({ ...choice, size: choice.full, again: { kept: true } }, t), "pixels_again");
  assert.equal(pixelsSaid({ ...choice, again: { kept: false } }, t), "pixels_reduced 25 620 × 877 26 13");
  const half = { ...choice, size: [876, 1240], again: { kept: true } };
  assert.equal(pixelsSaid(half, t), "pixels_reduced 50 876 × 1240 26 13", "there was no memory for all");
});

test("a page with all pixels says why, where a person may wonder", () => {
  const whole = { ...choice, size: choice.full };
  assert.equal(pixelsSaid({ ...whole, reason: "as_many" }, t), "pixels_as_many 100 1240 × 1754 26 13");
  assert.equal(pixelsSaid({ ...whole, reason: "unknown", text_height: null }, t), "pixels_unknown");
  assert.equal(pixelsSaid({ ...whole, reason: "uncalibrated", target: null }, t), "pixels_uncalibrated");
  assert.equal(pixelsSaid({ ...whole, reason: "few" }, t), "");
  assert.equal(pixelsSaid(null, t), "", "pixels did not go by need");
});
