/** What an integration of a provider is set up with. */
export interface ProviderParameter {
  name: string;
  displayName: string;
  type: "url" | "text" | "textfield";
  required: boolean;
  /** Gives access to something, as does an address that takes what anybody sends: never shown. */
  sensitive: boolean;
}

/** Where events are sent to. */
export interface Provider {
  name: string;
  displayName: string;
  /** The original offers it no more for new integrations. */
  deprecated?: true;
  parameters: readonly ProviderParameter[];
}

type Rest = Partial<Pick<ProviderParameter, "required" | "sensitive">>;

const parameter = (name: string, displayName: string, type: ProviderParameter["type"], rest: Rest = {}) => ({
  name,
  displayName,
  type,
  required: false,
  sensitive: false,
  ...rest,
});

const SECRET = { sensitive: true };
const REQUIRED = { required: true };
const REQUIRED_SECRET = { ...REQUIRED, ...SECRET };

const HEADERS = parameter("customHeaders", "Extra HTTP Headers", "textfield", SECRET);
const TEMPLATE = parameter("bodyTemplate", "Body template", "textfield");

/** The providers of the original, in its order. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "webhook",
    displayName: "Webhook",
    parameters: [
      parameter("url", "Webhook URL", "url", REQUIRED_SECRET),
      parameter("contentType", "Content-Type", "text"),
      parameter("authorization", "Authorization", "text", SECRET),
      HEADERS,
      TEMPLATE,
    ],
  },
  {
    name: "slack",
    displayName: "Slack",
    deprecated: true,
    parameters: [
      parameter("url", "Slack webhook URL", "url", REQUIRED_SECRET),
      parameter("username", "Username", "text"),
      parameter("emojiIcon", "Emoji Icon", "text"),
      parameter("defaultChannel", "Default channel", "text", REQUIRED),
      HEADERS,
    ],
  },
  {
    name: "slack-app",
    displayName: "Slack App",
    parameters: [
      parameter("accessToken", "Access token", "text", REQUIRED_SECRET),
      parameter("defaultChannels", "Channels", "text"),
    ],
  },
  {
    name: "teams",
    displayName: "Microsoft Teams",
    parameters: [parameter("url", "Microsoft Teams webhook URL", "url", REQUIRED_SECRET), HEADERS],
  },
  {
    name: "datadog",
    displayName: "Datadog",
    parameters: [
      parameter("url", "Datadog Events URL", "url"),
      parameter("apiKey", "Datadog API key", "text", REQUIRED_SECRET),
      parameter("sourceTypeName", "Datadog Source Type Name", "text"),
      HEADERS,
      TEMPLATE,
    ],
  },
  {
    name: "new-relic",
    displayName: "New Relic",
    parameters: [
      parameter("url", "New Relic Event URL", "url", REQUIRED),
      parameter("licenseKey", "New Relic License Key", "text", REQUIRED_SECRET),
      HEADERS,
      TEMPLATE,
    ],
  },
];

/** The provider of this name; undefined for one that is not known. */
export const providerByName = (name: string): Provider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);
