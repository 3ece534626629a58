/** Sample code for an application: what to install and what to write. */
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

const NODE = ({ url, token, feature }: SnippetOptions) => `// npm install unleash-client
import { startUnleash } from "unleash-client";

const unleash = await startUnleash({
  url: "${url}/api/",
  appName: "my-app",
  customHeaders: { Authorization: "${token}" },
});
console.log(unleash.isEnabled("${feature}", { userId: "1" }));`;

const PYTHON = ({ url, token, feature }: SnippetOptions) => `# pip install UnleashClient
from UnleashClient import UnleashClient

client = UnleashClient(
    url="${url}/api",
    app_name="my-app",
    custom_headers={"Authorization": "${token}"},
)
client.initialize_client()
print(client.is_enabled("${feature}", {"userId": "1"}))`;

const GO = ({ url, token, feature }: SnippetOptions) => `// go get github.com/Unleash/unleash-client-go/v4
unleash.Initialize(
	unleash.WithUrl("${url}/api/"),
	unleash.WithAppName("my-app"),
	unleash.WithCustomHeaders(http.Header{"Authorization": {"${token}"}}),
)
unleash.WaitForReady()
fmt.Println(unleash.IsEnabled("${feature}"))`;

const JAVA = ({ url, token, feature }: SnippetOptions) => `// io.getunleash:unleash-client-java
Unleash unleash = new DefaultUnleash(UnleashConfig.builder()
    .appName("my-app")
    .unleashAPI("${url}/api/")
    .apiKey("${token}")
    .build());
System.out.println(unleash.isEnabled("${feature}"));`;

const BROWSER = ({ url, token, feature }: SnippetOptions) => `// npm install unleash-proxy-client
import { UnleashClient } from "unleash-proxy-client";

const unleash = new UnleashClient({
  url: "${url}/api/frontend",
  clientKey: "${token}",
  appName: "my-app",
});
await unleash.start();
console.log(unleash.isEnabled("${feature}"));`;

const REACT = ({
  url,
  token,
  feature,
}: SnippetOptions) => `// npm install @unleash/proxy-client-react unleash-proxy-client
import { FlagProvider, useFlag } from "@unleash/proxy-client-react";

const config = { url: "${url}/api/frontend", clientKey: "${token}", appName: "my-app" };
const Shown = () => (useFlag("${feature}") ? "on" : "off");
export const App = () => <FlagProvider config={config}><Shown /></FlagProvider>;`;

const OPENFEATURE = ({
  url,
  token,
  feature,
}: SnippetOptions) => `// npm install @openfeature/server-sdk @openfeature/ofrep-provider
import { OpenFeature } from "@openfeature/server-sdk";
import { OFREPProvider } from "@openfeature/ofrep-provider";

await OpenFeature.setProviderAndWait(
  new OFREPProvider({ baseUrl: "${url}", headers: [["Authorization", "${token}"]] }),
);
console.log(await OpenFeature.getClient().getBooleanValue("${feature}", false, { targetingKey: "1" }));`;

const CURL = ({ url, token, isFrontend }: SnippetOptions) =>
  `curl -H "Authorization: ${token}" "${url}/api/${isFrontend ? "frontend?userId=1" : "client/features"}"`;

const CLIENT_SNIPPETS = {
  "Node.js": NODE,
  Python: PYTHON,
  Go: GO,
  Java: JAVA,
  OpenFeature: OPENFEATURE,
  curl: CURL,
};
const FRONTEND_SNIPPETS = { Browser: BROWSER, React: REACT, curl: CURL };

/** One for each language that this kind of token is used in. */
export const snippetsFor = (options: SnippetOptions): Snippet[] =>
  Object.entries(options.isFrontend ? FRONTEND_SNIPPETS : CLIENT_SNIPPETS).map(([language, write]) => ({
    language,
    text: write(options),
  }));
