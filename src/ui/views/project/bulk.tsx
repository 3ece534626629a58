import { useState } from "preact/hooks";
import { type Input, request } from "../../api.ts";
import { confirmed } from "../../confirm.ts";
import { count, counted } from "../../format.ts";
import { tell } from "../../messages.ts";
import { Button, IconButton } from "../../parts/controls.tsx";
import { Closing, Confirm, FormDialog } from "../../parts/dialog.tsx";
import { choice, choicesOf, named, Select, text } from "../../parts/fields.tsx";
import { problemAt } from "../../parts/form.tsx";
import { Name } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { isolated, shortened } from "../../sentence.ts";
import { may } from "../../session.ts";
import { FEATURE } from "../flag/frame.tsx";
import { PROJECT } from "./frame.tsx";
import { ExportFlags } from "./transfer.tsx";

export interface BulkBarProps {
  project: string;
  environments: readonly string[];
  /** The names of the selected flags. */
  features: string[];
  onSelect(features: ReadonlySet<string>): void;
  /** The filters of the list, and how many flags match them. */
  query: Search;
  total: number;
}

type Search = NonNullable<Input<"GET /api/admin/search/features">["query"]>;

/** What is done to the selected flags at once: if one flag is refused, none is changed. */
export function BulkBar({ query, total, ...selected }: BulkBarProps) {
  const [dialog, setDialog] = useState<keyof typeof DIALOGS>();
  const { project, features, onSelect } = selected;
  const clear = () => onSelect(NONE);
  const params = { projectId: project };
  const markStale = (stale: boolean) =>
    change(`POST ${PROJECT}/stale`, { params, body: { features, stale } }).then(clear);
  const Shown = dialog && DIALOGS[dialog];
  return (
    <section class="bulk" aria-label="Selected flags">
      <strong>{counted(features.length, "flag")} selected</strong>
      {features.length < Math.min(total, MOST) && (
        <Button onClick={async () => onSelect(new Set(await namesOf(query)))}>
          {total > MOST
            ? `Select the first ${count(MOST)} of ${count(total)}`
            : `Select all ${count(total)} that match`}
        </Button>
      )}
      <IconButton icon="close" label="Clear selection" onClick={clear} />
      <TurnOnOff {...selected} />
      {may("UPDATE_FEATURE", { project }) && (
        <>
          <Button onClick={() => markStale(true)}>Mark as stale</Button>
          <Button onClick={() => markStale(false)}>Mark as not stale</Button>
          <Button onClick={() => setDialog("tag")}>Tags</Button>
        </>
      )}
      {may("MOVE_FEATURE_TOGGLE", { project }) && <Button onClick={() => setDialog("move")}>Move</Button>}
      <Button onClick={() => setDialog("export")}>Export selected</Button>
      {may("DELETE_FEATURE", { project }) && (
        <Button icon="archive" kind="danger" onClick={() => setDialog("archive")}>
          Archive
        </Button>
      )}
      {Shown && (
        <Closing.Provider value={() => setDialog(undefined)}>
          <Shown {...selected} />
        </Closing.Provider>
      )}
    </section>
  );
}

/** How many flags can be changed at once. */
const MOST = 1000;

/** How many flags a search tells at once. */
const AT_ONCE = 100;

/** The names of the flags that match a search, but not more than can be changed at once. */
async function namesOf(query: Search): Promise<string[]> {
  const page = (offset: number) =>
    request("GET /api/admin/search/features", { query: { ...query, offset, limit: AT_ONCE } });
  const first = await page(0);
  const offsets = Array.from(
    { length: Math.min(first.total, MOST) / AT_ONCE },
    (_, index) => (index + 1) * AT_ONCE,
  );
  const rest = await Promise.all(offsets.filter((offset) => offset < MOST).map(page));
  return [first, ...rest].flatMap(({ features }) => features.map(({ name }) => name));
}

type SelectedProps = Pick<BulkBarProps, "project" | "environments" | "features" | "onSelect">;

const NONE: ReadonlySet<string> = new Set();

