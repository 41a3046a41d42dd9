/** How wide texts are, as the browser draws them. */

const FONT = '100px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif';

let pen = null;

/** The width of a text in hundredths of its letters' height; for ratios between texts of one line. */
export function widthOf(text) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = FONT;
  return pen.measureText(text).width;
}
