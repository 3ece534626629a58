import assert from "node:assert/strict";
import { test } from "node:test";
import { renderTemplate, templateProblem } from "../../src/lib/template.ts";

const VALUES = Array.from({ length: 300 }, (_, index) => `v${index}`);
const VIEW = {
  event: { type: "segment-created", data: { constraints: [{ values: VALUES }], text: "x".repeat(9000) } },
};

const render = (template: string, view: object = VIEW) => renderTemplate(template, view, (text) => text);

/** A template within as many sections. */
const within = (name: string, depth: number, template: string) =>
  `{{#${name}}}`.repeat(depth) + template + `{{/${name}}}`.repeat(depth);

const VALUES_WITHIN = (template: string) =>
  within("event.data.constraints", 1, within("values", 1, template));

for (const [name, template, expected] of [
  ["a list in a list", VALUES_WITHIN("{{.}},"), VALUES.map((value) => `${value},`).join("")],
  ["an inverted section", "{{^event.project}}none{{/event.project}}", "none"],
  ["a list as text", "{{event.data.constraints.0.values}}", VALUES.join()],
  ["an object as text", "{{event.data}}", "[object Object]"],
  ["a path through text", "{{event.type.length}}", "15"],
  ["other delimiters", "{{=<% %>=}}<%event.type%>", "segment-created"],
  ["partials are empty", "a{{>event}}b", "ab"],
  ["functions are not found", "{{event.data.constraints.pop}}{{event.constructor}}{{toString}}", ""],
  ["prototypes are not found", "{{#event.__proto__}}never{{/event.__proto__}}{{__proto__}}", ""],
] as const)
  test(`a template has what it names: ${name}`, () => {
    assert.equal(templateProblem(template), undefined);
    assert.equal(render(template), expected);
  });

test("an object with a text as its toString is text all the same", () =>
  assert.equal(
    render("{{a}} {{{a}}} {{b}}", { a: { toString: "x" }, b: [null, { valueOf: 1 }] }),
    "[object Object] [object Object] ,[object Object]",
  ));

for (const [name, template, view = VIEW] of [
  ["a list within itself six times", within("event.data.constraints", 1, within("values", 6, ""))],
  [
    "a list within itself by its path",
    VALUES_WITHIN(VALUES_WITHIN("{{.}}").replaceAll("values", "event.data.constraints.0.values")),
  ],
  ["comments in each item", VALUES_WITHIN("{{!}}".repeat(2000))],
  ["long paths in each item", VALUES_WITHIN(`{{${"a.".repeat(2000)}a}}`)],
  ["deep sections", within("event", 700, "{{x}}")],
  ["nested lists as text", VALUES_WITHIN("{{nested}}"), { ...VIEW, nested: VALUES.map(() => [[[]]]) }],
] as const)
  test(`a rendering that takes too many steps is refused: ${name}`, () =>
    assert.throws(
      () => render(template, view),
      /^Error: must not take more than 100000 steps for an event$/,
    ));

for (const braces of ["{{event.data.text}}", "{{{event.data.text}}}", "x".repeat(8000)])
  test(`a result that is too long is refused: ${braces.slice(0, 10)}`, () =>
    assert.throws(
      () => render(VALUES_WITHIN(braces.repeat(2)), VIEW),
      /^Error: must not give more than 4194304 characters$/,
    ));

for (const [name, template, problem] of [
  [
    "a list within itself",
    within("values", 2, ""),
    "must not have the section values within itself, since each would multiply the work",
  ],
  [
    "the same with another in between",
    within("values", 1, within("a", 1, within("values", 1, ""))),
    "must not have the section values within itself, since each would multiply the work",
  ],
  ["a template of 1 MB", "x".repeat(1024 * 1024), "must have at most 16384 characters"],
  ["spaces that take long to parse", `{{a${" ".repeat(100)}`, "must not have 100 spaces in a row"],
  ["a section that is not closed", "{{#a}}", 'must be a Mustache template: Unclosed section "a" at 6'],
] as const)
  test(`a template may not be saved: ${name}`, () => assert.equal(templateProblem(template), problem));

test("what may not be saved is refused in a file that has it", () => {
  for (const template of ["x".repeat(16 * 1024 + 1), " ".repeat(100), "{{#a}}"])
    assert.throws(() => render(template), /^Error: must /);
});
