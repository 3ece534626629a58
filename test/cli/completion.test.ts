import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { COMMANDS } from "../../src/cli/run.ts";
import { assertRefused, runHere } from "./run-cli.ts";

/** How to get each shell's completions for a line that ends in an unfinished word. */
const ASKING: Record<string, (words: string[]) => string> = {
  bash: (words) => `COMP_WORDS=(flagstone ${words.map((word) => `'${word}'`).join(" ")})
    COMP_CWORD=${words.length}; COMPREPLY=(); _flagstone; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Interactive completion needs a terminal, so print the candidates instead.
  zsh: (
    words,
  ) => `words=(flagstone ${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length + 1}
    _describe() { for one in "\${found[@]}"; [[ "$one" == "\${words[CURRENT]}"* ]] && print -- "\${one%%:*}" }
    _files() {}; _flagstone`,
  fish: (words) => `complete -C 'flagstone ${words.join(" ")}' | string replace -r '\\t.*' ''; true`,
};

async function completions(shell: string, words: string[]): Promise<string[]> {
  const { stdout } = await runHere(["completion", shell]);
  const before = shell === "zsh" ? "compdef() {}\n" : "";
  const script = `${before}${stdout}\n${ASKING[shell]!(words)}`;
  const args = shell === "bash" ? ["--norc"] : shell === "zsh" ? ["-f"] : ["--no-config"];
  const output = execFileSync(shell, [...args, "-c", script], { encoding: "utf8", cwd: "/" });
  return output.split("\n").filter((line) => line !== "");
}

const isThere = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

for (const shell of Object.keys(ASKING)) {
  describe(`completion in ${shell}`, { skip: !isThere(shell) && `${shell} is not installed` }, () => {
    test("all commands, and the options of the one that needs no name", async () => {
      const first = new Set(COMMANDS.map(({ name }) => name.split(" ")[0]!));
      const offered = new Set([...(await completions(shell, [""])), ...(await completions(shell, ["--"]))]);
      for (const word of [...first, "--port"]) assert.ok(offered.has(word), word);
      assert.ok(!offered.has("create") && !offered.has("--json"));
    });

    test("a partial command, a group's commands, a command's options, an option's values", async () => {
      assert.deepEqual(await completions(shell, ["exp"]), ["export"]);
      assert.deepEqual((await completions(shell, ["token", ""])).toSorted(), ["create", "list", "revoke"]);
      assert.deepEqual(await completions(shell, ["token", "create", "ci", "--us"]), ["--user"]);
      assert.deepEqual((await completions(shell, ["serve", "--log-format", ""])).toSorted(), [
        "json",
        "pretty",
      ]);
      assert.deepEqual(await completions(shell, ["token", "create", "--type", "fr"]), ["frontend"]);
      const files = await completions(shell, ["demo", "--export", ""]);
      assert.ok(!files.includes("FILE") && !files.includes("-"), "files, completed by the shell");
      assert.deepEqual((await completions(shell, ["help", "us"])).slice(0, 1), ["user"]);
    });
  });
}

test("an unknown shell is named", async () => {
  const message = "unknown shell tcsh: must be one of bash, zsh, fish";
  assertRefused(await runHere(["completion", "tcsh"]), 2, message, " completion");
  assertRefused(
    await runHere(["completion", "toString"]),
    2,
    message.replace("tcsh", "toString"),
    " completion",
  );
});
