import { useState } from "preact/hooks";
import { type Output, request } from "../api.ts";
import { counted } from "../format.ts";
import { Button } from "../parts/controls.tsx";
import { ConfirmButton } from "../parts/dialog.tsx";
import { EditSection } from "../parts/edit.tsx";
import { type Bound, check, choice, choicesOf, KEPT, named, text } from "../parts/fields.tsx";
import { TableSection } from "../parts/table.tsx";
import { Answer, Badge, Heading } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { InstanceTabs } from "./instance.tsx";

const OIDC = "/api/admin/auth/oidc/settings";
const PASSWORDS = "/api/admin/auth/simple/settings";

type Oidc = Output<`GET ${typeof OIDC}`>;
type Roles = Output<"GET /api/admin/roles">["roles"];

/** How people sign in: with a provider of identities, and whether with passwords. */
export function SigningIn() {
  const oidc = useRead(`GET ${OIDC}`);
  const config = useRead("GET /api/admin/ui-config");
  const passwords = useRead(`GET ${PASSWORDS}`);
  const roles = useRead("GET /api/admin/roles");
  return (
    <>
      <Heading title="Ways to sign in" />
      <InstanceTabs />
      <Answer read={passwords}>{(passwords) => <Passwords {...passwords} />}</Answer>
      <Answer read={config}>
        {({ unleashUrl, oidcConfiguredThroughEnv }) => (
          <Answer read={oidc}>
            {(oidc) =>
              oidcConfiguredThroughEnv ? (
                <GivenProvider oidc={oidc} />
              ) : (
                <Answer read={roles}>
                  {({ roles }) => <Provider oidc={oidc} roles={roles} url={unleashUrl} />}
                </Answer>
              )
            }
          </Answer>
        )}
      </Answer>
    </>
  );
}

const Passwords = ({ disabled, adminsWithoutPassword: others }: Output<`GET ${typeof PASSWORDS}`>) => (
  <section>
    <h2>Passwords</h2>
    <p>
      <Badge tone={disabled ? "bad" : "good"}>{disabled ? "off" : "on"}</Badge>{" "}
      {others === 0
        ? "No administrator can sign in without a password yet: passwords stay on until one has signed in with a provider or proxy."
        : `${counted(others, "administrator")} can sign in without a password: with a provider or proxy, as they have done.`}
    </p>
    {disabled ? (
      <Button kind="main" onClick={() => change(`POST ${PASSWORDS}`, { body: { disabled: false } })}>
        Switch passwords on
      </Button>
    ) : (
      others > 0 && (
        <ConfirmButton
          label="Switch passwords off"
          kind="danger"
          parameter="passwords"
          title="Switch passwords off?"
          action="Switch passwords off"
          onConfirm={() => change(`POST ${PASSWORDS}`, { body: { disabled: true } })}
        >
          Nobody can sign in with a password then: {counted(others, "administrator")} can without, and whoever
          runs the server can create sign-in links.
        </ConfirmButton>
      )
    )}
  </section>
);

/** What variables configure can only be read. */
const GivenProvider = ({ oidc }: { oidc: Oidc }) => (
  <TableSection
    title="OpenID Connect"
    above={<p>The server's variables OIDC_… configure the provider, so nothing can be changed here.</p>}
    caption="Settings of the provider"
    rows={Object.entries(oidc).filter(([, value]) => value !== "")}
    keyOf={([name]) => name}
    columns={[
      ["Setting", ([name]) => <code>{name}</code>, "main"],
      ["Value", ([, value]) => <bdi>{String(value)}</bdi>],
    ]}
  >
    <Test {...oidc} />
  </TableSection>
);

interface ProviderProps {
  oidc: Oidc;
  roles: Roles;
  /** The server's own, relative if the operator hasn't said it. */
  url: string;
}

function Provider({ oidc, roles, url }: ProviderProps) {
  const roots = roles.filter(({ type }) => type.startsWith("root"));
  const issuer = text("Issuer", { hint: "The provider's address, such as https://id.example/realms/shop." });
  const issuerWithTest = (bound: Bound<string>) => (
    <>
      {issuer(bound)}
      <Test discoverUrl={bound.value} idTokenSigningAlgorithm={oidc.idTokenSigningAlgorithm} />
    </>
  );
  return (
    <EditSection
      title="OpenID Connect"
      now={oidc}
      read={() => request(`GET ${OIDC}`)}
      toValues={({ defaultRootRole, defaultRootRoleId, enablePkce: _, ...settings }) => ({
        ...settings,
        defaultRootRoleId: defaultRootRoleId ?? roots.find(({ name }) => name === defaultRootRole)!.id,
      })}
      above={<Addresses url={url} />}
      fields={{
        enabled: check("People can sign in with this provider"),
        discoverUrl: issuerWithTest,
        clientId: text("Client ID"),
        secret: text("Client secret", { type: "password", hint: oidc.secret !== "" && KEPT }),
        idTokenSigningAlgorithm: choice("Algorithm of ID tokens", choicesOf(["RS256", "RS384", "RS512"])),
        autoCreate: check("Create an account for whoever signs in and has none"),
        emailDomains: text("Only with e-mail addresses of", {
          hint: "Domains, such as shop.example; any if empty.",
        }),
        defaultRootRoleId: choice("Root role of new accounts", named(roots)),
        enableGroupSyncing: check("Join and leave groups as the provider says"),
        groupJsonPath: text("Claim with the groups", {
          hint: "groups, or a path such as realm_access.roles.",
        }),
        addGroupsScope: check("Ask for the scope groups"),
        extraScopes: text("Further scopes"),
        acrValues: text("Required kinds of sign-in", {
          hint: "acr values, one of which the sign-in has to have.",
        }),
        enableSingleSignOut: check("Signing out here ends the session at the provider too"),
      }}
      update={(body, ifStill) => change(`POST ${OIDC}`, { body, ifStill })}
    />
  );
}

const Addresses = ({ url }: { url: string }) =>
  url.startsWith("http") ? (
    <p>
      Register at the provider: the redirect address <code>{url}/auth/oidc/callback</code> and, for sign-outs,{" "}
      <code>{url}/</code>
    </p>
  ) : (
    <p>Start the server with --public-url first, which the provider leads back to.</p>
  );

const TEST = "POST /api/admin/auth/oidc/test";

/** Asks the provider what it says of itself. */
function Test({
  discoverUrl,
  idTokenSigningAlgorithm,
}: Pick<Oidc, "discoverUrl" | "idTokenSigningAlgorithm">) {
  const [answer, setAnswer] = useState<Output<typeof TEST>>();
  const ask = async () => setAnswer(await request(TEST, { body: { discoverUrl, idTokenSigningAlgorithm } }));
  return (
    <>
      <p>
        <Button onClick={ask} disabled={discoverUrl === ""}>
          Test the provider
        </Button>
      </p>
      <div role="status">{answer && <Said {...answer} />}</div>
    </>
  );
}

const Said = ({ problem, algorithms, ...said }: Output<typeof TEST>) => (
  <>
    <p>
      <Badge tone={problem === null ? "good" : "bad"}>{problem === null ? "works" : "fails"}</Badge>{" "}
      {problem ?? "People can be sent there to sign in."}
    </p>
    {said.issuer !== "" && (
      <ul>
        {Object.entries({ ...said, algorithms: algorithms.join(", ") }).map(([name, value]) => (
          <li key={name}>
            {name}: <bdi>{value || "none"}</bdi>
          </li>
        ))}
      </ul>
    )}
  </>
);
