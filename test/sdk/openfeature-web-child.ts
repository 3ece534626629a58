import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, type Provider, ProviderEvents } from "@openfeature/web-sdk";

/*
 * A web page, as far as a process can be one: the provider for browsers with the platform's EventSource. Prints the value
 * of a flag at the start and after each change.
 */

const [, , baseUrl = "", token = ""] = process.argv;
const client = OpenFeature.getClient();
const tell = () => process.send!(client.getBooleanValue("menu", false));
const provider = new OFREPWebProvider({ baseUrl, headers: [["Authorization", `Bearer ${token}`]] });
await OpenFeature.setProviderAndWait(provider as Provider); // exactOptionalPropertyTypes makes the types incompatible
tell();
client.addHandler(ProviderEvents.ConfigurationChanged, tell);
