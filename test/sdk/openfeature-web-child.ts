import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, type Provider, ProviderEvents } from "@openfeature/web-sdk";

/*
 * A page, as far as a process can be one: the provider for browsers, and the platform's own EventSource. Says the value
 * of a flag at its start and after each change.
 */

const [, , baseUrl = "", token = ""] = process.argv;
const client = OpenFeature.getClient();
const tell = () => process.send!(client.getBooleanValue("menu", false));
const provider = new OFREPWebProvider({ baseUrl, headers: [["Authorization", `Bearer ${token}`]] });
await OpenFeature.setProviderAndWait(provider as Provider); // their types leave open what ours may not
tell();
client.addHandler(ProviderEvents.ConfigurationChanged, tell);
