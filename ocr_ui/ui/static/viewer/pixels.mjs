/** With how many pixels a page was read, in words: `choice` as domain/pixels.py writes it, or nothing. */

export function pixelsSaid(choice, t) {
  if (!choice) return "";
  const { reason, size, full, again } = choice;
  const percent = Math.round((100 * size[0] * size[1]) / (full[0] * full[1]));
  const told = { percent, size: size.join(" × "), height: rounded(choice.text_height), target: rounded(choice.target) };
  if (again?.kept && percent === 100) return t("pixels_again");
  if (reason === "reduced") return t("pixels_reduced", told);
  if (reason === "as_many") return t("pixels_as_many", told);
  if (reason === "unknown") return t("pixels_unknown");
  return reason === "uncalibrated" ? t("pixels_uncalibrated") : "";
}

const rounded = (height) => (height == null ? "" : Math.round(height));
