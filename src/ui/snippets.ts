/** Sample code for an application. It keeps running, since SDKs report a flag's usage once a minute. */
export interface Snippet {
  language: string;
  text: string;
}

interface SnippetOptions {
  /** The server's address. */
  url: string;
  token: string;
  feature: string;
  /** Whether the token is a frontend token, for code that runs on users' devices. */
  isFrontend: boolean;
}

type Write = (options: SnippetOptions) => string;

const CURL: Write = ({ url, token, feature }) =>
  `curl -X POST "${url}/ofrep/v1/evaluate/flags/${encodeURIComponent(feature)}" \\
  -H "Authorization: ${token}" -H "Content-Type: application/json" \\
  -d '{"context": {"targetingKey": "1"}}'`;

const CLIENT_SNIPPETS: Readonly<Record<string, Write>> = {
  "Node.js": ({ url, token, feature }) => `// npm install unleash-client
import { startUnleash } from "unleash-client";

const unleash = await startUnleash({
  url: "${url}/api/",
  appName: "my-app",
  customHeaders: { Authorization: "${token}" },
});
const check = () => console.log(unleash.isEnabled("${feature}", { userId: "1" }));
setInterval(check, 1000);`,

  Python: ({ url, token, feature }) => `# pip install UnleashClient
import time
from UnleashClient import UnleashClient

client = UnleashClient(
    url="${url}/api",
    app_name="my-app",
    custom_headers={"Authorization": "${token}"},
)
client.initialize_client()
while True:
    print(client.is_enabled("${feature}", {"userId": "1"}))
    time.sleep(1)`,

  Go: ({ url, token, feature }) => `// go get github.com/Unleash/unleash-client-go/v4
unleash.Initialize(
	unleash.WithUrl("${url}/api/"),
	unleash.WithAppName("my-app"),
	unleash.WithCustomHeaders(http.Header{"Authorization": {"${token}"}}),
)
unleash.WaitForReady()
for range time.Tick(time.Second) {
	fmt.Println(unleash.IsEnabled("${feature}"))
}`,

  Java: ({ url, token, feature }) => `// io.getunleash:unleash-client-java
Unleash unleash = new DefaultUnleash(UnleashConfig.builder()
    .appName("my-app")
    .unleashAPI("${url}/api/")
    .apiKey("${token}")
    .synchronousFetchOnInitialisation(true)
    .build());
while (true) {
    System.out.println(unleash.isEnabled("${feature}"));
    Thread.sleep(1000);
}`,

  OpenFeature: ({
    url,
    token,
    feature,
  }) => `// npm install @openfeature/server-sdk @openfeature/ofrep-provider
import { OpenFeature } from "@openfeature/server-sdk";
import { OFREPProvider } from "@openfeature/ofrep-provider";

await OpenFeature.setProviderAndWait(
  new OFREPProvider({ baseUrl: "${url}", headers: [["Authorization", "${token}"]] }),
);
console.log(await OpenFeature.getClient().getBooleanValue("${feature}", false, { targetingKey: "1" }));`,

  curl: CURL,
};

const FRONTEND_SNIPPETS: Readonly<Record<string, Write>> = {
  Browser: ({ url, token, feature }) => `// npm install unleash-proxy-client
import { UnleashClient } from "unleash-proxy-client";

const unleash = new UnleashClient({
  url: "${url}/api/frontend",
  clientKey: "${token}",
  appName: "my-app",
});
await unleash.start();
console.log(unleash.isEnabled("${feature}"));`,

  React: ({ url, token, feature }) => `// npm install @unleash/proxy-client-react unleash-proxy-client
import { FlagProvider, useFlag } from "@unleash/proxy-client-react";

const config = { url: "${url}/api/frontend", clientKey: "${token}", appName: "my-app" };
const Shown = () => (useFlag("${feature}") ? "on" : "off");
export const App = () => <FlagProvider config={config}><Shown /></FlagProvider>;`,

  curl: CURL,
};

/** One for each language that this kind of token is used in. */
export const snippetsFor = (options: SnippetOptions): Snippet[] =>
  Object.entries(options.isFrontend ? FRONTEND_SNIPPETS : CLIENT_SNIPPETS).map(([language, write]) => ({
    language,
    text: write(options),
  }));
