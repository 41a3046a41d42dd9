import assert from "node:assert/strict";
import test from "node:test";
import { found } from "../../ocr_ui/ui/static/prompts/search.mjs";
import { copyName, languageOf, nearest, partnerName, partnerOf, pastedValues, pieces, remarks, settingChanges, textDiff, withoutBlankChoices } from "../../ocr_ui/ui/static/prompts/wording.mjs";

const OFFICIAL = [
  { name: "fields", task: "fields", text: "提取图片中的: {{fields}} 的字段内容，并按照 JSON 格式返回。" },
  { name: "fields_en", task: "fields", text: "Extract the content of the fields: {{fields}} from the image and return it in JSON format." },
  { name: "qa", task: "qa", text: "{{question}}" },
];
const plain = { task: "fields", structured: false, sampling: { temperature: 0 }, variables: [] };
const variable = { name: "a", default: null, many: false, options: [] };

test("blanks are told apart from words, from unknown ones and from what only looks like one", () => {
  const kinds = pieces("Give {{ a }} and {{b}}, {a} {{A}} {", ["a"]).map(({ text, kind }) => [text, kind]);
  assert.deepEqual(kinds, [
    ["Give ", "text"], ["{{ a }}", "known"], [" and ", "text"], ["{{b}}", "unknown"],
    [", ", "text"], ["{a}", "odd"], [" ", "text"], ["{{A}}", "odd"], [" {", "text"],
  ]);
  const text = "x{{a}}{{a}}\n{{b}} {'k': 1} {{";
  assert.equal(pieces(text, []).map((one) => one.text).join(""), text);
});

test("remarks name what keeps a wording from being saved, and what does not", () => {
  const said = (text) => remarks(text, [variable, { ...variable, name: "left" }]).map(({ code, name }) => `${code} ${name}`);
  assert.deepEqual(said("{{a}} {{b}} {{b}} {c}"), ["unknown b", "odd {c}", "unused left"]);
  assert.deepEqual(said("{{a}} {{left}}"), []);
  assert.deepEqual(said(" \n"), ["empty ", "unused a", "unused left"]);
});

test("a difference of wordings is one of characters in Chinese and of words elsewhere", () => {
  const shown = (before, after) => textDiff(before, after).map(({ kind, text }) => ({ same: "=", removed: "-", added: "+" })[kind] + text);
  assert.deepEqual(shown("提取图中的文字。", "提取图片中的文字。"), ["=提取图", "+片", "=中的文字。"]);
  assert.deepEqual(shown("Read the table", "Read this table"), ["=Read ", "-the", "+this", "= table"]);
  assert.deepEqual(shown("a {{x}}", "a {{y}}"), ["=a ", "-{{x}}", "+{{y}}"]);
  assert.deepEqual(shown("", "a"), ["+a"]);
});

test("what differs beside the text is named with both sides", () => {
  const other = { ...plain, structured: true, sampling: { temperature: 0.5, top_k: 3 }, variables: [{ ...variable, many: true, default: "x", options: [{ value: "x", text: "X" }] }] };
  assert.deepEqual(settingChanges(plain, other), [
    { key: "structured", before: "false", after: "true" },
    { key: "temperature", before: "0", after: "0.5" },
    { key: "top_k", before: "", after: "3" },
    { key: "variables", before: "", after: "a[] = x (x → X)" },
  ]);
  assert.deepEqual(settingChanges(other, other), []);
});

test("the nearest official wording of the task is found, and whether it is that one", () => {
  assert.equal(nearest("Extract the fields {{names}} as JSON.", "fields", OFFICIAL).name, "fields_en");
  assert.equal(nearest("提取字段 {{names}}", "fields", OFFICIAL).name, "fields");
  assert.equal(nearest("提取图片中的: {{names}} 的字段内容，并按照 JSON 格式返回。", "fields", OFFICIAL).same, true);
  assert.equal(nearest("提取图片中的: {{fields}} 的字段内容。", "fields", OFFICIAL).same, false);
  assert.equal(nearest("What is the total?", "qa", OFFICIAL), null);
  assert.equal(nearest("x", "table", OFFICIAL), null);
});

test("the wording of the other language is found by its name", () => {
  const names = ["fields", "fields_en", "value_zh", "value_en", "table"];
  assert.deepEqual(["fields", "fields_en", "value_en", "table"].map((name) => partnerOf(name, names)), ["fields_en", "fields", "value_zh", ""]);
  assert.deepEqual([partnerName("table", "把图中的表格解析为HTML。"), partnerName("mine", "Read it.")], ["table_en", "mine_zh"]);
  assert.deepEqual([languageOf("提取 JSON"), languageOf("Read the word 好 on it")], ["zh", "en"]);
  assert.equal(copyName("table", ["table", "table_2"]), "table_3");
  assert.equal(copyName("a".repeat(41), []).length, 38);
});

test("choices are saved as they stand, without rows in which nothing was typed", () => {
  const options = [{ value: "a = b", label: { en: "English" }, text: "two\nlines" }, { value: " ", label: { zh: "" }, text: null }, { value: "", label: { zh: "德文" }, text: null }];
  assert.deepEqual(withoutBlankChoices([{ ...variable, options }]), [{ name: "a", default: null, many: false, choices: [options[0], options[2]] }]);
  assert.deepEqual(pastedValues(" fr \r\n\nde = x\n"), ["fr", "de = x"]);
});

test("a search finds every word anywhere in a template, whatever its width and case", () => {
  const one = { name: "receipt", title: { en: "Till receipt" }, description: { zh: "小票" }, text: "Read ＴＨＥ total", tags: ["shop"] };
  assert.equal(found([one], "the SHOP 小票").length, 1);
  assert.equal(found([one], "the bank").length, 0);
  assert.equal(found([one], " ").length, 1);
});

test("a wording that has nothing of an official one is held beside the first, and one of the same writing", () => {
  const some = [
    { name: "plain", task: "spotting", text: "检测并识别图片中的文字，将文本坐标格式化输出。" },
    { name: "json", task: "spotting", text: '检测并识别图中所有的文字行。 输出格式为 JSON 数组： "box": [xmin, ymin, xmax, ymax] ； "text": "识别出的文字内容"。' },
  ];
  assert.equal(nearest("Read 5", "spotting", some).name, "plain");
  assert.equal(nearest("检测并识别图中所有的文字行。 输出格式为 JSON 数组：text", "spotting", some).name, "json");
  assert.equal(nearest("Extract the fields {{a}} as JSON.", "fields", OFFICIAL).name, "fields_en");
  assert.equal(nearest("Say {{a}}", "fields", OFFICIAL).name, "fields_en");
});
