/** Below which confidence a part of a page is marked: what was measured for it, else one limit for all. */

export const fieldPart = ({ kind = "text" }) => `field:${kind}`;

const foundFor = (value, part) => value.thresholds?.find((one) => one.part === part);

const counts = (one) => !!one && !one.unused.length;

/** The limit of a part: "line", "cell" or "field:KIND". */
export function limitOf(value, part) {
  const found = foundFor(value, part);
  return counts(found) ? found.threshold : (value.low_confidence ?? 0.8);
}

/** Which limits the lines, fields or cells of a page are held to and where they come from: a sentence for each part. */
export function limitSentences({ value, doc }, kind, t) {
  const parts = kind === "field" ? [...new Set(doc.fields.map(fieldPart))] : [kind];
  return parts.map((part) => limitSentence(value, part, t));
}

export function limitSentence(value, part, t) {
  const found = foundFor(value, part);
  const shown = { what: nameOf(part, t), limit: limitOf(value, part).toFixed(2) };
  if (!found) return t("limit_fixed", shown);
  if (!counts(found)) return t("limit_unused", { ...shown, why: whyUnused(found, t) });
  return t("limit_measured", { ...shown, n: found.count, percent: percentOf(found.miss_rate) });
}

/** A share in percent, with one digit at most. */
export const percentOf = (share) => Math.round(share * 1000) / 10;

/** Why a threshold does not count, in words; "" where it does. */
export const whyUnused = ({ unused }, t) => unused.map((why) => t(`unused_${why}`)).join(", ");

/** "Lines", "Fields (Amount)". */
export function nameOf(part, t) {
  const [head, kind] = part.split(":");
  return kind ? `${t("part_field")} (${t(`field_kind_${kind}`)})` : t(`part_${head}`);
}
