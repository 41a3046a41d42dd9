// The strip of example pictures. Choosing one triggers `select` with its name.
import { make, parsed } from "./dom.mjs";

export function mount({ element, props, trigger }) {
  const words = parsed(props.words, {});
  const strip = element.querySelector(".wb-examples");
  const buttons = parsed(props.value, []).map((example, index) =>
    make(
      "button",
      {
        type: "button",
        class: "wb-example",
        "data-name": example.name,
        onclick: () => trigger("select", { index, value: example.name }),
      },
      make("img", { src: example.thumbnail, alt: "", loading: "lazy", width: 72, height: 72 }),
      make("span", { textContent: example.title }),
    ),
  );
  strip.replaceChildren(
    make("h2", { id: "wb-examples-title", textContent: words["read.examples"] }),
    make("div", { class: "wb-strip", role: "group", "aria-labelledby": "wb-examples-title" }, ...buttons),
  );
}
