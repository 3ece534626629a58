import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { listen } from "../../src/http/node-server.ts";
import { createServer } from "../../src/server/app.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import type { SigningProxy } from "../../src/sign-in/options.ts";
import { openForNina } from "../sign-in/signing-in.ts";
import { LOCAL } from "./raw-http.ts";

/*
 * The server behind nginx, configured as docs/operating.md shows.
 */

export const SIGN_IN = "docs/sign-in.md";

/** Why a test that needs these programs is skipped. */
export const without = (...programs: string[]) => {
  const missing = programs.find((program) => spawnSync(program, ["-v"]).error !== undefined);
  return missing && `${missing} is not installed`;
};

/** The example on a page of the documentation, with this upstream, and with files of a folder. */
function configuration(folder: string, upstream: string, page: string) {
  const [, example = ""] = fs.readFileSync(page, "utf8").split("```nginx\n");
  const [server = ""] = example.split("```");
  const places: Array<[string, string]> = [
    ...(page === SIGN_IN ? [["/etc/ssl/people.pem", `${folder}/person.pem`] as [string, string]] : []),
    ["listen 443 ssl", `listen unix:${folder}/socket ssl`],
    ["/etc/ssl/flags.example.pem", `${folder}/cert.pem`],
    ["/etc/ssl/flags.example.key", `${folder}/key.pem`],
    ["http://127.0.0.1:4242", upstream],
  ];
  for (const [place] of places) assert.ok(server.includes(place), place);
  const adapted = places.reduce((edited, [place, own]) => edited.replace(place, own), server);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (of) => `${of}_temp_path ${folder};`,
  );
  return `daemon off; pid ${folder}/pid; error_log stderr error; events {}
    http { access_log off; ${temporary.join(" ")} ${adapted} }`;
}

/** Starts the server and nginx before it, whose socket is in the folder, beside its certificate and Nina's. */
export async function openBehindNginx(t: TestContext, page: string, options: Partial<ServerOptions>) {
  const server = await openForNina(t);
  const { listener, streams } = createServer({ db: server.db, log: () => {}, trustsProxy: true, ...options });
  const listening = await listen(listener, LOCAL);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nginx-"));
  makeCertificate(folder);
  makeCertificate(folder, "nina", "person");
  fs.writeFileSync(`${folder}/nginx.conf`, configuration(folder, listening.url, page));
  const nginx = spawn("nginx", ["-c", `${folder}/nginx.conf`, "-p", folder], { stdio: "inherit" });
  t.after(async () => {
    if (nginx.kill()) await once(nginx, "exit");
    streams.close();
    await listening.close();
    fs.rmSync(folder, { recursive: true });
  });
  while (!fs.existsSync(`${folder}/pid`)) {
    assert.equal(nginx.exitCode, null, "nginx accepts the configuration");
    await setTimeout(20);
  }
  return { ...server, folder };
}

function makeCertificate(folder: string, name = "flags.example", file = "") {
  const making = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", `/O=Shop/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const files = [
    "-keyout",
    `${folder}/${file && `${file}-`}key.pem`,
    "-out",
    `${folder}/${file || "cert"}.pem`,
  ];
  execFileSync("openssl", [...making, ...subject, ...files], { stdio: "ignore" });
}

/** Believes nginx that a certificate is whose it says. */
export function byCertificate(): SigningProxy {
  const from = new net.BlockList();
  from.addAddress("127.0.0.1");
  return { from, headers: { user: "x-client-name" }, separator: ",", role: undefined, logout: undefined };
}
