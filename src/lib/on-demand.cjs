/*
 * What few starts need, loaded when it is first used. This is CommonJS, whose `require` waits until then; a bundle has
 * `scripts/embedded-on-demand.ts` in its place.
 */

exports.bcrypt = () => require("bcryptjs");

/** The Node SDK's evaluator, with the strategies that it knows. */
exports.evaluation = () => ({
  Client: require("unleash-client/lib/client.js").default,
  strategies: require("unleash-client/lib/strategy/index.js").defaultStrategies,
});

exports.openidClient = () => require("openid-client");

exports.otpauth = () => require("otpauth");

exports.promClient = () => require("prom-client");

exports.re2js = () => require("re2js");

exports.yaml = () => require("yaml");
