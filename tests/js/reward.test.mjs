import assert from "node:assert/strict";
import test from "node:test";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
import { LiveReward } from "../../ocr_ui/ui/static/viewer/reward.mjs";
import { valueText } from "../../ocr_ui/ui/static/viewer/rewardline.mjs";

const LINE = { id: "l0", text: "Total", quad: null };
const VALUE = { item: { recognition_id: 7, page: { sha256: "a" } }, lines: [LINE], text: "Total" };
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** An editor with a result; questions wait until they are answered by hand. */
async function make(value = VALUE) {
  const asked = [];
  const api = {
    post: (path, body) =>
      new Promise((resolve, reject) => asked.push({ path, ...body, text: body.content.text, resolve, reject })),
  };
  const editor = new Editor();
  const reward = new LiveReward({ editor, api, delay: 1 });
  editor.load(value, "replace");
  await turn();
  return { editor, reward, asked };
}

const scored = (reward, more = {}) => ({ reward, label_problems: [], rewards: [], file: "", ...more });

async function answer(question, value) {
  question.resolve(value);
  await turn();
}

test("a result is scored when it is there, and again as it is edited", async () => {
  const { editor, reward, asked } = await make();
  assert.deepEqual([asked[0].path, asked[0].text, asked[0].part], ["/v1/items/7/rewards", "Total", "rules"]);
  await answer(asked[0], scored(1));
  assert.equal(reward.fresh, true);
  editor.setText("l0", "Tota");
  assert.equal(reward.fresh, false);
  await turn();
  assert.equal(asked[1].text, "Tota");
  await answer(asked[1], scored(0.8));
  assert.deepEqual([reward.scored.reward, reward.fresh], [0.8, true]);
});

test("the answer to an older edit never takes the place of a newer one", async () => {
  const { editor, reward, asked } = await make();
  editor.setText("l0", "Totals");
  await turn();
  await answer(asked[1], scored(0.5));
  await answer(asked[0], scored(1));
  assert.equal(reward.scored.reward, 0.5);
  asked[0].reject(new Error("late"));
  await turn();
  assert.equal(reward.failure, null);
});

test("what an undo brings back needs no question", async () => {
  const { editor, reward, asked } = await make();
  await answer(asked[0], scored(1));
  editor.setText("l0", "x");
  await turn();
  await answer(asked[1], scored(0));
  editor.undo();
  assert.deepEqual([reward.scored.reward, reward.fresh, asked.length], [1, true, 2]);
  await turn();
  assert.equal(asked.length, 2);
});

test("nothing is asked while it is read, and a failure is kept until the next edit", async () => {
  const running = { ...VALUE, run: { state: "running" } };
  const { editor, reward, asked } = await make(running);
  assert.equal(asked.length, 0);
  editor.load(VALUE, "merge");
  await turn();
  const failure = new Error("gone");
  asked[0].reject(failure);
  await turn();
  assert.equal(reward.failure, failure);
  editor.setText("l0", "x");
  await turn();
  await answer(asked[1], scored(1));
  assert.equal(reward.failure, null);
});

test("a mend is one step that undo takes back", async () => {
  const { editor, reward, asked } = await make();
  const content = { lines: [{ ...LINE, text: "Mended" }], text: "Mended" };
  await answer(asked[0], scored(null, { label_problems: [{ code: "by_hand" }, { code: "c", content }] }));
  reward.mend();
  assert.equal(editor.doc.lines[0].text, "Mended");
  editor.undo();
  assert.equal(editor.doc.lines[0].text, "Total");
});

test("a mend of a label that has changed since waits for the answer to what it is now", async () => {
  const { editor, reward, asked } = await make();
  const mended = (text) => ({ code: "c", content: { lines: [{ ...LINE, text }], text } });
  await answer(asked[0], scored(null, { label_problems: [mended("old")] }));
  editor.setText("l0", "Total!");
  reward.mend("c");
  assert.equal(editor.doc.lines[0].text, "Total!");
  await turn();
  await answer(asked.at(-1), scored(null, { label_problems: [mended("new!")] }));
  assert.equal(editor.doc.lines[0].text, "new!");
});

test("the team's function is asked by itself, one question at a time, and the newest label in the end", async () => {
  const { editor, reward, asked } = await make();
  await answer(asked[0], scored(1, { file: "team.py:compute_score" }));
  assert.deepEqual([asked[1].part, reward.fileFresh], ["file", false]);
  editor.setText("l0", "x");
  await turn();
  await answer(asked[2], scored(0.1, { file: "team.py:compute_score" }));
  assert.equal(reward.scored.reward, 0.1, "the rules do not wait for it");
  assert.equal(asked.length, 3);
  await answer(asked[1], { rewards: [{ name: "team.py:compute_score", reward: 5 }] });
  assert.equal(reward.file, null, "that was of the label before");
  assert.deepEqual([asked[3].part, asked[3].text], ["file", "x"]);
  await answer(asked[3], { rewards: [{ name: "team.py:compute_score", reward: 6 }] });
  assert.deepEqual([reward.file.reward, reward.fileFresh], [6, true]);
});

test("values are never rounded up to what they are not", () => {
  assert.deepEqual([1, 0, -1, 0.999, 0.835, 0.5].map(valueText), ["1", "0", "−1", "0.99", "0.83", "0.50"]);
});
