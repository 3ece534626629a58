export declare function evaluation(): {
  Client: typeof import("unleash-client/lib/client.js").default;
  strategies: typeof import("unleash-client/lib/strategy/index.js").defaultStrategies;
};
export declare function bcrypt(): typeof import("bcryptjs");
export declare function openidClient(): typeof import("openid-client");
export declare function otpauth(): typeof import("otpauth");
export declare function promClient(): typeof import("prom-client");
export declare function re2js(): typeof import("re2js");
export declare function yaml(): typeof import("yaml");
