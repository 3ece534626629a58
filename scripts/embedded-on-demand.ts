import { compileFunction } from "node:vm";
import { asset } from "./embedded-assets.ts";

/*
 * Takes the place of src/lib/on-demand.cjs in a bundle, and loads it from an asset: it is a third of the code, which most
 * starts need not even parse.
 */

type OnDemand = typeof import("../src/lib/on-demand.cjs");

let loaded: OnDemand | undefined;

const from = <N extends keyof OnDemand>(name: N): OnDemand[N] =>
  (() => {
    loaded ??= load();
    return loaded[name]();
  }) as OnDemand[N];

function load(): OnDemand {
  const name = "on-demand.cjs";
  const exports = {} as OnDemand;
  compileFunction(asset(name).toString(), ["exports", "require"], { filename: name })(exports, require);
  return exports;
}

export const bcrypt = from("bcrypt");
export const evaluation = from("evaluation");
export const openidClient = from("openidClient");
export const otpauth = from("otpauth");
export const promClient = from("promClient");
export const re2js = from("re2js");
export const yaml = from("yaml");