function TurnOnOff({ project, environments, features, onSelect }: SelectedProps) {
  const allowed = environments.filter((environment) =>
    may("UPDATE_FEATURE_ENVIRONMENT", { project, environment }),
  );
  const [environment = "", setEnvironment] = useState(allowed[0]);
  if (allowed.length === 0) return null;
  const turn = async (to: "on" | "off") => {
    await confirmed(
      { project, environment },
      () =>
        `${counted(features.length, "flag")} will be ${to} in ${isolated(environment)}: ${shortened(features, "and")}.`,
    );
    await change(`POST ${PROJECT}/bulk_features/environments/:environment/${to}`, {
      params: { projectId: project, environment },
      body: { features },
    });
    onSelect(NONE);
  };
  return (
    <span class="actions">
      <Select
        label="Environment"
        value={environment}
        choices={choicesOf(allowed)}
        onChange={setEnvironment}
      />
      <Button onClick={() => turn("on")}>Turn on</Button>
      <Button onClick={() => turn("off")}>Turn off</Button>
    </span>
  );
}

const DIALOGS = { tag: Tag, move: Move, export: ExportFlags, archive: Archive };

function Tag({ project, features, onSelect }: SelectedProps) {
  const types = useRead("GET /api/admin/tag-types").data?.tagTypes ?? [];
  const known = useRead("GET /api/admin/tags").data?.tags ?? [];
  return (
    <FormDialog
      title={`Tags of ${counted(features.length, "flag")}`}
      initial={{ action: "addedTags", type: "simple", value: "", known: "" }}
      fields={({ values: { action } }) => ({
        action: choice("What to do", [
          ["addedTags", "Add a tag"],
          ["removedTags", "Remove a tag"],
        ]),
        ...(action === "addedTags"
          ? {
              type: choice("Type", choicesOf(types.map(({ name }) => name))),
              value: text("Value", { required: true }),
            }
          : {
              known: choice(
                "Tag",
                known.map((tag, index) => [String(index), `${tag.type}:${tag.value}`]),
              ),
            }),
      })}
      submit="Save"
      send={async ({ action, type, value, known: index }) => {
        const tag = action === "addedTags" ? { type, value } : known[Number(index)];
        const tags = { addedTags: [], removedTags: [], [action]: tag ? [tag] : [] };
        await change(`PUT ${PROJECT}/tags`, { params: { projectId: project }, body: { features, tags } });
        onSelect(NONE);
      }}
    />
  );
}

function Archive({ project, features, onSelect }: SelectedProps) {
  return (
    <Confirm
      title={`Archive ${counted(features.length, "flag")}?`}
      action="Archive"
      onConfirm={() =>
        change(`POST ${PROJECT}/archive`, { params: { projectId: project }, body: { features } }).then(() =>
          onSelect(NONE),
        )
      }
    >
      Applications that use them will fall back to their defaults. You can revive them from the archive.{" "}
      <bdi>{someOf(features)}</bdi>
    </Confirm>
  );
}

/** The first names of a long list. */
const someOf = (names: readonly string[], most = 20) =>
  names.length > most
    ? `${names.slice(0, most).join(", ")} and ${count(names.length - most)} more`
    : names.join(", ");

/** Flags are moved one by one, since each may be refused for what it uses; those that are stay selected. */
function Move({ project, features, onSelect }: SelectedProps) {
  const { projects = [] } = useRead("GET /api/admin/projects").data ?? {};
  const others = named(projects.filter(({ id }) => id !== project));
  const [tried, setTried] = useState<number>();
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const move = async (newProjectId: string) => {
    const reasons = new Map<string, string>();
    for (const [index, featureName] of features.entries()) {
      setTried(index);
      const params = { projectId: project, featureName };
      await change(`POST ${FEATURE}/changeProject`, { params, body: { newProjectId } }).catch((error) => {
        if (error.status === 0) throw error;
        reasons.set(featureName, error.message);
      });
    }
    return reasons;
  };
  return (
    <FormDialog
      title={`Move ${counted(features.length, "flag")}`}
      initial={{ newProjectId: "" }}
      fields={() => ({ newProjectId: choice("To project", [["", "choose a project"], ...others]) })}
      submit="Move"
      send={async ({ newProjectId }) => {
        if (newProjectId === "") throw problemAt("newProjectId", "must be chosen");
        const reasons = await move(newProjectId).finally(() => setTried(undefined));
        setRefused(reasons);
        onSelect(new Set(reasons.keys()));
        const result = `${counted(features.length - reasons.size, "flag")} moved`;
        if (reasons.size > 0) throw new Error(`${result}, ${count(reasons.size)} refused.`);
        tell(result);
      }}
    >
      {tried !== undefined && (
        <p role="status">
          <progress aria-label="Flags moved" value={tried} max={features.length} /> {count(tried)} of{" "}
          {count(features.length)}
        </p>
      )}
      <ul class="short">
        {[...refused].map(([feature, reason]) => (
          <li key={feature}>
            <Name>{feature}</Name>: {reason}
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}
